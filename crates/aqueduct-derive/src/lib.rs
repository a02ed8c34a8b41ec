//! `#[derive(Plain)]` of the crate `aqueduct`, whose feature `derive` exports it.

mod plain;

/// Implements `aqueduct::plain::Plain`, and checks at compile time that it may.
///
/// For structs that are `repr(C)` or `repr(transparent)` and have no type parameters: each field is
/// `Plain`, and nothing lies between or behind the fields. For enums without fields that are
/// `repr(u8)` or of another integer. The type has to be `Copy`, too.
#[proc_macro_derive(Plain)]
pub fn derive_plain(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let expanded = syn::parse(item).and_then(|item| plain::implementation(&item));
    expanded.unwrap_or_else(|error| error.into_compile_error()).into()
}
