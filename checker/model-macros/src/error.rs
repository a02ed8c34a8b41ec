//! Errors at a place in the source.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// An error and its place.
#[derive(Debug)]
pub(crate) struct Error {
    message: String,
    place: Span,
}

impl Error {
    pub(crate) fn new(place: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), place }
    }

    /// Returns the item that makes the compiler print the error.
    pub(crate) fn tokens(self) -> TokenStream {
        let message = TokenTree::from(Literal::string(&self.message));
        let mut tokens = [
            TokenTree::from(Ident::new("compile_error", self.place)),
            Punct::new('!', Spacing::Alone).into(),
            Group::new(Delimiter::Brace, message.into()).into(),
        ];
        tokens.iter_mut().for_each(|token| token.set_span(self.place));
        tokens.into_iter().collect()
    }
}
