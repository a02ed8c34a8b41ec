//! The attribute `#[model]` of the crate `aqueduct-model`, which exports it.
//!
//! It depends on nothing, so that the first build stays short.

mod error;
mod function;
mod options;

use proc_macro::TokenStream;

/// Makes a test that does what
/// [`model`](https://docs.rs/aqueduct-model/latest/aqueduct_model/fn.model.html) does with the
/// function's body.
///
/// If the test fails, it prints the command that replays the failure. The examples are at the name
/// under which `aqueduct-model` exports the attribute.
///
/// The function has no parameters, and returns nothing or a `Result<(), E>`. Other attributes, such
/// as `#[ignore]`, stay on the test.
///
/// # Options
///
/// | option | effect |
/// | --- | --- |
/// | `fails` | the test passes if an execution fails, and fails if none does |
/// | `fails = "data race"` | the failure's message must have this text, too |
/// | `exhaustive` | the test fails if a limit, a cut or an option left executions out |
/// | `max_executions = 1_000` | stops after this number of executions |
/// | `max_preemptions = 2` | leaves out executions that need more preemptions |
/// | `time_limit = Duration::from_secs(5)` | stops after this time |
/// | `max_events = 20_000` | the largest number of an execution's events |
/// | `random = 1_000` | explores this number of executions, picked by chance, instead of all |
/// | `crate = loom` | the checker's path, where it is not `::aqueduct_model` |
///
/// They override the variables of the environment.
#[proc_macro_attribute]
pub fn model(options: TokenStream, item: TokenStream) -> TokenStream {
    let test = options::parse(options).and_then(|options| Ok(function::parse(item)?.test(options)));
    test.unwrap_or_else(error::Error::tokens)
}
