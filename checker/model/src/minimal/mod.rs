//! The orderings that a program needs.
//!
//! A [`Minimizer`] has clients: small programs that pass. [`Minimizer::table`] weakens each
//! ordering that they reach, one at a time. For each weaker ordering it names a client that forbids
//! it, with the counterexample, or reports that all clients still pass. [`Minimizer::from_sc`]
//! ignores the orderings that the program names, starts with `SeqCst` everywhere, and finds
//! orderings that cannot be weakened one by one.
//!
//! The result is as good as the clients: an ordering that they do not need may be needed by a
//! program that does more. Orderings count by their place in the source; those inside of this
//! crate's own locks and channels count at the place of the call. [`Minimizer::only`] excludes
//! places, such as the clients' own.
//!
//! # Examples
//!
//! ```
//! use aqueduct_model::minimal::{Client, Minimizer};
//! use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::{Acquire, Relaxed, SeqCst}};
//! use aqueduct_model::{Config, thread};
//! use std::sync::Arc;
//!
//! fn message() {
//!     let (data, ready) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
//!     let (x, y) = (Arc::clone(&data), Arc::clone(&ready));
//!     thread::spawn(move || {
//!         x.store(1, Relaxed);
//!         y.store(1, SeqCst); // `Release` would do.
//!     });
//!     if ready.load(Acquire) == 1 {
//!         assert_eq!(data.load(Relaxed), 1);
//!     }
//! }
//!
//! let table = Minimizer::new(Config::new(), vec![Client::new("message", message)]).table()?;
//! let too_strong: Vec<_> = table.too_strong().map(|row| row.site.to_string()).collect();
//! assert!(too_strong.len() == 1 && too_strong[0].ends_with("store SeqCst"));
//! # Ok::<(), aqueduct_model::minimal::Broken>(())
//! ```

mod search;
mod site;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::config::Config;
use crate::report::{Failure, Report, SiteReport};

use search::Search;
pub use site::{Part, Site, ordering_named, takes};

/// A program with a name, whose failures forbid orderings.
#[derive(Clone)]
pub struct Client {
    name: String,
    check: Arc<dyn Fn(&Config) -> Report + Send + Sync>,
    /// Whether load buffering is a failure, too.
    is_against_buffering: bool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client of a program, as [`Config::check`] takes it.
    #[must_use]
    pub fn new(name: impl Into<String>, program: impl Fn() + Send + Sync + 'static) -> Self {
        let program = Arc::new(program);
        Self::checked_by(name, move |config| {
            let program = Arc::clone(&program);
            config.check(move || program())
        })
    }

    /// Makes a client of a function that checks it.
    ///
    /// The function may change the configuration, but must keep its overrides.
    #[must_use]
    pub fn checked_by(name: impl Into<String>, check: impl Fn(&Config) -> Report + Send + Sync + 'static) -> Self {
        Self { name: name.into(), check: Arc::new(check), is_against_buffering: false }
    }

    /// Makes the client fail, too, if a relaxed read could be exchanged with a later relaxed write
    /// of its thread: see [`Report::load_buffering`].
    ///
    /// It is checked after the clients that fail by the program's executions alone.
    #[must_use]
    pub fn against_load_buffering(self) -> Self {
        let check = self.check;
        let check = move |config: &Config| {
            let mut report = check(&config.clone().load_buffering(true));
            let pair = report.load_buffering.iter().flatten().next();
            report.failure = report.failure.or_else(|| pair.map(Failure::of_pair));
            report
        };
        Self { name: self.name, check: Arc::new(check), is_against_buffering: true }
    }
}

/// The error that a client fails before anything is weakened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Broken {
    /// The client.
    pub client: String,
    /// The failure.
    pub failure: Box<Failure>,
    /// True if every ordering was `SeqCst`. Otherwise they were the program's.
    pub sequential: bool,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let orderings = if self.sequential { "with every ordering SeqCst" } else { "with nothing weakened" };
        write!(f, "{} fails {orderings}: {}", self.client, self.failure)
    }
}

impl std::error::Error for Broken {}

/// The clients' verdict on an ordering.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// A client fails.
    #[non_exhaustive]
    Forbidden {
        /// The client.
        client: String,
        /// The counterexample.
        failure: Box<Failure>,
    },
    /// All executions of all clients are right.
    Allowed,
    /// No client fails, but a limit of the configuration ended the check of one.
    #[non_exhaustive]
    Undecided {
        /// The client whose check was not finished.
        client: String,
    },
}

impl Verdict {
    /// Whether a client fails.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Forbidden { .. })
    }
}

/// An ordering in place of a stronger one, with its verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Weaker {
    /// The ordering.
    pub ordering: Ordering,
    /// True if no ordering lies between this one and the program's.
    pub one_step: bool,
    /// The clients' verdict.
    pub verdict: Verdict,
}

/// An ordering of the program and all weaker ones, the strongest first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The ordering.
    pub site: Site,
    /// The weaker orderings.
    pub weaker: Vec<Weaker>,
}

impl Row {
    /// Whether a client forbids every weaker ordering.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.weaker.iter().all(|weaker| weaker.verdict.is_forbidden())
    }

    /// Returns the weaker orderings that all clients allow.
    pub fn allowed(&self) -> impl Iterator<Item = Ordering> {
        let allowed = self.weaker.iter().filter(|weaker| matches!(weaker.verdict, Verdict::Allowed));
        allowed.map(|weaker| weaker.ordering)
    }
}

