//! Filters of places.

use std::fmt;
use std::str::FromStr;

use crate::level::{Level, LevelError};
use crate::site::Site;

/// Rules that select the places that record, by target, name and level. The most specific rule
/// applies.
///
/// A rule with a name precedes a rule without one, and a longer target precedes a shorter one. Of
/// two equal rules, the later one applies. A place without a matching rule records. The decision
/// about a place is made once, when it is first reached.
///
/// # Examples
/// ```
/// use aqueduct_recorder::{Builder, Filter, Level, counter, event};
///
/// // From a text, for example an environment variable, and by calls.
/// let filter: Filter = "info, net=debug, net[packet]=off".parse()?;
/// assert_eq!(filter, Filter::new().level(Level::Info).target("net", Level::Debug).name("net", "packet", None));
///
/// let recorder = Builder::new().filter(filter).install()?;
/// event!(level: Debug, "not recorded");
/// event!(level: Debug, target: "net::tcp", "accepted", port = 80_u16);
/// event!(target: "net", "packet", bytes = 1500);
/// assert_eq!(recorder.trace().events().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filter {
    rules: Vec<Rule>,
}

/// The least severe level at which places of this target and name record. An empty text matches all
/// targets, or all names.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    target: String,
    name: String,
    least_severe: Option<Level>,
}

impl Rule {
    fn is_about(&self, site: &Site) -> bool {
        let rest = site.target().strip_prefix(&*self.target);
        // `net` does not match `network`.
        let is_within = self.target.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        is_within && (self.name.is_empty() || self.name == site.name())
    }
}

impl Filter {
    /// Makes a filter under which all places record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets places with this level or a more severe one record. With `None`, no place records.
    #[must_use]
    pub fn level(self, least_severe: impl Into<Option<Level>>) -> Self {
        self.name("", "", least_severe)
    }

    /// Lets the places of a target, and of the modules in it, record from this level on.
    #[must_use]
    pub fn target(self, target: impl Into<String>, least_severe: impl Into<Option<Level>>) -> Self {
        self.name(target, "", least_severe)
    }

    /// Lets the places of this name and target record from this level on. An empty target matches
    /// all targets.
    #[must_use]
    pub fn name(
        mut self,
        target: impl Into<String>,
        name: impl Into<String>,
        least_severe: impl Into<Option<Level>>,
    ) -> Self {
        self.rules.push(Rule { target: target.into(), name: name.into(), least_severe: least_severe.into() });
        self
    }

    /// Whether a place records. A place without a level counts as [`Level::Info`].
    pub(crate) fn lets_record(&self, site: &Site) -> bool {
        let about = self.rules.iter().filter(|rule| rule.is_about(site));
        // `max_by_key` returns the last of equal rules.
        let rule = about.max_by_key(|rule| (!rule.name.is_empty(), rule.target.len()));
        rule.is_none_or(|rule| Some(site.level().unwrap_or(Level::Info)) <= rule.least_severe)
    }
}

/// Parses rules that are separated by commas: `LEVEL`, `TARGET=LEVEL`, `[NAME]=LEVEL`, or
/// `TARGET[NAME]=LEVEL`. A level can be `off`.
impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let mut filter = Self::new();
        for rule in text.split(',').map(str::trim).filter(|rule| !rule.is_empty()) {
            let (place, level) = rule.rsplit_once('=').unwrap_or(("", rule));
            let (target, name) = match place.trim().split_once('[') {
                Some((target, rest)) => (target, rest.strip_suffix(']').ok_or_else(|| FilterError(rule.to_owned()))?),
                None => (place.trim(), ""),
            };
            let level = match level.trim() {
                "off" => None,
                level => Some(level.parse().map_err(|_: LevelError| FilterError(rule.to_owned()))?),
            };
            filter = filter.name(target, name, level);
        }
        Ok(filter)
    }
}

/// The error of a text that is not a filter. It names the invalid rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterError(String);

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a rule: write LEVEL, TARGET=LEVEL, [NAME]=LEVEL or TARGET[NAME]=LEVEL, ", self.0)?;
        f.write_str("where LEVEL is off, error, warn, info, debug or trace")
    }
}

impl std::error::Error for FilterError {}
