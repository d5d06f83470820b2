//! One name, one type: no two types of the project that several modules can use have the same name.
//!
//! Counted are those that are public or public in their crate. There are no exceptions.

use super::source::Crate;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Ident, Item, Visibility};

/// The types of a crate that have a name of their own, with their files.
pub(crate) fn public_types(found: &Crate, into: &mut BTreeMap<String, BTreeSet<String>>) {
    for module in &found.modules {
        for (visibility, name) in module.items.iter().filter_map(declared) {
            let shared = match visibility {
                Visibility::Public(_) => true,
                Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
                Visibility::Inherited => false,
            };
            if shared {
                into.entry(name.to_string()).or_default().insert(module.file.clone());
            }
        }
    }
}

fn declared(item: &Item) -> Option<(&Visibility, &Ident)> {
    match item {
        Item::Enum(item) => Some((&item.vis, &item.ident)),
        Item::Struct(item) => Some((&item.vis, &item.ident)),
        Item::Trait(item) => Some((&item.vis, &item.ident)),
        Item::Type(item) => Some((&item.vis, &item.ident)),
        Item::Union(item) => Some((&item.vis, &item.ident)),
        _ => None,
    }
}

/// For each name that several types have, which files define one.
pub(crate) fn ambiguous(types: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let several = types.iter().filter(|(_, files)| files.len() > 1);
    let files = |files: &BTreeSet<String>| files.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    several.map(|(name, found)| format!("{name}: several public types have this name, in {}", files(found))).collect()
}
