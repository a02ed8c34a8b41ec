//! The search: the checks that are made, and their order.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::site::{Key, Orderings, Part, Place, Site, key};
use super::{Assignment, Broken, Effort, Found, Minimizer, Row, Step, Table, Verdict, Weaker};
use crate::config::Override;
use crate::report::sites::merge;
use crate::report::{Report, SiteReport};

/// A client's results so far.
struct Seen {
    /// The index of the client.
    client: usize,
    /// The places that it reaches, under any of the orderings chosen so far.
    places: Vec<Key>,
    /// The number of its executions when nothing was weakened.
    executions: u64,
}

/// A place, and its orderings so far.
struct Chosen {
    place: Place,
    orderings: Orderings,
    undecided: [Option<String>; 2],
}

/// A running search of a [`Minimizer`].
pub(super) struct Search<'a, 'b> {
    minimizer: &'a mut Minimizer<'b>,
    /// The clients, in the order in which they are checked.
    seen: Vec<Seen>,
    /// The program's orderings, at every place that was reached with them.
    written: Vec<SiteReport>,
    began: Instant,
    checks: u64,
    executions: u64,
    done: usize,
    of: usize,
}

impl<'a, 'b> Search<'a, 'b> {
    pub(super) fn new(minimizer: &'a mut Minimizer<'b>) -> Self {
        let clients = 0..minimizer.clients.len();
        let seen = clients.map(|client| Seen { client, places: Vec::new(), executions: 0 }).collect();
        let (written, began) = (Vec::new(), Instant::now());
        Self { minimizer, seen, written, began, checks: 0, executions: 0, done: 0, of: 0 }
    }

    fn effort(&self) -> Effort {
        Effort { checks: self.checks, executions: self.executions, seconds: self.began.elapsed().as_secs_f64() }
    }

    /// Checks the client at `at` with other orderings.
    fn check(&mut self, at: usize, overrides: &[Override], weakened: Option<(&Site, Ordering)>) -> Report {
        let effort = self.effort();
        let minimizer = &mut *self.minimizer;
        let client = &minimizer.clients[self.seen[at].client];
        (minimizer.watch)(Step { weakened, client: &client.name, done: self.done, of: self.of, effort });
        let report = (client.check)(&minimizer.config.clone().overrides(overrides.iter().cloned()));
        self.checks += 1;
        self.executions += report.executions;
        report
    }

    /// Notes the places that a client reached. Places without an override show the program's
    /// orderings.
    fn note(&mut self, at: usize, sites: &[SiteReport], overrides: &[Override]) {
        let own = |site: &&SiteReport| !overrides.iter().any(|o| (&*o.file, o.line, o.column) == key(site));
        let chosen = sites.iter().filter(|site| (self.minimizer.only)(site));
        merge(&mut self.written, chosen.clone().filter(own).cloned());
        let places = &mut self.seen[at].places;
        places.extend(chosen.map(key));
        places.sort_unstable();
        places.dedup();
    }

    fn broken(&self, at: usize, report: &mut Report, sequential: bool) -> Option<Broken> {
        let failure = Box::new(report.failure.take()?);
        let client = self.minimizer.clients[self.seen[at].client].name.clone();
        Some(Broken { client, failure, sequential })
    }

    /// Checks all clients with the program's orderings.
    pub(super) fn as_written(&mut self) -> Result<(), Broken> {
        for at in 0..self.seen.len() {
            let known = (self.minimizer.known)(&self.minimizer.clients[self.seen[at].client].name);
            let mut report = known.unwrap_or_else(|| self.check(at, &[], None));
            if let Some(broken) = self.broken(at, &mut report, false) {
                return Err(broken);
            }
            self.note(at, &report.sites, &[]);
            self.seen[at].executions = report.executions;
        }
        self.cheapest_first();
        Ok(())
    }

    /// Checks all clients with `SeqCst` everywhere.
    ///
    /// A place is known only after a client has reached it. So the first round has the program's
    /// orderings, which may be too weak, and rounds follow as long as new places appear.
    pub(super) fn all_sequential(&mut self) -> Result<(), Broken> {
        loop {
            let places = Place::all(&self.written);
            let overrides: Vec<_> = places.iter().map(|place| place.strongest().at(place.key)).collect();
            let mut broken = None;
            for at in 0..self.seen.len() {
                let mut report = self.check(at, &overrides, None);
                broken = broken.or_else(|| self.broken(at, &mut report, true));
                self.note(at, &report.sites, &overrides);
                self.seen[at].executions = report.executions;
            }
            if Place::all(&self.written).len() == places.len() {
                self.cheapest_first();
                return broken.map_or(Ok(()), Err);
            }
        }
    }

