//! Orderings for call sites in place of the program's.

use crate::config::Override;
use crate::graph::event::{Kind, Label, Mode};
use crate::graph::site_map::SiteMap;

/// The overrides of a check, found by the address of a site.
#[derive(Default)]
pub(crate) struct Overrides {
    all: Vec<Override>,
    known: SiteMap<Option<usize>>,
}

impl Overrides {
    pub(crate) fn new(all: &[Override]) -> Self {
        Self { all: all.to_vec(), known: SiteMap::default() }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Gives a label the overriding modes of its site, if there are any.
    pub(crate) fn apply(&mut self, label: &mut Label) {
        let (all, site) = (&self.all, label.site);
        let found = *self
            .known
            .entry(std::ptr::from_ref(site) as u64)
            .or_insert_with(|| all.iter().rposition(|o| o.is_for(site.file(), site.line(), site.column())));
        let Some(found) = found else { return };
        let is_load = label.kind == Kind::Read && label.op.is_load();
        let (ordering, failure) = (all[found].ordering.map(Mode::of), all[found].failure.map(Mode::of));
        label.mode = if is_load { failure.or(ordering) } else { ordering }.unwrap_or(label.mode);
        label.failure = failure.unwrap_or(label.failure);
    }
}
