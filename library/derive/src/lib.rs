//! `#[derive(Plain)]` of the crate `aqueduct`, whose feature `derive` exports it.

mod plain;

/// Implements `aqueduct::plain::Plain`, and checks at compile time that this is sound.
///
/// A struct must be `repr(C)` or `repr(transparent)`, without type parameters. Each field must be
/// `Plain`, and there must be no padding between or behind the fields. An enum must have no fields,
/// and be `repr(u8)` or that of another integer. The type must be `Copy`, too.
#[proc_macro_derive(Plain)]
pub fn derive_plain(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let expanded = syn::parse(item).and_then(|item| plain::implementation(&item));
    expanded.unwrap_or_else(|error| error.into_compile_error()).into()
}
