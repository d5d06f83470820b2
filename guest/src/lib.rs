//! The guest: runs inside the program under test.
//!
//! One shared library without a C library, in floors that name lower ones only: the [`platform`] makes one OS thread
//! look like many on Linux and undoes what a run did; the [`engine`] makes one run; [`search`] plans runs and judges
//! them; [`hooks`], [`model`] and [`intercept`] are what the program calls; [`upcalls`] is what the platform calls.
#![no_std]

extern crate alloc;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("Inspect runs programs on Linux on x86-64 only");

mod intercept;
mod platform;

#[cfg(not(feature = "platform-selftest"))]
mod engine;
#[cfg(not(feature = "platform-selftest"))]
mod hooks;
#[cfg(not(feature = "platform-selftest"))]
mod model;
#[cfg(not(feature = "platform-selftest"))]
mod search;
#[cfg(feature = "platform-selftest")]
mod selftest;
#[cfg(not(feature = "platform-selftest"))]
mod upcalls;

#[cfg(not(feature = "platform-selftest"))]
platform::upcalls::answer_upcalls!(upcalls::GuestUpcalls);
#[cfg(feature = "platform-selftest")]
platform::upcalls::answer_upcalls!(selftest::SelfTest);

#[global_allocator]
static ENGINE_HEAP: platform::EngineHeap = platform::EngineHeap;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let message = match info.location() {
        Some(location) => alloc::format!("panic in the engine at {location}: {}", info.message()),
        None => alloc::format!("panic in the engine: {}", info.message()),
    };
    platform::tool_error(&message)
}
