//! One name, one type: no two types of the project that several modules can use have the same name.
//!
//! Counted are those that are public or public in their crate. The exceptions are in `xtask/exceptions/types.txt`.

use super::exceptions::Found;
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

/// The names that several types have, with the number of types.
pub(crate) fn ambiguous(types: &BTreeMap<String, BTreeSet<String>>) -> Found {
    let several = types.iter().filter(|(_, files)| files.len() > 1);
    several.map(|(name, files)| (name.clone(), files.len())).collect()
}
