//! The attribute `#[model]` of the crate `aqueduct-model`, which exports it.
//!
//! It depends on nothing, so that the first build stays short.

mod error;
mod function;
mod options;

use proc_macro::TokenStream;

/// Makes a test of a function: each execution of its body is explored.
///
/// The test does what [`model`](https://docs.rs/aqueduct-model/latest/aqueduct_model/fn.model.html) does
/// with the body. If it fails, it prints the command that replays the failure.
///
/// ```
/// use aqueduct_model::sync::Arc;
/// use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use aqueduct_model::{model, thread};
///
/// #[model]
/// fn two_threads_count() {
///     let count = Arc::new(AtomicUsize::new(0));
///     let other = Arc::clone(&count);
///     let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
///     count.fetch_add(1, Relaxed);
///     thread.join().unwrap();
///     assert_eq!(count.load(Relaxed), 2);
/// }
/// ```
///
/// The function has no parameters, and returns nothing or a `Result<(), E>`. Other attributes, such as
/// `#[ignore]`, stay on the test.
///
/// # Options
///
/// | option | what it does |
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
/// What they say comes before the variables of the environment.
///
/// ```
/// # use aqueduct_model::{cell::UnsafeCell, model, thread};
/// #[model(fails = "data race")]
/// fn two_threads_write() {
///     // ..
/// }
/// ```
///
/// # What it refuses
///
/// Parameters:
/// ```compile_fail
/// #[aqueduct_model::model]
/// fn test(number: usize) {}
/// ```
/// A function that is `async`, `const` or `unsafe`:
/// ```compile_fail
/// #[aqueduct_model::model]
/// async fn test() {}
/// ```
/// An option that it does not know, or that comes twice:
/// ```compile_fail
/// #[aqueduct_model::model(fail)]
/// fn test() {}
/// ```
/// A second `#[test]`:
/// ```compile_fail
/// #[aqueduct_model::model]
/// #[test]
/// fn test() {}
/// ```
#[proc_macro_attribute]
pub fn model(options: TokenStream, item: TokenStream) -> TokenStream {
    let test = options::parse(options).and_then(|options| Ok(function::parse(item)?.test(options)));
    test.unwrap_or_else(error::Error::tokens)
}
