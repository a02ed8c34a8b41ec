//! The need for each ordering: weaken it, and a client fails.

use std::str::FromStr;
use std::sync::atomic::Ordering;

use aqueduct_model::{Config, Failure};

use crate::clients::Client;
use crate::sites::Site;

/// An ordering, a weaker one, and the client that fails with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// The file, below the library's `src`.
    pub file: &'static str,
    /// The code in the line.
    pub code: &'static str,
    /// The ordering instead.
    pub weaker: Ordering,
    /// The client that fails.
    pub client: &'static str,
    /// How it fails: the name of a [`FailureKind`](aqueduct_model::FailureKind).
    pub failure: &'static str,
}

/// The table of needs.
const TABLE: &str = include_str!("../expected/orderings.txt");

/// All needs, by file and line.
///
/// # Panics
/// If the table is not one.
pub fn needs() -> Vec<Need> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|row| {
        Need::parse(row)
            .unwrap_or_else(|| panic!("expected/orderings.txt: not file | code | weaker | client | failure: {row}"))
    })
    .collect()
}

impl Need {
    fn parse(row: &'static str) -> Option<Self> {
        let mut fields = row.split(" | ").map(str::trim);
        let mut next = || fields.next();
        let (file, code, weaker) = (next()?, next()?, next()?);
        let (client, failure) = (next()?, next()?);
        Some(Self { file, code, weaker: Named::from_str(weaker).ok()?.0, client, failure })
    }

    /// Whether it is the need of this site, with this ordering instead.
    pub fn is_of(&self, site: &Site, weaker: Ordering) -> bool {
        self.file == site.file && self.code == site.code && self.weaker == weaker
    }
}

/// An ordering by its name.
struct Named(Ordering);

impl FromStr for Named {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel]
            .into_iter()
            .find(|ordering| format!("{ordering:?}") == name)
            .map(Self)
            .ok_or(())
    }
}

/// What a client does when a site has another ordering.
#[derive(Debug)]
pub enum Weakened {
    /// It never comes to the site.
    NotReached,
    /// All its executions are still right.
    Holds,
    /// It fails.
    Fails(Box<Failure>),
}

/// Checks a client with another ordering at a site.
pub fn weaken(client: &Client, site: &Site, weaker: Ordering) -> Weakened {
    let config = Config::new();
    let reached = client.check(&config).sites;
    let Some(instead) = site.instead(&reached, weaker) else { return Weakened::NotReached };
    match client.check(&config.overrides([instead])).failure {
        Some(failure) => Weakened::Fails(Box::new(failure)),
        None => Weakened::Holds,
    }
}
