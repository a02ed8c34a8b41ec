//! The result of a check: the outcome, figures, and failures.

use std::fmt;

use crate::buffering::BufferedLoad;

pub(crate) mod failure;
pub(crate) mod graph;
pub(crate) mod progress;
pub(crate) mod sites;
pub(crate) mod threads;
pub(crate) mod trace;

pub(crate) use failure::Told;
pub use failure::{Failure, FailureKind};
pub use graph::{EdgeKind, ExecutionGraph, GraphEdge, GraphEvent};
pub use sites::SiteReport;
pub use threads::ThreadReport;

/// The outcome of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Complete executions explored, each once.
    pub executions: u64,
    /// Executions in which threads were left waiting for an event of other executions.
    pub blocked: u64,
    /// Runs that were given up early because they could not lead to an execution of their own.
    pub discarded: u64,
    /// Executions in which a thread waited for longer than
    /// [`Config::yield_bound`](crate::Config::yield_bound), and was stopped there.
    pub cut: u64,
    /// Runs that strayed: the program behaved differently than before after the same results
    /// ([`Config::nondeterminism_fails`](crate::Config::nondeterminism_fails)).
    ///
    /// The rest of such a run is random. Complete runs count as executions, and may repeat others.
    pub strayed: u64,
    /// The message of the first run that strayed.
    pub stray: Option<String>,
    /// The number of branches of the search that were left out because their schedules have more
    /// preemptions than [`Config::max_preemptions`](crate::Config::max_preemptions). Each may have
    /// any number of executions.
    pub left_out: u64,
    /// Events of all complete executions together.
    pub events: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Whether everything was explored. It is false if a limit or a failure ended the check.
    pub exhaustive: bool,
    /// The share of all executions that has been explored, if all branches at a point led to equal
    /// numbers.
    ///
    /// They do not: this share comes close to 1 long before the end, and is not an estimate.
    /// [`Config::estimate`](crate::Config::estimate) makes one. With a bound on preemptions, it is
    /// 0 until all is explored.
    pub explored: f64,
    /// True if the executions were picked at random. A pass is then not a proof.
    pub random: bool,
    /// Whether a limit of time or executions ended the check early.
    pub limited: bool,
    /// The most memory that the process has used since it began, in bytes, if the system reports
    /// it.
    pub peak_memory: Option<u64>,
    /// The atomic call sites that were reached, sorted by place.
    pub sites: Vec<SiteReport>,
    /// The execution that was replayed, if one was and it did not fail.
    pub graph: Option<ExecutionGraph>,
    /// The threads' fates by number: those that ended although others were suspended or killed.
    ///
    /// It is empty if no thread is, and if waits without end are failures.
    pub threads: Vec<ThreadReport>,
    /// The relaxed reads that could be exchanged with later relaxed writes of their threads, if the
    /// check was [to look for them](crate::Config::load_buffering).
    ///
    /// RC11 forbids such executions. If the check was exhaustive and this is empty, the program
    /// behaves no differently under a model that allows them and keeps only dependent writes behind
    /// a relaxed read, as compilers and processors do.
    pub load_buffering: Option<Vec<BufferedLoad>>,
    /// The error, if there was one.
    pub failure: Option<Failure>,
}

