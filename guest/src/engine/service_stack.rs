//! Calls on the service stack.

/// Defines a function that calls another one on the service stack. What the engine leaves on a stack depends on earlier
/// runs, so it must not be where the program could read it; this costs two instructions more than a call.
macro_rules! on_service_stack {
    ($name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? => $target:path) => {
        #[unsafe(naked)]
        extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "movabs rsp, {stack}",
                "call {target}",
                "mov rsp, rbp",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                stack = const $crate::platform::layout::SERVICE_STACK.end,
                target = sym $target,
            )
        }
    };
}
pub(super) use on_service_stack;
