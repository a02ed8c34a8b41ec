//! The options between the attribute's parentheses.

use proc_macro::{Span, TokenStream, TokenTree};

use crate::error::Error;

/// The form of an option's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Never,
    Maybe,
    Always,
}

/// The options, and their forms in messages. All but `crate` are methods of
/// `model::attribute::Test`.
const KNOWN: [(&str, Value); 8] = [
    ("fails", Value::Maybe),
    ("exhaustive", Value::Never),
    ("max_executions", Value::Always),
    ("max_preemptions", Value::Always),
    ("time_limit", Value::Always),
    ("max_events", Value::Always),
    ("random", Value::Always),
    ("crate", Value::Always),
];

/// The options of a test.
pub(crate) struct Options {
    /// The path of the checker.
    pub(crate) path: TokenStream,
    /// Calls of the methods that set the other options.
    pub(crate) calls: TokenStream,
}

/// Splits tokens at their commas. Parentheses hide commas, the angle brackets of types do not.
fn parts(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => parts.last_mut().expect("there is one").push(token),
        }
    }
    // After the last comma.
    if parts.last().is_some_and(Vec::is_empty) {
        parts.pop();
    }
    parts
}

/// Returns the names for a message: "`a`, `b` and `c`".
fn names() -> String {
    let names: Vec<String> = KNOWN.iter().map(|(name, _)| format!("`{name}`")).collect();
    let (last, others) = names.split_last().expect("there are options");
    format!("{} and {last}", others.join(", "))
}

pub(crate) fn parse(tokens: TokenStream) -> Result<Options, Error> {
    let mut found: Vec<String> = Vec::new();
    let mut options = Options { path: fixed("::aqueduct_model"), calls: TokenStream::new() };
    for part in parts(tokens) {
        let Some(TokenTree::Ident(name)) = part.first() else {
            let place = part.first().map_or_else(Span::call_site, TokenTree::span);
            return Err(Error::new(place, format!("this is no option of `#[model]`: there are {}", names())));
        };
        let (place, name) = (name.span(), name.to_string());
        let Some(&(_, value)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            let message = format!("`#[model]` has no option `{name}`: there are {}", names());
            return Err(Error::new(place, message));
        };
        if found.contains(&name) {
            return Err(Error::new(place, format!("the option `{name}` is there twice")));
        }
        let value = match (part.get(1), value) {
            (None, Value::Always) => return Err(Error::new(place, format!("the option needs a value: `{name} = ..`"))),
            (None, _) => TokenStream::new(),
            (Some(_), Value::Never) => return Err(Error::new(place, format!("the option `{name}` has no value"))),
            (Some(TokenTree::Punct(sign)), _) if sign.as_char() == '=' && part.len() > 2 => {
                part.into_iter().skip(2).collect()
            }
            (Some(_), _) => return Err(Error::new(place, format!("a value is written as `{name} = ..`"))),
        };
        match &*name {
            "crate" => options.path = value,
            "fails" if value.is_empty() => options.calls.extend(call(&name, place, fixed("\"\""))),
            _ => options.calls.extend(call(&name, place, value)),
        }
        found.push(name);
    }
    Ok(options)
}

/// Returns `.name(value)`, at the option's place, where an error of its type is shown.
fn call(name: &str, place: Span, value: TokenStream) -> TokenStream {
    use proc_macro::{Delimiter, Group, Ident, Punct, Spacing};
    let mut group = Group::new(Delimiter::Parenthesis, value);
    group.set_span(place);
    let call: [TokenTree; 3] = [Punct::new('.', Spacing::Alone).into(), Ident::new(name, place).into(), group.into()];
    call.into_iter().collect()
}

/// Returns the tokens of a text of this crate.
pub(crate) fn fixed(text: &str) -> TokenStream {
    text.parse().expect("what is written here are tokens")
}