impl Report {
    /// Adds another worker's counts.
    pub(crate) fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.discarded += other.discarded;
        self.cut += other.cut;
        self.left_out += other.left_out;
        self.strayed += other.strayed;
        if self.stray.is_none() {
            self.stray.clone_from(&other.stray);
        }
        self.events += other.events;
        self.limited |= other.limited;
        if other.graph.is_some() {
            self.graph.clone_from(&other.graph);
        }
        sites::merge(&mut self.sites, other.sites.iter().cloned());
        threads::merge(&mut self.threads, &other.threads);
    }

    /// Notes whether everything was explored, if that was requested, and the explored share.
    pub(crate) fn conclude(&mut self, everything: bool, explored: f64) {
        let is_whole = !self.limited && self.cut == 0 && self.left_out == 0 && self.strayed == 0;
        self.exhaustive = everything && self.failure.is_none() && is_whole;
        self.explored = if self.exhaustive { 1.0 } else { explored.clamp(0.0, 1.0) };
    }

    /// Adds the findings of another exploration of the same program, whose executions do not count.
    pub(crate) fn with_kept_rounds(mut self, other: Self) -> Self {
        // A kept round makes an execution longer than the program's own ones are.
        let is_long = |failure: &Failure| failure.kind == FailureKind::TooManyEvents;
        self.limited |= other.limited || other.failure.as_ref().is_some_and(is_long);
        self.failure = other.failure.filter(|failure| !is_long(failure));
        (self.seconds, self.peak_memory) = (other.seconds, other.peak_memory);
        self.conclude(self.exhaustive, other.explored);
        self
    }

    /// Whether the check has found no error because no execution was complete.
    pub(crate) fn explores_nothing(&self) -> bool {
        self.failure.is_none() && self.executions == 0
    }

    /// Returns the failure that no execution was complete, with one that was cut, if there is one.
    pub(crate) fn unexplored(&self, cut: Option<Failure>) -> Failure {
        let nothing = || Failure {
            kind: FailureKind::Unexplored,
            message: String::new(),
            trace: String::new(),
            graph: ExecutionGraph::default(),
            replay: String::new(),
        };
        let mut failure = cut.unwrap_or_else(nothing);
        let &Report { blocked, discarded, cut, limited, .. } = self;
        let limited = if limited { " before a limit ended the check" } else { "" };
        failure.message = format!(
            "nothing was checked: no execution came to its end{limited}\n  {cut} cut, {blocked} blocked, {discarded} led nowhere{}",
            failure.message
        );
        failure
    }
    /// Returns the number of complete executions per second of wall-clock time.
    #[must_use]
    pub fn executions_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.executions as f64 / self.seconds } else { 0.0 }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match (&self.failure, self.exhaustive) {
            (Some(_), _) => "failed",
            (None, true) => "passed, exhaustively",
            (None, false) if self.random => "RANDOM EXECUTIONS, not a proof: nothing found so far",
            (None, false) => "NOT EXHAUSTIVE: nothing found so far",
        };
        write!(
            f,
            "{verdict}: {} executions, {} blocked, {} discarded, {} events, {:.3} s, {:.0} executions/s",
            self.executions,
            self.blocked,
            self.discarded,
            self.events,
            self.seconds,
            self.executions_per_second()
        )?;
        if self.cut > 0 {
            write!(f, ", {} cut at the bound of rounds of waiting", self.cut)?;
        }
        if self.left_out > 0 {
            write!(f, ", {} branches left out at the bound of preemptions", self.left_out)?;
        }
        if self.strayed > 0 {
            write!(f, ", {} strayed", self.strayed)?;
        }
        if let Some(bytes) = self.peak_memory {
            write!(f, ", peak memory {:.1} MB", bytes as f64 / 1e6)?;
        }
        for thread in self.threads.iter().filter(|thread| !thread.always_ends()) {
            write!(f, "\n  {thread}")?;
        }
        for site in &self.sites {
            write!(f, "\n  {site}")?;
        }
        match self.load_buffering.as_deref() {
            None => {}
            Some([]) if self.exhaustive => write!(f, "\n  no load buffering")?,
            Some([]) => write!(f, "\n  no load buffering so far")?,
            Some(pairs) => pairs.iter().try_for_each(|pair| write!(f, "\n  load buffering: {pair}"))?,
        }
        if let Some(stray) = &self.stray {
            write!(f, "\n{stray}")?;
        }
        if let Some(failure) = &self.failure {
            write!(f, "\n{failure}")?;
        }
        Ok(())
    }
}