    fn cheapest_first(&mut self) {
        self.seen.sort_by_key(|seen| seen.executions);
    }

    /// Returns the order in which the clients are checked for a site.
    fn order(&self, site: &Site) -> Vec<usize> {
        let first = (self.minimizer.first)(site);
        let rank = |&at: &usize| {
            let client = &self.minimizer.clients[self.seen[at].client];
            let position = first.iter().position(|first| *first == client.name).unwrap_or(first.len());
            (position, client.is_against_buffering)
        };
        let mut order: Vec<usize> = (0..self.seen.len()).collect();
        order.sort_by_key(rank);
        order
    }

    /// Checks the clients that reach a place. If all pass, notes the places that they reached.
    fn judge(&mut self, place: &Place, overrides: &[Override], weakened: (&Site, Ordering)) -> Verdict {
        let mut passed = Vec::new();
        let mut undecided = None;
        for at in self.order(weakened.0) {
            if self.seen[at].places.binary_search(&place.key).is_err() {
                continue;
            }
            let report = self.check(at, overrides, Some(weakened));
            let name = || self.minimizer.clients[self.seen[at].client].name.clone();
            if let Some(failure) = report.failure {
                let verdict = Verdict::Forbidden { client: name(), failure: Box::new(failure) };
                self.seen[..=at].rotate_right(1);
                return verdict;
            }
            if !report.exhaustive {
                undecided = undecided.or_else(|| Some(name()));
            }
            passed.push((at, report.sites));
        }
        if let Some(client) = undecided {
            return Verdict::Undecided { client };
        }
        for (at, sites) in passed {
            self.note(at, &sites, overrides);
        }
        Verdict::Allowed
    }

    /// Weakens each ordering, with all others as the program has them.
    pub(super) fn weaken_each(mut self) -> Table {
        let places = Place::all(&self.written);
        self.of = places.iter().flat_map(Place::sites).count();
        let mut rows = Vec::new();
        for place in &places {
            for site in place.sites() {
                let weaker = site.weaker().map(|ordering| {
                    let verdict = self.judge(place, &[site.instead(ordering)], (&site, ordering));
                    Weaker { ordering, one_step: site.is_one_step(ordering), verdict }
                });
                let weaker = weaker.collect();
                rows.push(Row { site, weaker });
                self.done += 1;
            }
        }
        Table { rows, effort: self.effort() }
    }

    /// Weakens each ordering from `SeqCst` as far as possible, with all others as they are by then.
    pub(super) fn descend(mut self) -> Assignment {
        let mut all: Vec<Chosen> = Vec::new();
        self.add_new(&mut all);
        while self.done < all.len() {
            for part in [Part::Access, Part::Failure] {
                self.descend_part(&mut all, part);
            }
            self.done += 1;
            // Weaker orderings may have led to places that were not reached before. They begin with
            // `SeqCst`, too: that removes executions and adds none.
            self.add_new(&mut all);
        }
        all.sort_by_key(|chosen| chosen.place.key);
        let found = all.into_iter().flat_map(|mut chosen| {
            let sites: Vec<_> = chosen.place.sites().collect();
            sites.into_iter().filter_map(move |site| {
                let undecided = chosen.undecided[site.part as usize].take();
                Some(Found { ordering: chosen.orderings.of(site.part)?, site, undecided })
            })
        });
        Assignment { found: found.collect(), effort: self.effort() }
    }

    fn add_new(&mut self, all: &mut Vec<Chosen>) {
        for place in Place::all(&self.written) {
            if !all.iter().any(|chosen| chosen.place.key == place.key) {
                all.push(Chosen { orderings: place.strongest(), place, undecided: [None, None] });
            }
        }
        self.of = all.len();
    }

    /// Gives one ordering of this place the weakest that is allowed.
    fn descend_part(&mut self, all: &mut [Chosen], part: Part) {
        let (at, before) = (self.done, all[self.done].orderings);
        let Some(mut site) = all[at].place.site(part) else { return };
        site.ordering = Ordering::SeqCst;
        let weaker: Vec<_> = site.weaker().collect();
        for ordering in weaker.into_iter().rev() {
            all[at].orderings = before.with(part, ordering);
            let overrides: Vec<_> = all.iter().map(|chosen| chosen.orderings.at(chosen.place.key)).collect();
            match self.judge(&all[at].place, &overrides, (&site, ordering)) {
                Verdict::Allowed => return,
                Verdict::Undecided { client } => all[at].undecided[part as usize] = Some(client),
                Verdict::Forbidden { .. } => {}
            }
        }
        all[at].orderings = before;
    }
}
