//! The crates of the project as trees of modules, and which module each path in the source leads to.
//!
//! What only tests compile is left out. A name is followed through `use` to the module that defines it. Not seen are
//! names that a macro makes and methods called on a value: neither needs an import.

use proc_macro2::{TokenStream, TokenTree};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

/// Why the source could not be read.
pub(crate) type Error = Box<dyn std::error::Error>;

/// One crate.
pub(crate) struct Crate {
    /// The name of its folder.
    pub(crate) name: String,
    /// Its modules; the first is the root.
    pub(crate) modules: Vec<ModuleNode>,
    /// By module and name: what the name means there, for names looked up before; `None` while it is being looked up.
    known: RefCell<BTreeMap<(usize, String), Option<Target>>>,
}

/// A module: a file, or a part of one.
pub(crate) struct ModuleNode {
    /// The path from the root on; empty for the root itself.
    pub(crate) path: Vec<String>,
    /// The path from the root of the repository on.
    pub(crate) file: String,
    /// Its items without its modules and without tests.
    pub(crate) items: Vec<Item>,
    /// The position of the module that it is in.
    pub(crate) parent: Option<usize>,
    /// By name, the positions of the modules in this one.
    pub(crate) children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    imports: Vec<Import>,
}

struct Import {
    /// `None` for a glob.
    name: Option<String>,
    path: Vec<String>,
    public: bool,
}

impl ModuleNode {
    /// Of what is imported, the paths without the last name, and whole where everything is.
    pub(crate) fn imported(&self) -> impl Iterator<Item = &[String]> {
        let owner = |import: &'_ Import| import.path.len().saturating_sub(usize::from(import.name.is_some()));
        self.imports.iter().map(move |import| &import.path[..owner(import)])
    }
}

/// What a path leads to.
#[derive(Clone, Copy)]
struct Target {
    module: usize,
    /// True if the path leads to the module itself, not to something in it.
    is_module: bool,
}

/// One file that uses another one.
pub(crate) struct Edge {
    /// The position of the module that uses.
    pub(crate) from: usize,
    /// The position of the module that defines what is used.
    pub(crate) to: usize,
    /// The path by which it is used.
    pub(crate) path: String,
}

/// True for what only tests compile.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            condition == "test" || condition.starts_with("all(test")
        }
        meta => meta.path().is_ident("test"),
    })
}

/// The attributes of an item.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}

impl Crate {
    /// Reads the crate whose sources lie in `folder`, below the repository's `root`.
    pub(crate) fn load(root: &Path, name: &str, folder: &str) -> Result<Crate, Error> {
        let mut found = Crate { name: name.to_owned(), modules: Vec::new(), known: RefCell::default() };
        let folder = root.join(folder);
        let start = ["lib.rs", "main.rs"].into_iter().map(|file| folder.join(file)).find(|file| file.exists());
        let start = start.ok_or_else(|| format!("{} has neither lib.rs nor main.rs", folder.display()))?;
        found.load_file(root, &start, &folder, Vec::new(), None)?;
        Ok(found)
    }

