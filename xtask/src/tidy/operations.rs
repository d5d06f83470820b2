//! Properties of operations are decided in `core/src/event/`, and every decision lists all operations, so that the
//! compiler names each of these places when an operation is added. So outside of `event/` no `matches!` picks
//! operations, and no `match` over operations has an arm for all others.
//!
//! The exceptions are in `xtask/exceptions/operations.txt`, for both rules together.

use super::exceptions::Found;
use super::source::{Crate, attributes, is_test};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Item, Pat};

/// The type whose variants are operations.
const OPERATION: &str = "Operation";
/// The folder in which properties of operations may be decided.
const VOCABULARY: &str = "core/src/event/";

/// The places of a crate that are silent about new operations, counted by file.
pub(crate) fn silent_places(found: &Crate, into: &mut Found) {
    for module in &found.modules {
        let mut places = Places { matches: 0, catch_alls: 0, in_operation: false };
        module.items.iter().for_each(|item| places.visit_item(item));
        let in_vocabulary = module.file.starts_with(VOCABULARY);
        let number = places.catch_alls + if in_vocabulary { 0 } else { places.matches };
        if number > 0 {
            *into.entry(module.file.clone()).or_default() += number;
        }
    }
}

struct Places {
    matches: usize,
    catch_alls: usize,
    /// True inside of `impl Operation`, where `Self` names the type.
    in_operation: bool,
}

impl Places {
    /// True if the pattern names an operation, or several of them.
    fn names_operation(&self, pattern: &Pat) -> bool {
        let path = |path: &syn::Path| {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let [.., owner, _] = names.as_slice() else { return false };
            owner == OPERATION || (self.in_operation && owner == "Self")
        };
        match pattern {
            Pat::Path(pattern) => path(&pattern.path),
            Pat::Struct(pattern) => path(&pattern.path),
            Pat::TupleStruct(pattern) => {
                path(&pattern.path) || pattern.elems.iter().any(|pattern| self.names_operation(pattern))
            }
            Pat::Or(pattern) => pattern.cases.iter().any(|pattern| self.names_operation(pattern)),
            Pat::Reference(pattern) => self.names_operation(&pattern.pat),
            Pat::Paren(pattern) => self.names_operation(&pattern.pat),
            Pat::Tuple(pattern) => pattern.elems.iter().any(|pattern| self.names_operation(pattern)),
            Pat::Ident(pattern) => pattern.subpat.as_ref().is_some_and(|(_, pattern)| self.names_operation(pattern)),
            _ => false,
        }
    }
}

/// True if the pattern matches every value.
fn takes_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(pattern) => {
            pattern.subpat.is_none() && pattern.ident.to_string().starts_with(|first: char| !first.is_uppercase())
        }
        Pat::Tuple(pattern) => pattern.elems.iter().all(takes_all),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Places {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        let outside = self.in_operation;
        if let Item::Impl(item) = item {
            self.in_operation = matches!(&*item.self_ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == OPERATION));
        }
        syn::visit::visit_item(self, item);
        self.in_operation = outside;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            syn::visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_match(&mut self, decision: &'ast syn::ExprMatch) {
        let over_operations = decision.arms.iter().any(|arm| self.names_operation(&arm.pat));
        if over_operations && decision.arms.iter().any(|arm| takes_all(&arm.pat)) {
            self.catch_alls += 1;
        }
        syn::visit::visit_expr_match(self, decision);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("matches") {
            self.matches += usize::from(names_operation_in(&call.tokens));
        } else {
            self.matches += matches_in(call.tokens.clone());
        }
    }
}

fn names_operation_in(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_mark = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(name) => name == OPERATION && is_mark(tokens.get(at + 1)) && is_mark(tokens.get(at + 2)),
        TokenTree::Group(group) => names_operation_in(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// How many `matches!` inside of another macro pick operations.
fn matches_in(tokens: TokenStream) -> usize {
    let (mut number, mut last) = (0, None);
    for token in tokens {
        match &token {
            TokenTree::Group(group) if last.as_deref() == Some("matches") => {
                number += usize::from(names_operation_in(&group.stream()));
            }
            TokenTree::Group(group) => number += matches_in(group.stream()),
            TokenTree::Ident(name) => last = Some(name.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            TokenTree::Punct(_) | TokenTree::Literal(_) => last = None,
        }
    }
    number
}
