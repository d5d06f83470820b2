//! The races in question, with the places of the program that they stand for.

use super::request::Asked;
use crate::error::ToolError;
use crate::foreign::ForeignRace;
use crate::places::{GivenPlace, KnownPlace, SourceMap};
use crate::query::Query;
use crate::verdict::Reason;
use std::fmt::Display;

/// A race in question.
pub(super) struct Question {
    /// The two places, or where a report has it.
    pub(super) name: String,
    /// The places; otherwise why it cannot be looked for.
    pub(super) query: Result<Query, Reason>,
}

/// All races in question, each once. An error if none can be looked for.
pub(super) fn questions(asked: &Asked, map: &SourceMap) -> Result<Vec<Question>, ToolError> {
    match asked {
        Asked::Places(first, second) => {
            let query = query(map, first, second).map_err(ToolError::new)?;
            Ok(vec![Question { name: named(first, second), query: Ok(query) }])
        }
        Asked::Report(name, report) => {
            let mut all: Vec<Question> = Vec::new();
            for question in report.races.iter().map(|race| of_report(name, race, map)) {
                let is_same = |other: &Question| match (&other.query, &question.query) {
                    (Ok(other), Ok(query)) => query.is_same(other),
                    (Ok(_), Err(_)) | (Err(_), Ok(_) | Err(_)) => false,
                };
                if !all.iter().any(is_same) {
                    all.push(question);
                }
            }
            let first_wrong = all.iter().find_map(|question| question.query.as_ref().err().map(|why| (question, why)));
            match first_wrong {
                Some((question, why)) if all.iter().all(|question| question.query.is_err()) => {
                    Err(ToolError::new(format!("{}: {}", question.name, why.what)))
                }
                Some(_) | None => Ok(all),
            }
        }
    }
}

fn named(first: &impl Display, second: &impl Display) -> String {
    format!("data race of {first} and {second}")
}

fn query(map: &SourceMap, first: &GivenPlace, second: &GivenPlace) -> Result<Query, String> {
    Ok(Query { first: map.find(first)?, second: map.find(second)? })
}

/// Where a report has an access: the innermost call in a source file of the program, and the line of the system header
/// that makes the access, if the call leads there.
fn of_access<'a>(stack: &'a [GivenPlace], map: &SourceMap) -> Option<(&'a GivenPlace, Option<KnownPlace>)> {
    let own = stack.iter().position(|place| map.has_file_of(place))?;
    Some((&stack[own], map.header_of(&stack[..own])))
}

/// A race of a report.
fn of_report(report: &str, race: &ForeignRace, map: &SourceMap) -> Question {
    let accesses: Vec<_> = race.stacks.iter().map(|stack| of_access(stack, map)).collect();
    let at = format!("data race at line {} of {report}", race.at_line);
    let wrong = |what: String| Reason::new(what, "the report of the program as it is now, built with -g");
    match accesses.as_slice() {
        [Some((first, in_first)), Some((second, in_second))] => match query(map, first, second) {
            Ok(Query { first, second }) => {
                let (first, second) = (first.through(in_first.clone()), second.through(in_second.clone()));
                Question { name: named(&first, &second), query: Ok(Query { first, second }) }
            }
            Err(what) => Question { name: named(*first, *second), query: Err(wrong(what)) },
        },
        [_, _] => {
            let what = "no call of one of its accesses is in a source file of this program".to_owned();
            Question { name: at, query: Err(wrong(what)) }
        }
        _ => Question { name: at, query: Err(wrong("the report does not say where both accesses are".to_owned())) },
    }
}
