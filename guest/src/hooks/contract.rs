//! Every hook of the contract is there and has the signature that the pass declares; else this does not compile.

use super::access::*;
use super::atomic::*;
use super::facts::*;
use super::uninitialised::*;
use super::{
    __inspect_call_only, __inspect_delta_frames, __inspect_frames, __inspect_leave_main, __inspect_loop_head,
    __inspect_opaque, __inspect_other_parts,
};
use crate::engine::deltas::*;

inspect_wire::check_hooks!();
