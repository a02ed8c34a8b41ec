//! `#[derive(Plain)]` of the crate `aqueduct`, whose feature `derive` exports it.

mod plain;

/// Implements `aqueduct::plain::Plain`, and checks at compile time that it may.
///
/// A struct is `repr(C)` or `repr(transparent)` and has no type parameters, each field is `Plain`, and no
/// padding lies between or behind the fields. An enum has no fields, and is `repr(u8)` or of another integer.
/// The type must be `Copy`, too.
#[proc_macro_derive(Plain)]
pub fn derive_plain(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let expanded = syn::parse(item).and_then(|item| plain::implementation(&item));
    expanded.unwrap_or_else(|error| error.into_compile_error()).into()
}
