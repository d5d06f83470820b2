//! Defects of Inspect itself.

use crate::platform::{child, link};
use alloc::string::String;
use inspect_wire::message::Message;

/// Reports a defect of Inspect to the host and ends the process.
pub(crate) fn tool_error(message: &str) -> ! {
    if child::in_child() {
        child::give_up(message);
    }
    // Where the message does not fit, the host sees from the missing `Done` that something is wrong.
    let _sent = link::send(&Message::ToolError(String::from(message)));
    link::finish()
}
