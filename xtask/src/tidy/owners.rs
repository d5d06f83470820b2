//! No function of the guest both has a value that owns memory of the engine's heap and comes to a visible operation.
//!
//! A checkpoint may be taken at each visible operation. It brings back the stack of the thread, but not the engine's
//! heap: a `String` that lives there across the operation would be read and freed again in each run that goes on from
//! the checkpoint. Two properties of a function are found by what it calls, by name:
//!
//! - It *operates* if it calls one of [`OPERATING`], or a function of the guest that operates.
//! - It *owns* if it makes such a value, is passed one, or calls a function of the guest that returns one. What owns is
//!   [`OWNING`], and the types of the guest with a part that does.
//!
//! A method that is called on a value is each method of its name, as the type of the value is not known here. Left out
//! ([`ELSEWHERE`]) is what runs on the engine's own stacks, which no checkpoint brings back, and the platform, which
//! comes to no operation but through `Upcalls`. The exceptions are in `xtask/exceptions/owners.txt`.

use super::exceptions::Found;
use super::source::{Crate, attributes, is_test};
use std::collections::BTreeSet;
use syn::visit::Visit;
use syn::{Expr, FnArg, Item, Pat, ReceiverKind, ReturnType, Type};

/// Where a thread gives way to others, or to a checkpoint. The first one is made by a macro.
const OPERATING: &[&str] = &["decide_on_service_stack", "engine::step::switch_to", "engine::pause::pause"];
const OWNING: &[&str] = &["String", "Vec", "Box", "BTreeMap", "BTreeSet", "VecDeque", "Cow", "Rc"];
const OWNING_MACROS: &[&str] = &["format", "vec"];
/// Methods of the standard library that return such a value.
const OWNING_METHODS: &[&str] =
    &["to_string", "to_owned", "into_owned", "to_vec", "collect", "to_string_lossy", "clone", "into_boxed_slice"];
const ELSEWHERE: &[&str] = &["guest/src/search/", "guest/src/selftest/", "guest/src/platform/"];

/// By what a function is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    /// Its path.
    Free(String),
    /// The type of which it is a method, and its name.
    Of(String, String),
    /// Its name, as a method of a value.
    Method(String),
}

struct Function {
    place: String,
    names: Vec<Called>,
    calls: BTreeSet<Called>,
    /// It makes an owning value itself, or is passed one.
    owns: bool,
    /// It returns one.
    gives: bool,
}

/// The functions of a crate that own and operate.
pub(crate) fn owners_that_operate(found: &Crate, into: &mut Found) {
    if found.name != "guest" {
        return;
    }
    let items = found.modules.iter().flat_map(|module| &module.items).collect::<Vec<_>>();
    let owning = owning_types(&items);
    let mut functions = Functions { found, owning: &owning, module: 0, own: None, functions: Vec::new() };
    for (at, module) in found.modules.iter().enumerate() {
        functions.module = at;
        if !ELSEWHERE.iter().any(|folder| module.file.starts_with(folder)) {
            module.items.iter().for_each(|item| functions.visit_item(item));
        }
    }
    let functions = functions.functions;
    let roots = OPERATING.iter().map(|name| Called::Free((*name).to_owned())).collect();
    let operating = callers(&functions, roots);
    let giving = functions.iter().filter(|function| function.gives).flat_map(|function| function.names.clone());
    let giving: BTreeSet<_> = giving.collect();
    for function in &functions {
        let owns = function.owns || !function.calls.is_disjoint(&giving);
        if owns && !function.calls.is_disjoint(&operating) {
            *into.entry(function.place.clone()).or_default() += 1;
        }
    }
}

/// The names of all functions that call one of these, at whatever distance, and these.
fn callers(functions: &[Function], mut known: BTreeSet<Called>) -> BTreeSet<Called> {
    loop {
        let before = known.len();
        let new = functions.iter().filter(|function| !function.calls.is_disjoint(&known));
        let new: Vec<_> = new.flat_map(|function| function.names.clone()).collect();
        known.extend(new);
        if known.len() == before {
            return known;
        }
    }
}

