//! rayon-core's interface from before `ThreadPoolBuilder`.

#![allow(deprecated, reason = "it is deprecated as a whole")]

use std::any::Any;
use std::error::Error;
use std::fmt;

use aqueduct_pool::{ThreadPool, ThreadPoolBuilder};

/// The contents of a [`ThreadPoolBuilder`].
///
/// ```
/// # #![allow(deprecated)]
/// let pool = rayon_core::Configuration::new().num_threads(2).build()?;
/// assert_eq!(pool.current_num_threads(), 2);
/// let pool = rayon_core::ThreadPool::new(rayon_core::Configuration::new().num_threads(3))?;
/// assert_eq!(pool.current_num_threads(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Default)]
pub struct Configuration {
    builder: ThreadPoolBuilder,
}

impl Configuration {
    /// Works as [`ThreadPoolBuilder::new`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Works as [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// If [`ThreadPoolBuilder::build`] fails.
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.builder.build().map_err(Box::from)
    }

    fn map(self, change: impl FnOnce(ThreadPoolBuilder) -> ThreadPoolBuilder) -> Self {
        Self { builder: change(self.builder) }
    }

    /// Works as [`ThreadPoolBuilder::thread_name`].
    #[must_use]
    pub fn thread_name<F>(self, name: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.map(|builder| builder.thread_name(name))
    }

    /// Works as [`ThreadPoolBuilder::num_threads`].
    #[must_use]
    pub fn num_threads(self, num_threads: usize) -> Self {
        self.map(|builder| builder.num_threads(num_threads))
    }

    /// Works as [`ThreadPoolBuilder::panic_handler`].
    #[must_use]
    pub fn panic_handler<H>(self, handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.map(|builder| builder.panic_handler(handler))
    }

    /// Works as [`ThreadPoolBuilder::stack_size`].
    #[must_use]
    pub fn stack_size(self, stack_size: usize) -> Self {
        self.map(|builder| builder.stack_size(stack_size))
    }

    /// Works as [`ThreadPoolBuilder::breadth_first`].
    #[must_use]
    pub fn breadth_first(self) -> Self {
        self.map(ThreadPoolBuilder::breadth_first)
    }

    /// Works as [`ThreadPoolBuilder::start_handler`].
    #[must_use]
    pub fn start_handler<H>(self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.map(|builder| builder.start_handler(handler))
    }

    /// Works as [`ThreadPoolBuilder::exit_handler`].
    #[must_use]
    pub fn exit_handler<H>(self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.map(|builder| builder.exit_handler(handler))
    }
}

/// For [`ThreadPool::new`], whose argument a configuration is.
impl From<Configuration> for ThreadPoolBuilder {
    fn from(configuration: Configuration) -> Self {
        configuration.builder
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.builder.fmt(f)
    }
}

/// Works as [`ThreadPoolBuilder::build_global`].
///
/// # Errors
/// If [`ThreadPoolBuilder::build_global`] fails.
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
pub fn initialize(configuration: Configuration) -> Result<(), Box<dyn Error>> {
    configuration.builder.build_global().map_err(Box::from)
}
