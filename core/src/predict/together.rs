//! Whether several threads can have events pending at once, one of each given sequence.

use super::Needs;
use super::closure::{Closure, Keeps};
use super::memory::StepBudget;
use crate::event::Step;
use alloc::vec;
use alloc::vec::Vec;

/// After how many sets of such events for which no order was found the search gives up.
const ORDERS: u32 = 4;

/// Events, one of each sequence, that can be pending at once, and the steps of a run up to there. Of each sequence,
/// these are the first ones for which an order was found. `None` if there are none, after [`ORDERS`] that have no
/// order, or if the budget is used up.
///
/// The set of what comes before such events grows with each of them. So an event that is in the set with the present
/// ones of the others is in it with all later ones: it is passed over for good, and the set is kept. Each event of the
/// sequences is looked at once, and each event of the run is added once.
pub(super) fn together(
    needs: &Needs<'_>,
    keeps: Keeps,
    sequences: &[&[u32]],
    budget: &mut StepBudget,
) -> Option<(Vec<u32>, Vec<Step>)> {
    let mut closure = Closure::new(needs, keeps);
    let mut at = vec![0; sequences.len()];
    let mut orders = ORDERS;
    sequences.iter().filter_map(|sequence| sequence.first()).for_each(|&event| closure.add_before(event));
    // To have begun costs as much as a set has threads.
    let mut paid = 0;
    let begun = needs.threads() as u64;
    loop {
        budget.spend(begun + closure.steps_made() - paid);
        paid = begun + closure.steps_made();
        if budget.is_used_up() {
            return None;
        }
        let heads: Option<Vec<u32>> =
            sequences.iter().zip(&at).map(|(sequence, &position)| sequence.get(position).copied()).collect();
        let heads = heads?;
        let Some(passed) = heads.iter().position(|&event| closure.contains(event)) else {
            if let Some(steps) = ordered(needs, &closure, &heads, budget) {
                return Some((heads, steps));
            }
            orders = orders.checked_sub(1).filter(|left| *left > 0)?;
            advance(&mut closure, sequences, &mut at, 0);
            continue;
        };
        advance(&mut closure, sequences, &mut at, passed);
        budget.spend(1);
    }
}

/// Goes on to the next event of a sequence.
fn advance(closure: &mut Closure<'_, '_>, sequences: &[&[u32]], at: &mut [usize], number: usize) {
    at[number] += 1;
    sequences[number].get(at[number]).into_iter().for_each(|&event| closure.add_before(event));
}

/// The steps of a run of the set, in which any of the threads of these events may be the first to go on.
fn ordered(needs: &Needs<'_>, closure: &Closure<'_, '_>, heads: &[u32], budget: &mut StepBudget) -> Option<Vec<Step>> {
    let threads: Vec<usize> = heads.iter().map(|&event| needs.events()[event as usize].thread.index()).collect();
    let orders = (0..threads.len()).map(|first| [&threads[first..], &threads[..first]].concat());
    orders.into_iter().find_map(|order| {
        budget.spend(closure.size());
        closure.run(&order)
    })
}