/// The names of the types with an owning part.
fn owning_types(items: &[&Item]) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = OWNING.iter().map(|name| (*name).to_owned()).collect();
    loop {
        let before = known.len();
        for item in items {
            let (name, mut fields): (_, Box<dyn Iterator<Item = &syn::Field>>) = match item {
                Item::Struct(item) => (&item.ident, Box::new(item.fields.iter())),
                Item::Enum(item) => (&item.ident, Box::new(item.variants.iter().flat_map(|variant| &variant.fields))),
                _ => continue,
            };
            if fields.any(|field| is_owning(&field.ty, &known)) {
                known.insert(name.to_string());
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// Whether a value of the type owns, other than behind a reference or a pointer.
fn is_owning(of: &Type, owning: &BTreeSet<String>) -> bool {
    match of {
        Type::Path(path) => path.path.segments.iter().any(|segment| {
            let inside = match &segment.arguments {
                syn::PathArguments::AngleBracketed(inside) => inside.args.iter().any(|argument| match argument {
                    syn::GenericArgument::Type(of) => is_owning(of, owning),
                    _ => false,
                }),
                _ => false,
            };
            inside || owning.contains(&segment.ident.to_string())
        }),
        Type::Tuple(tuple) => tuple.elems.iter().any(|of| is_owning(of, owning)),
        Type::Array(array) => is_owning(&array.elem, owning),
        Type::Paren(inner) => is_owning(&inner.elem, owning),
        _ => false,
    }
}

struct Functions<'a> {
    found: &'a Crate,
    owning: &'a BTreeSet<String>,
    module: usize,
    /// In an `impl`: its type, and whether that owns.
    own: Option<(String, bool)>,
    functions: Vec<Function>,
}

impl Functions<'_> {
    fn is_owning(&self, of: &Type) -> bool {
        let is_own = matches!(of, Type::Path(path) if path.path.is_ident("Self"));
        is_own && self.own_type_owns() || is_owning(of, self.owning)
    }

    fn own_type_owns(&self) -> bool {
        self.own.as_ref().is_some_and(|(_, owns)| *owns)
    }

    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let name = signature.ident.to_string();
        let module = &self.found.modules[self.module];
        let place = format!("{} {name}", module.file);
        let names = match &self.own {
            Some((of, _)) => vec![Called::Of(of.clone(), name.clone()), Called::Method(name)],
            None => vec![Called::Free(path_of(&module.path, &name))],
        };
        let mut body = Body { functions: self, locals: BTreeSet::new(), calls: BTreeSet::new(), owns: false };
        signature.inputs.iter().for_each(|argument| body.visit_fn_arg(argument));
        body.visit_block(block);
        let (calls, owns) = (body.calls, body.owns);
        let passed = signature.inputs.iter().any(|argument| match argument {
            FnArg::Typed(argument) => self.is_owning(&argument.ty),
            FnArg::Receiver(own) => !matches!(own.kind, ReceiverKind::Reference(..)) && self.own_type_owns(),
        });
        let gives = match &signature.output {
            ReturnType::Type(_, of) => self.is_owning(of),
            ReturnType::Default => false,
        };
        self.functions.push(Function { place, names, calls, owns: owns || passed, gives });
    }
}

fn path_of(module: &[String], name: &str) -> String {
    module.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::")
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        let outside = self.own.take();
        if let Item::Impl(item) = item
            && let Type::Path(path) = &*item.self_ty
        {
            let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            self.own = Some((name, is_owning(&item.self_ty, self.owning)));
        }
        syn::visit::visit_item(self, item);
        self.own = outside;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            self.add(&function.sig, &function.block);
        }
    }
}

/// What the body of a function calls and makes. Functions inside of it count as parts of it.
struct Body<'a, 'b> {
    functions: &'a Functions<'b>,
    /// Names of its variables, which may be those of functions elsewhere.
    locals: BTreeSet<String>,
    calls: BTreeSet<Called>,
    owns: bool,
}

impl Body<'_, '_> {
    /// A function that is called, or passed to another one, or a type of which a value is made.
    fn path(&mut self, path: &syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some((name, before)) = names.split_last() else { return };
        let is_type = |name: &&String| name.starts_with(|first: char| first.is_uppercase());
        let Functions { found, owning, own, .. } = self.functions;
        if let Some(of) = before.last().filter(is_type) {
            let of = own.as_ref().filter(|_| of == "Self").map_or(of, |(own, _)| own);
            self.owns |= OWNING.contains(&of.as_str());
            self.calls.insert(Called::Of(of.clone(), name.clone()));
        } else if owning.contains(name) {
            self.owns = true;
        } else if !(before.is_empty() && self.locals.contains(name)) {
            let definer = found.definer(self.functions.module, &names);
            self.calls.insert(Called::Free(match definer {
                Some(module) => path_of(&found.modules[module].path, name),
                None => name.clone(),
            }));
        }
    }
}

impl<'ast> Visit<'ast> for Body<'_, '_> {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(pattern) = pattern {
            self.locals.insert(pattern.ident.to_string());
        }
        syn::visit::visit_pat(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Path(path) => self.path(&path.path),
            Expr::Struct(made) => self.path(&made.path),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                self.owns |= OWNING_METHODS.contains(&name.as_str());
                self.calls.insert(Called::Method(name));
            }
            _ => {}
        }
        syn::visit::visit_expr(self, expression);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        self.owns |= name.is_some_and(|name| OWNING_MACROS.contains(&name.as_str()));
    }
}