    /// `folder` is where the files of its modules lie.
    fn load_file(
        &mut self,
        root: &Path,
        file: &Path,
        folder: &Path,
        path: Vec<String>,
        parent: Option<usize>,
    ) -> Result<usize, Error> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        self.load_items(root, file, folder, path, parent, parsed.items)
    }

    fn load_items(
        &mut self,
        root: &Path,
        file: &Path,
        folder: &Path,
        path: Vec<String>,
        parent: Option<usize>,
        items: Vec<Item>,
    ) -> Result<usize, Error> {
        let here = self.modules.len();
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        let (mut imports, mut children, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for item in items.into_iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(module) => children.push(module),
                Item::Use(item) => flatten(&item, &mut imports),
                item => kept.push(item),
            }
        }
        let defined = kept.iter().filter_map(name_of).collect();
        let own = BTreeMap::new();
        self.modules.push(ModuleNode { path, file: shown, items: kept, parent, children: own, defined, imports });
        for module in children {
            self.load_child(root, file, folder, here, module)?;
        }
        Ok(here)
    }

    fn load_child(
        &mut self,
        root: &Path,
        file: &Path,
        folder: &Path,
        parent: usize,
        module: syn::ItemMod,
    ) -> Result<(), Error> {
        let name = module.ident.to_string();
        let mut path = self.modules[parent].path.clone();
        // Of two modules of one name, one of which is compiled, the first is the one that paths lead to.
        let again = self.modules[parent].children.contains_key(&name);
        path.push(if again { format!("another {name}") } else { name.clone() });
        let folder_of = folder.join(&name);
        let child = match module.content {
            Some((_, items)) => self.load_items(root, file, &folder_of, path, Some(parent), items)?,
            None => {
                let file = file_of(&module.attrs, file, folder, &name);
                let folder = if file.ends_with("mod.rs") { file.parent().unwrap_or(folder) } else { &folder_of };
                self.load_file(root, &file, folder, path, Some(parent))?
            }
        };
        self.modules[parent].children.entry(name).or_insert(child);
        Ok(())
    }

    /// The module that a path means, seen from `from`; `None` if it leads out of the crate.
    fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        let mut at = match path.first()?.as_str() {
            "crate" => Target { module: 0, is_module: true },
            "self" => Target { module: from, is_module: true },
            "super" => Target { module: self.modules[from].parent?, is_module: true },
            name => self.lookup(from, name)?,
        };
        for name in &path[1..] {
            if !at.is_module {
                break;
            }
            at = match name.as_str() {
                "super" => Target { module: self.modules[at.module].parent?, is_module: true },
                "self" => at,
                name => self.lookup(at.module, name).unwrap_or(Target { module: at.module, is_module: false }),
            };
        }
        Some(at)
    }

    /// The position of the module that defines what a path leads to, seen from `from`; `None` if it leads out of the
    /// crate.
    pub(crate) fn definer(&self, from: usize, path: &[String]) -> Option<usize> {
        self.resolve(from, path).map(|target| target.module)
    }

    /// What `name` means in a module.
    fn lookup(&self, module: usize, name: &str) -> Option<Target> {
        let place = &self.modules[module];
        if let Some(&child) = place.children.get(name) {
            return Some(Target { module: child, is_module: true });
        }
        if place.defined.contains(name) {
            return Some(Target { module, is_module: false });
        }
        let key = (module, name.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        self.known.borrow_mut().insert(key.clone(), None);
        let found = self.lookup_imported(module, name);
        self.known.borrow_mut().insert(key, found);
        found
    }

    fn lookup_imported(&self, module: usize, name: &str) -> Option<Target> {
        let imports = &self.modules[module].imports;
        if let Some(import) = imports.iter().find(|import| import.name.as_deref() == Some(name)) {
            return self.resolve(module, &import.path);
        }
        let globs = imports.iter().filter(|import| import.name.is_none());
        let targets = globs.filter_map(|glob| self.resolve(module, &glob.path));
        targets.filter(|target| target.is_module).find_map(|target| self.lookup(target.module, name))
    }

    fn is_below(&self, module: usize, above: usize) -> bool {
        module != above && self.modules[module].path.starts_with(&self.modules[above].path)
    }

    /// Every use of one module's items by another one in another file. What a module passes on of the modules below it
    /// (`pub use`) is no use: the module is the interface of its folder.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, module) in self.modules.iter().enumerate() {
            let mut add = |path: &[String], passed_on: bool| {
                let Some(target) = self.resolve(from, path) else { return };
                let face = passed_on && self.is_below(target.module, from);
                let elsewhere = self.modules[target.module].file != module.file;
                if !target.is_module && !face && elsewhere {
                    edges.push(Edge { from, to: target.module, path: path.join("::") });
                }
            };
            for import in &module.imports {
                add(&import.path, import.public);
            }
            for mention in mentions(&module.items) {
                add(&mention, false);
            }
        }
        edges
    }
}

fn file_of(attributes: &[Attribute], file: &Path, folder: &Path, name: &str) -> PathBuf {
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("path")
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = &pair.value
        {
            return file.parent().unwrap_or(folder).join(path.value());
        }
    }
    let flat = folder.join(name).with_extension("rs");
    if flat.exists() { flat } else { folder.join(name).join("mod.rs") }
}

fn flatten(item: &ItemUse, into: &mut Vec<Import>) {
    let public = !matches!(item.vis, Visibility::Inherited);
    flatten_tree(&item.tree, &mut Vec::new(), public, into);
}

fn flatten_tree(tree: &UseTree, prefix: &mut Vec<String>, public: bool, into: &mut Vec<Import>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten_tree(&path.tree, prefix, public, into);
            prefix.pop();
        }
        UseTree::Name(name) => into.push(import(prefix, &name.ident.to_string(), None, public)),
        UseTree::Rename(name) => {
            into.push(import(prefix, &name.ident.to_string(), Some(name.rename.to_string()), public));
        }
        UseTree::Glob(_) => into.push(Import { name: None, path: prefix.clone(), public }),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten_tree(tree, prefix, public, into)),
    }
}

fn import(prefix: &[String], ident: &str, renamed: Option<String>, public: bool) -> Import {
    let mut path = prefix.to_vec();
    if ident != "self" {
        path.push(ident.to_owned());
    }
    let name = renamed.or_else(|| path.last().cloned());
    Import { name, path, public }
}

/// All paths of two names and more in these items, those inside macros included.
fn mentions(items: &[Item]) -> Vec<Vec<String>> {
    let mut mentions = Mentions(Vec::new());
    items.iter().for_each(|item| mentions.visit_item(item));
    mentions.0
}

struct Mentions(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            syn::visit::visit_impl_item_fn(self, function);
        }
    }

    /// A `use` inside a function.
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut imports = Vec::new();
        flatten(item, &mut imports);
        self.0.extend(imports.into_iter().map(|import| import.path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        paths_in_tokens(call.tokens.clone(), &mut self.0);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn paths_in_tokens(tokens: TokenStream, into: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    // How many colons stand behind the path so far.
    let mut colons = 0;
    let mut end = |path: &mut Vec<String>| {
        let path = std::mem::take(path);
        if !path.is_empty() {
            into.push(path);
        }
    };
    let mut groups = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    end(&mut path);
                }
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
            TokenTree::Group(group) => {
                end(&mut path);
                groups.push(group.stream());
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => end(&mut path),
        }
    }
    end(&mut path);
    groups.into_iter().for_each(|tokens| paths_in_tokens(tokens, into));
}
