//! Properties of operations are decided in `core/src/event/`, and every decision lists all operations, so that the
//! compiler names each of these places when one is added. The same holds for *kinds*, by which others see operations:
//! needs, touches and kinds of objects.
//!
//! - Nowhere does a `match` over such words have an arm for all others.
//! - Outside of `event/` nothing picks some of them and is silent about the others: no `matches!`, no `if let` and no
//!   `let` with an `else`; and no comparison with an operation.
//! - Outside of `event/`, `run/` and `model/` nothing distinguishes kinds at all: what others have to know of a kind is
//!   a method of it.
//!
//! The exceptions are in `xtask/exceptions/operations.txt`, for all rules together.

use super::exceptions::Found;
use super::source::{Crate, attributes, is_test};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{BinOp, Expr, Item, Pat};

/// The type whose variants are the groups of operations. Types of operations have names that end like it.
const OPERATION: &str = "Operation";
/// The types by which others see operations.
const KINDS: &[&str] = &["Need", "ObjectKind", "Touch"];
/// The folder in which properties of operations may be decided.
const VOCABULARY: &str = "core/src/event/";
/// The folders in which kinds may be distinguished.
const PERFORMERS: &[&str] = &["core/src/run/", "core/src/model/"];
/// The crates that cannot see the vocabulary: what is called like it there is something else.
const STRANGERS: &[&str] = &["pass", "driver"];

/// The places of a crate that are silent about new operations, or that distinguish kinds; counted by file.
pub(crate) fn silent_places(found: &Crate, into: &mut Found) {
    if STRANGERS.contains(&found.name.as_str()) {
        return;
    }
    for module in &found.modules {
        let hidden = module.imported().filter(|path| path.iter().any(|name| word(name).is_some())).count();
        let mut places = Places { hidden, ..Places::default() };
        module.items.iter().for_each(|item| places.visit_item(item));
        let number = places.number(&module.file);
        if number > 0 {
            *into.entry(module.file.clone()).or_default() += number;
        }
    }
}

/// Of which sort a word of the vocabulary is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Operation,
    Kind,
}

fn word(name: &str) -> Option<Word> {
    if name.ends_with(OPERATION) {
        return Some(Word::Operation);
    }
    KINDS.contains(&name).then_some(Word::Kind)
}

#[derive(Default)]
struct Places {
    catch_alls: usize,
    /// Picks of some operations or kinds.
    picks: usize,
    /// Comparisons with an operation.
    comparisons: usize,
    /// Decisions about kinds, and comparisons with one.
    kinds: usize,
    /// Imports of variants, by which they could be named without their type.
    hidden: usize,
    /// Inside of `impl` of a word, where `Self` names it.
    own: Option<Word>,
}

impl Places {
    /// How many of the places are not allowed in a file.
    fn number(&self, file: &str) -> usize {
        let (inside, performs) =
            (file.starts_with(VOCABULARY), PERFORMERS.iter().any(|folder| file.starts_with(folder)));
        let outside = if inside { 0 } else { self.picks + self.comparisons + self.hidden };
        self.catch_alls + outside + if inside || performs { 0 } else { self.kinds }
    }

    /// The word that a path to a variant belongs to.
    fn in_path(&self, path: &syn::Path) -> Option<Word> {
        let mut names = path.segments.iter().rev().skip(1).map(|segment| segment.ident.to_string());
        let owner = names.next()?;
        word(&owner).or(self.own.filter(|_| owner == "Self"))
    }

    /// The word of which the pattern names variants, if it does.
    fn named(&self, pattern: &Pat) -> Option<Word> {
        match pattern {
            Pat::Path(pattern) => self.in_path(&pattern.path),
            Pat::Struct(pattern) => {
                self.in_path(&pattern.path).or_else(|| pattern.fields.iter().find_map(|field| self.named(&field.pat)))
            }
            Pat::TupleStruct(pattern) => {
                self.in_path(&pattern.path).or_else(|| pattern.elems.iter().find_map(|pattern| self.named(pattern)))
            }
            Pat::Or(pattern) => pattern.cases.iter().find_map(|pattern| self.named(pattern)),
            Pat::Reference(pattern) => self.named(&pattern.pat),
            Pat::Paren(pattern) => self.named(&pattern.pat),
            Pat::Tuple(pattern) => pattern.elems.iter().find_map(|pattern| self.named(pattern)),
            Pat::Ident(pattern) => pattern.subpat.as_ref().and_then(|(_, pattern)| self.named(pattern)),
            _ => None,
        }
    }

    /// The word of which an expression is a variant.
    fn value(&self, expression: &Expr) -> Option<Word> {
        match expression {
            Expr::Path(value) => self.in_path(&value.path),
            Expr::Struct(value) => self.in_path(&value.path),
            Expr::Call(call) => self.value(&call.func),
            Expr::Paren(value) => self.value(&value.expr),
            Expr::Reference(value) => self.value(&value.expr),
            _ => None,
        }
    }

    /// A pattern that others than those it names pass by.
    fn picks(&mut self, pattern: &Pat) {
        let named = self.named(pattern);
        self.picks += usize::from(named.is_some());
        self.kinds += usize::from(named == Some(Word::Kind));
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
        let outside = self.own;
        if let Item::Impl(item) = item
            && let syn::Type::Path(path) = &*item.self_ty
        {
            self.own = path.path.segments.last().and_then(|last| word(&last.ident.to_string()));
        }
        syn::visit::visit_item(self, item);
        self.own = outside;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            syn::visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_match(&mut self, decision: &'ast syn::ExprMatch) {
        if let Some(word) = decision.arms.iter().find_map(|arm| self.named(&arm.pat)) {
            self.catch_alls += usize::from(decision.arms.iter().any(|arm| takes_all(&arm.pat)));
            self.kinds += usize::from(word == Word::Kind);
        }
        syn::visit::visit_expr_match(self, decision);
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        self.picks(&condition.pat);
        syn::visit::visit_expr_let(self, condition);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
            self.picks(&local.pat);
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_binary(&mut self, expression: &'ast syn::ExprBinary) {
        if matches!(expression.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            match self.value(&expression.left).or(self.value(&expression.right)) {
                Some(Word::Operation) => self.comparisons += 1,
                Some(Word::Kind) => self.kinds += 1,
                None => {}
            }
        }
        syn::visit::visit_expr_binary(self, expression);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let picks = if call.path.is_ident("matches") {
            usize::from(names_word_in(&call.tokens))
        } else {
            matches_in(call.tokens.clone())
        };
        self.picks += picks;
    }
}

fn names_word_in(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_mark = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(name) => {
            word(&name.to_string()).is_some() && is_mark(tokens.get(at + 1)) && is_mark(tokens.get(at + 2))
        }
        TokenTree::Group(group) => names_word_in(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// How many `matches!` inside of another macro pick operations.
fn matches_in(tokens: TokenStream) -> usize {
    let (mut number, mut last) = (0, None);
    for token in tokens {
        match &token {
            TokenTree::Group(group) if last.as_deref() == Some("matches") => {
                number += usize::from(names_word_in(&group.stream()));
            }
            TokenTree::Group(group) => number += matches_in(group.stream()),
            TokenTree::Ident(name) => last = Some(name.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            TokenTree::Punct(_) | TokenTree::Literal(_) => last = None,
        }
    }
    number
}
