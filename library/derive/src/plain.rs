//! The expansion of `#[derive(Plain)]`, or the error why the type is not plain.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Result};

/// The representations of an enum whose values are one integer.
const INTEGERS: [&str; 12] = ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Returns the implementation of `Plain`, with the checks that make it sound.
///
/// # Errors
/// If the type's form shows that it is not plain.
pub(crate) fn implementation(item: &DeriveInput) -> Result<TokenStream> {
    let name = &item.ident;
    let refuse = |message: &str| Err(Error::new_spanned(name, format!("`{name}` is not plain: {message}")));
    if item.generics.params.iter().any(|param| !matches!(param, GenericParam::Const(_))) {
        return refuse("with type or lifetime parameters, its padding is not known");
    }
    let representations = representations(item)?;
    let is = |wanted: &[&str]| representations.iter().any(|one| wanted.contains(&one.as_str()));
    let checks = match &item.data {
        Data::Struct(data) => {
            if !is(&["C", "transparent"]) {
                return refuse("its layout is not fixed; add `#[repr(C)]` or `#[repr(transparent)]`");
            }
            if !item.generics.params.is_empty() {
                return refuse("with parameters, its padding is not known");
            }
            fields_are_plain(item, &data.fields)
        }
        Data::Enum(data) => {
            if data.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit)) {
                return refuse("its variants have fields, and may have padding");
            }
            if !is(&INTEGERS) {
                return refuse("its layout is not fixed; add `#[repr(u8)]` or that of another integer");
            }
            TokenStream::new()
        }
        Data::Union(_) => return refuse("a union may have bytes that are not initialised"),
    };
    let (implementation, types, bounds) = item.generics.split_for_impl();
    Ok(quote! {
        #checks

        // SAFETY: by the checks, all bytes are those of plain fields, or of one integer.
        #[automatically_derived]
        unsafe impl #implementation ::aqueduct::plain::Plain for #name #types #bounds {}
    })
}

/// Returns the words of all `repr` attributes, without their arguments.
fn representations(item: &DeriveInput) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            found.extend(meta.path.get_ident().map(ToString::to_string));
            if meta.input.peek(syn::token::Paren) {
                let argument;
                syn::parenthesized!(argument in meta.input);
                argument.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Returns checks that each field is plain, and that there is no padding.
fn fields_are_plain(item: &DeriveInput, fields: &Fields) -> TokenStream {
    let name = &item.ident;
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let padding = format!("`{name}` is not plain: there is padding between its fields or behind them");
    quote! {
        const _: () = {
            const fn is_plain<T: ::aqueduct::plain::Plain>() {}
            #(is_plain::<#types>();)*
            ::core::assert!(
                ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#types>())*,
                #padding
            );
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let item = syn::parse_str(text).expect("an item");
        implementation(&item).expect_err("it is not plain").to_string()
    }

    fn accepted(text: &str) -> String {
        let item = syn::parse_str(text).expect("an item");
        implementation(&item).expect("its form is plain").to_string()
    }

    #[test]
    fn types_of_no_fixed_layout_are_refused_with_what_to_do() {
        let text = "`Event` is not plain: its layout is not fixed; add `#[repr(C)]` or `#[repr(transparent)]`";
        assert_eq!(refusal("struct Event { time: u64 }"), text);
        assert_eq!(refusal("#[repr(align(8))] struct Event(u64);"), text);
        let text = "`Kind` is not plain: its layout is not fixed; add `#[repr(u8)]` or that of another integer";
        assert_eq!(refusal("enum Kind { One, Two }"), text);
        assert_eq!(refusal("#[repr(C)] enum Kind { One, Two }"), text);
    }

    #[test]
    fn what_may_have_padding_in_some_of_its_forms_is_refused() {
        assert!(refusal("#[repr(C)] struct Pair<T>(T, T);").contains("type or lifetime parameters"));
        assert!(refusal("#[repr(C)] struct Name<'a>(&'a str);").contains("type or lifetime parameters"));
        assert!(refusal("#[repr(C)] struct Many<const N: usize>([u8; N], u32);").contains("with parameters"));
        assert!(refusal("#[repr(u8)] enum Kind { One(u32), Two }").contains("variants have fields"));
        assert!(refusal("#[repr(C)] union Either { one: u8, other: u32 }").contains("union"));
    }

    #[test]
    fn fields_are_checked_and_counted() {
        for text in [
            "#[repr(C)] struct Event { time: u64, kind: u32, value: f32 }",
            "#[repr(C, packed(2))] struct Event(u64, u32, f32);",
            "#[repr(C)] #[repr(align(16))] struct Event(u64, u32, f32);",
        ] {
            let expanded = accepted(text);
            for part in ["is_plain :: < u64 >", "is_plain :: < u32 >", "size_of :: < f32 >", "padding between"] {
                assert!(expanded.contains(part), "{part} in {expanded}");
            }
        }
        assert!(accepted("#[repr(transparent)] struct Id(u32);").contains("Plain for Id"));
        assert!(accepted("#[repr(C)] struct Nothing;").contains("size_of :: < Nothing > () == 0"));
        assert!(accepted("#[repr(i16)] enum Kind { One = -1, Two }").contains("Plain for Kind"));
    }
}
