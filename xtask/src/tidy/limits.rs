//! Files of more than 500 and functions of more than 40 lines need an entry with a reason in
//! `xtask/exceptions/long.txt`, by the file's name or the file's and the function's. Lines of comments have at most as
//! many columns as the formatter leaves to code, except rows of tables.

use super::exceptions::Found;
use std::collections::BTreeMap;
use syn::visit::Visit;

/// The most lines of a file.
const FILE: usize = 500;
/// The most lines of a function, from its name to its last brace.
const FUNCTION: usize = 40;

/// The most columns of a line of a comment: what rustfmt does not look at.
const COLUMNS: usize = 120;

/// How many lines of comments of a file are too long.
pub(crate) fn wide_comments(file: &str, text: &str, found: &mut Found) {
    let is_comment = |line: &&str| line.trim_start().starts_with("//") && !line.contains(" | ");
    let wide = text.lines().filter(is_comment).filter(|line| line.chars().count() > COLUMNS).count();
    if wide > 0 {
        found.insert(format!("{file} comments"), wide);
    }
}

/// How many blocks of code stand in the documentation of a file: nobody would run them, as `make test` runs programs of
/// tests only.
pub(crate) fn code_in_documentation(file: &str, text: &str, found: &mut Found) {
    let is_fence = |line: &&str| {
        let line = line.trim_start();
        (line.starts_with("///") || line.starts_with("//!")) && line.contains("```")
    };
    let fences = text.lines().filter(is_fence).count();
    if fences > 0 {
        found.insert(format!("{file} code in documentation"), fences);
    }
}

/// What is too long in a file: its name, or its name and that of the function, with the number of lines.
pub(crate) fn too_long(file: &str, text: &str, parsed: &syn::File, found: &mut Found) {
    let lines = text.lines().count();
    if lines > FILE {
        found.insert(file.to_owned(), lines);
    }
    let mut functions = Functions(BTreeMap::new());
    functions.visit_file(parsed);
    let functions = functions.0.into_iter().filter(|(_, lines)| *lines > FUNCTION);
    found.extend(functions.map(|(name, lines)| (format!("{file} {name}"), lines)));
}

/// The functions of a file by name; of several with one name the longest counts.
struct Functions(BTreeMap<String, usize>);

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.brace_token.span.close().end().line + 1 - signature.fn_token.span.start().line;
        let longest = self.0.entry(signature.ident.to_string()).or_default();
        *longest = lines.max(*longest);
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, function);
    }
}
