//! Leaves out checks of heap accesses that cannot find anything: the same address was checked earlier in the block, for
//! at least as many bytes, and nothing in between can have freed the memory.

use crate::access::{Access, Number};
use crate::ir::Value;
use crate::sharing::{Reach, Sharing};
use std::collections::{HashMap, HashSet};

/// The positions in `accesses` of the checks that can be left out.
pub(crate) fn redundant(functions: &[Value], accesses: &[Access], sharing: &Sharing<'_>) -> HashSet<usize> {
    let mut by_instruction: HashMap<Value, Vec<usize>> = HashMap::new();
    for (index, access) in accesses.iter().enumerate() {
        if sharing.reach(access) == Reach::Heap {
            by_instruction.entry(access.instruction).or_default().push(index);
        }
    }
    let mut redundant = HashSet::new();
    for block in functions.iter().flat_map(|f| f.blocks()) {
        // By address, and by whether the check was for a write: the largest size checked.
        let mut checked: HashMap<(Value, bool), u64> = HashMap::new();
        for instruction in block.instructions() {
            for index in by_instruction.get(&instruction).into_iter().flatten() {
                let access = &accesses[*index];
                let (Some(pointer), Number::Known(size)) = (access.pointer, access.size) else { continue };
                let writes = access.kind.writes();
                // A check for a write serves a read as well.
                let known = [true, writes].map(|write| checked.get(&(pointer, write)).copied().unwrap_or(0));
                if size > 0 && known.iter().any(|bytes| *bytes >= size) {
                    redundant.insert(*index);
                } else {
                    checked.insert((pointer, writes), size);
                }
            }
            if instruction.may_free() {
                checked.clear();
            }
        }
    }
    redundant
}
