//! The hooks: one row each, from which everything else that has to agree about a hook is made.

use super::{AfterHook, DeltaFrame, Hook, Parameter};

/// Rust's type of a parameter in the guest's function.
macro_rules! guest_type {
    (Pointer) => { u64 };
    (Site) => { u64 };
    (Record) => { *mut DeltaFrame };
    (Long) => { u64 };
    (Word) => { u32 };
}

/// The type of a parameter in the program.
macro_rules! parameter {
    (Pointer) => {
        Parameter::Pointer
    };
    (Site) => {
        Parameter::Pointer
    };
    (Record) => {
        Parameter::Pointer
    };
    (Long) => {
        Parameter::Long
    };
    (Word) => {
        Parameter::Word
    };
}

/// A row is `fn NAME(PARAMETER: TYPE, ...) then NEXT;`, where `TYPE` is `Pointer` (the guest is given the address as a
/// number), `Site` (the address of a [`Site`](super::Site)), `Record` (that of a [`DeltaFrame`]), `Long` (64 bits) or
/// `Word` (32 bits), and `NEXT` one of [`AfterHook`].
macro_rules! hooks {
    ($($(#[doc = $doc:literal])+ fn $name:ident($($parameter:ident: $ty:ident),*) then $next:ident;)+) => {
        /// The hooks by name.
        #[allow(non_upper_case_globals, reason = "named after the symbols")]
        pub mod names {
            use super::{Hook, AfterHook, Parameter};

            $(
                #[doc = concat!("`", stringify!($($parameter: $ty),*), "`")]
                #[doc = ""]
                $(#[doc = $doc])+
                pub const $name: Hook =
                    Hook { name: stringify!($name), parameters: &[$(parameter!($ty)),*], next: AfterHook::$next };
            )+
        }

        /// All hooks.
        pub const HOOKS: &[Hook] = &[$(names::$name),+];

        /// The guest's functions: there is one for each hook, and its type is the one that the pass declares.
        #[allow(missing_docs, reason = "each is described where it is declared")]
        pub struct Definitions {
            $(pub $name: extern "C" fn($(guest_type!($ty)),*),)+
        }

        /// Does not compile unless a function of each hook's name and signature is in scope.
        #[macro_export]
        macro_rules! check_hooks {
            () => {
                const _: $crate::hooks::Definitions = $crate::hooks::Definitions { $($name),+ };
            };
        }
    };
}

hooks! {
    /// Before a plain read, or a memory intrinsic's read of its source, that may be shared.
    fn __inspect_read(address: Pointer, size: Long, site: Site) then Access;
    /// Before a plain write that may be shared.
    fn __inspect_write(address: Pointer, size: Long, site: Site) then Access;
    /// Before the address of a C++ class's table of virtual functions is written into an object that may be shared:
    /// `table` is that address. A write that changes nothing is a read: each destructor begins with one.
    fn __inspect_table_write(address: Pointer, table: Pointer, site: Site) then Access;
    /// Before a volatile read that may be shared, of 1, 2, 4 or 8 bytes.
    fn __inspect_volatile_read(address: Pointer, size: Long, site: Site) then Access;
    /// Before a volatile write that may be shared, of 1, 2, 4 or 8 bytes.
    fn __inspect_volatile_write(address: Pointer, size: Long, site: Site) then Access;
    /// Where a local variable that may be shared begins: the memory is not that of one that has ended.
    fn __inspect_begin(address: Pointer, size: Long) then Access;
    /// Before a function returns or a block is left, for each local variable that may be shared: the variable ends.
    fn __inspect_end(address: Pointer, size: Long, site: Site) then Access;
    /// Before a read that cannot be shared but may hit the heap.
    fn __inspect_check_read(address: Pointer, size: Long, site: Site) then Access;
    /// Before a write that cannot be shared but may hit the heap.
    fn __inspect_check_write(address: Pointer, size: Long, site: Site) then Access;
    /// Before an atomic load.
    fn __inspect_atomic_load(address: Pointer, size: Long, order: Word, site: Site) then Access;
    /// Before an atomic store; `value` is the low 8 bytes of what is stored.
    fn __inspect_atomic_store(address: Pointer, size: Long, value: Long, order: Word, site: Site) then Access;
    /// Before an atomic read-modify-write that always writes.
    fn __inspect_atomic_rmw(address: Pointer, size: Long, order: Word, site: Site) then Access;
    /// Before a compare-exchange; `low` and `high` are the value expected, and `orders` has the order of success in its
    /// low 8 bits and that of failure in the next 8.
    fn __inspect_atomic_cas(address: Pointer, size: Long, low: Long, high: Long, orders: Word, site: Site) then Access;
    /// Before an atomic thread fence.
    fn __inspect_fence(order: Word, site: Site) then Access;
    /// At each arrival at the head of a loop that may be a spin loop, with the values of its header's phis: `count`
    /// words at `values`.
    fn __inspect_loop_head(count: Long, values: Pointer, site: Site) then Access;
    /// Before inline assembly that the pass cannot see through, or an instruction of the processor that the source
    /// names.
    fn __inspect_opaque(site: Site) then Code;
    /// Never called: an object that names it has parts that are not instrumented.
    fn __inspect_other_parts() then Code;
    /// Before a return from main.
    fn __inspect_leave_main(site: Site) then Code;

    /// In a constructor: the section of the module's synchronisation objects that the program uses for calls only. The
    /// ends are null if the linker has found no use of the objects.
    fn __inspect_call_only(start: Pointer, end: Pointer) then Code;

    /// In the first constructor of a program with frame records: `innermost` is the address of the calling thread's
    /// variable that points to its innermost record; the program sets the byte at `written` to 1 before whatever may
    /// write to memory without a hook, except for a function's writes to its own variables.
    fn __inspect_frames(innermost: Pointer, written: Pointer) then Code;
    /// The same in a program whose records are [`DeltaFrame`](crate::hooks::DeltaFrame)s.
    fn __inspect_delta_frames(innermost: Pointer) then Code;
    /// Before a call, if values or variables of the function may have changed since its last call.
    fn __inspect_delta(record: Record) then Code;
    /// After `__inspect_delta`, for each variable that may have changed.
    fn __inspect_delta_variable(record: Record, address: Pointer, size: Long) then Code;
    /// After a write through a pointer that may lead to a variable of this record's function or of its callers.
    fn __inspect_delta_through(record: Record, address: Long, size: Long) then Code;
    /// Before a call of a library that may write at an address, which may be in a variable of the callers of this
    /// record's function.
    fn __inspect_delta_called(record: Record, address: Long) then Code;
    /// After the call that `__inspect_delta_called` came before, and before the next call or the end of the function.
    fn __inspect_delta_returned(record: Record) then Code;
    /// Before a call or the end of a function, if variables of this record's function or of its callers may have been
    /// written through pointers. The record is null if there is none, and all ones if the writes are still to come and
    /// no hook will follow them.
    fn __inspect_unknown_delta(record: Record) then Code;

    /// In a constructor of a program, or of a library, that is built to find uses of uninitialised memory.
    fn __inspect_uninitialised() then Code;
    /// After a call of a function that is not instrumented, with the block that it has allocated: the block's contents
    /// are uninitialised.
    fn __inspect_fresh(block: Pointer) then Code;
    /// Before a call of a function that is not instrumented and of which no row says what it writes: it may initialise
    /// the object that it is given the address of. `size` is the object's, 0 if it is not known.
    fn __inspect_filled(object: Pointer, size: Long) then Code;
    /// The same before a call through a pointer: if the function at `target` is not instrumented.
    fn __inspect_filled_by(target: Pointer, object: Pointer, size: Long) then Code;
    /// Before a call of a function that is not instrumented, and before the end of a function that one may call: what
    /// is known of the arguments of earlier calls does not hold for calls that are made from there.
    fn __inspect_forget_arguments() then Code;

    /// In a program built with facts ([`crate::facts`]), once before main: `count` words.
    fn __inspect_facts(words: Pointer, count: Long) then Code;
    /// In a program built with facts: before the hooks of an access, and with [`CALL`](crate::facts::CALL) before a
    /// call of a library.
    fn __inspect_point(point: Word) then Code;
    /// In a program built with facts: before a branch; `activation` is an address that no other active call of the
    /// function has.
    fn __inspect_branch(point: Word, way: Word, activation: Pointer) then Code;
    /// In a program built with facts: at a join point.
    fn __inspect_join_point(join_point: Word, activation: Pointer) then Code;
}