/// The cost of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Effort {
    /// The number of checks of a client, each under one choice of orderings.
    pub checks: u64,
    /// The number of complete executions in them.
    pub executions: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks, {} executions, {:.3} s", self.checks, self.executions, self.seconds)
    }
}

/// The orderings of a program, and the clients that forbid weaker ones.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Table {
    /// A row for each ordering that the clients reached, by place. `Relaxed` ones have no weaker
    /// ordering.
    pub rows: Vec<Row>,
    /// The cost.
    pub effort: Effort,
}

impl Table {
    /// Returns the orderings that are stronger than the clients need, or not decided.
    pub fn too_strong(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.is_needed())
    }
}

/// An ordering of the program, and the one found for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The ordering as it is written.
    pub site: Site,
    /// The ordering that was found.
    pub ordering: Ordering,
    /// The client whose check of a weaker ordering was cut short, if this is the reason why the
    /// ordering was not taken.
    pub undecided: Option<String>,
}

/// Orderings that cannot be weakened one by one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Assignment {
    /// Each ordering, by place.
    pub found: Vec<Found>,
    /// The cost, including the start with `SeqCst`.
    pub effort: Effort,
}

/// The next check of a [`Minimizer`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The ordering that is being weakened, and the weaker one; `None` before that begins.
    pub weakened: Option<(&'a Site, Ordering)>,
    /// The client.
    pub client: &'a str,
    /// The number of orderings that are done.
    pub done: usize,
    /// The number of orderings found so far.
    pub of: usize,
    /// The cost so far.
    pub effort: Effort,
}

/// The clients that are checked first for a site.
type First<'a> = dyn Fn(&Site) -> Vec<&'a str> + 'a;

/// The outcome of a client with nothing weakened.
type Known<'a> = dyn Fn(&str) -> Option<Report> + 'a;

/// A search for the orderings that a program's clients need.
pub struct Minimizer<'a> {
    config: Config,
    clients: Vec<Client>,
    only: Box<dyn Fn(&SiteReport) -> bool + 'a>,
    first: Box<First<'a>>,
    known: Box<Known<'a>>,
    watch: Box<dyn FnMut(Step<'_>) + 'a>,
}

impl fmt::Debug for Minimizer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minimizer")
            .field("config", &self.config)
            .field("clients", &self.clients)
            .finish_non_exhaustive()
    }
}

impl<'a> Minimizer<'a> {
    /// Makes a search with these clients, each checked with this configuration. Its overrides count
    /// as the program's orderings.
    #[must_use]
    pub fn new(config: Config, clients: Vec<Client>) -> Self {
        Self {
            config,
            clients,
            only: Box::new(|_| true),
            first: Box::new(|_| Vec::new()),
            known: Box::new(|_| None),
            watch: Box::new(|_| ()),
        }
    }

    /// Excludes all other sites.
    #[must_use]
    pub fn only(mut self, only: impl Fn(&SiteReport) -> bool + 'a) -> Self {
        self.only = Box::new(only);
        self
    }

    /// Sets the clients that are checked first when an ordering of the site is weakened: those that
    /// are known to need it.
    #[must_use]
    pub fn first(mut self, first: impl Fn(&Site) -> Vec<&'a str> + 'a) -> Self {
        self.first = Box::new(first);
        self
    }

    /// Sets a function that returns the report of the client of that name with nothing weakened, if
    /// it is known.
    ///
    /// [`table`](Self::table) then does not check that client for it. The report must be one that the client's check
    /// returns with this configuration.
    #[must_use]
    pub fn known(mut self, known: impl Fn(&str) -> Option<Report> + 'a) -> Self {
        self.known = Box::new(known);
        self
    }

    /// Sets a function that is called before each check.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(Step<'_>) + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Weakens each ordering, one at a time, to every weaker one.
    ///
    /// The clients of [`first`](Self::first) are checked first, then the client that has failed
    /// last. It costs one check of each client, then for each weaker ordering the checks up to the
    /// first client that fails; only the clients that reach the site are checked.
    ///
    /// # Errors
    /// [`Broken`] if a client fails before anything is weakened.
    pub fn table(&mut self) -> Result<Table, Broken> {
        let mut search = Search::new(self);
        search.as_written()?;
        Ok(search.weaken_each())
    }

    /// Weakens orderings from `SeqCst` everywhere, whatever the program's orderings are, place by
    /// place.
    ///
    /// Each ordering becomes the first in the list `Relaxed`, `Release`, `Acquire`, `AcqRel` that
    /// the operation may have and no client forbids, with all others as they are by then.
    ///
    /// No single ordering of the outcome can be weakened: an ordering that was forbidden while
    /// others were stronger stays forbidden, because weaker orderings only add executions. There
    /// may be other such outcomes.
    ///
    /// # Errors
    /// [`Broken`] if a client fails with `SeqCst` everywhere: no orderings make it pass.
    pub fn from_sc(&mut self) -> Result<Assignment, Broken> {
        let mut search = Search::new(self);
        search.all_sequential()?;
        Ok(search.descend())
    }
}
