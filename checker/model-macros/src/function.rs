//! The function under the attribute.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::error::Error;
use crate::options::{Options, fixed};

/// A function that can be a test.
pub(crate) struct Function {
    /// The function's other attributes, and its visibility.
    before: Vec<TokenTree>,
    name: Ident,
    /// The return type with its arrow, if there is one.
    output: Vec<TokenTree>,
    body: Group,
}

/// The error of an attribute on anything but a function.
const NO_FUNCTION: &str = "`#[model]` makes a test of a function: `fn name() { .. }`";

/// Returns the tokens without the groups in which a macro of the caller has put some.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => found.extend(flat(group.stream())),
            token => found.push(token),
        }
    }
    found
}

/// Whether the token is this sign or word.
fn is(token: Option<&TokenTree>, text: &str) -> bool {
    match token {
        Some(TokenTree::Ident(ident)) => ident.to_string() == text,
        Some(TokenTree::Punct(punct)) => text.chars().eq([punct.as_char()]),
        _ => false,
    }
}

/// Whether the token is a group in these brackets.
fn opens(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

/// Returns the place of a token, or of the attribute.
fn place(token: Option<&TokenTree>) -> Span {
    token.map_or_else(Span::call_site, TokenTree::span)
}

/// Why a test cannot have this word before `fn`.
fn objection(word: &str) -> Option<&'static str> {
    Some(match word {
        "async" => "a model test is no `async fn`: call `future::block_on` in it",
        "const" => "a model test is no `const fn`",
        "unsafe" => "a model test is no `unsafe fn`: its body may have unsafe blocks",
        "extern" => "a model test is no `extern fn`",
        _ => return None,
    })
}

/// Reads a function.
pub(crate) fn parse(item: TokenStream) -> Result<Function, Error> {
    let tokens = flat(item);
    let mut at = 0;
    while is(tokens.get(at), "#") && opens(tokens.get(at + 1), Delimiter::Bracket) {
        if let Some(TokenTree::Group(attribute)) = tokens.get(at + 1)
            && attribute.stream().to_string() == "test"
        {
            return Err(Error::new(place(tokens.get(at)), "`#[model]` makes a test already: leave out `#[test]`"));
        }
        at += 2;
    }
    if is(tokens.get(at), "pub") {
        at += 1 + usize::from(opens(tokens.get(at + 1), Delimiter::Parenthesis));
    }
    let before = tokens[..at].to_vec();
    let objected = match tokens.get(at) {
        Some(TokenTree::Ident(word)) => objection(&word.to_string()),
        _ => None,
    };
    let is_function = tokens[at..].iter().take(5).any(|token| is(Some(token), "fn"));
    if let (Some(message), true) = (objected, is_function) {
        return Err(Error::new(place(tokens.get(at)), message));
    }
    let (true, Some(TokenTree::Ident(name))) = (is(tokens.get(at), "fn"), tokens.get(at + 1)) else {
        return Err(Error::new(place(tokens.get(at)), NO_FUNCTION));
    };
    at += 2;
    if is(tokens.get(at), "<") {
        return Err(Error::new(place(tokens.get(at)), "a model test is not generic"));
    }
    match tokens.get(at) {
        Some(TokenTree::Group(parameters)) if parameters.delimiter() == Delimiter::Parenthesis => {
            if let Some(first) = parameters.stream().into_iter().next() {
                return Err(Error::new(first.span(), "a model test has no parameters"));
            }
        }
        other => return Err(Error::new(place(other), NO_FUNCTION)),
    }
    let output = &tokens[at + 1..];
    match output.split_last() {
        Some((TokenTree::Group(body), output)) if body.delimiter() == Delimiter::Brace => {
            Ok(Function { before, name: name.clone(), output: output.to_vec(), body: body.clone() })
        }
        _ => Err(Error::new(name.span(), "a model test has a body")),
    }
}

impl Function {
    /// Returns the test. The function inside of it keeps its name.
    pub(crate) fn test(self, options: Options) -> TokenStream {
        let name = TokenStream::from(TokenTree::from(self.name.clone()));
        let group = |delimiter, stream| TokenStream::from(TokenTree::from(Group::new(delimiter, stream)));
        let mut inner = TokenStream::from_iter([fixed("fn"), name.clone(), fixed("()")]);
        inner.extend(self.output);
        inner.extend([TokenTree::from(self.body)]);
        let text = self.name.to_string();
        let text = text.strip_prefix("r#").unwrap_or(&text);
        let facts =
            format!("(::core::concat!(::core::module_path!(), \"::{text}\"), ::core::option_env!(\"CARGO_PKG_NAME\"))");
        inner.extend([options.path, fixed("::model::attribute::Test::new"), fixed(&facts), options.calls]);
        inner.extend([fixed(".run"), group(Delimiter::Parenthesis, name.clone()), fixed(";")]);
        let mut test = TokenStream::from_iter(self.before.iter().take_while(|token| !is(Some(token), "pub")).cloned());
        test.extend(fixed("#[::core::prelude::v1::test]"));
        test.extend(self.before.into_iter().skip_while(|token| !is(Some(token), "pub")));
        test.extend([fixed("fn"), name, fixed("()"), group(Delimiter::Brace, inner)]);
        test
    }
}
