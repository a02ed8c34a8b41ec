//! The visible operations on memory: allocating, freeing, and raw accesses.

use std::alloc::Layout;

use crate::graph::event::{EventId, Kind, Label, LocId};

use super::engine::Engine;
use super::facts::Cause;
use super::heap::Block;
use super::state::Step;

impl Engine {
    /// Allocates fresh memory, or a freed block that the caller has claimed.
    pub(crate) fn allocate(&mut self, layout: Layout, block: Option<usize>, label: Label) -> Step<*mut u8> {
        if self.aftermath.has_begun() {
            return self.allocate_aside(layout, block);
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        let thread = self.current;
        let loc = match recorded {
            Some(id) => {
                self.replayed();
                self.explorer.graph.event(id).loc
            }
            None => {
                if self.must_wait_for_memory() {
                    return Step::Switch;
                }
                let loc = self.explorer.graph.new_loc();
                if let Step::Switch = self.add_nonatomic(label, loc) {
                    return Step::Switch;
                }
                loc
            }
        };
        let by = EventId::new(thread, self.threads[thread].position - 1);
        Step::Done(match block {
            Some(address) => self.heap.take(address, layout, loc, by),
            None => self.heap.allocate(thread, layout, loc),
        })
    }

    /// Returns the freed blocks that an allocation of the current thread may take now.
    pub(crate) fn reusable(&self, layout: Layout) -> Vec<Block> {
        let next = EventId::new(self.current, self.threads[self.current].position);
        match self.explorer.graph.before(next) {
            Some(last) if self.reuses_addresses && !self.aftermath.has_begun() => self.heap.blocks(layout, &last.hb),
            _ => Vec::new(),
        }
    }

    /// Frees the allocation that begins at an address.
    pub(crate) fn free(&mut self, address: usize, label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.pass();
        }
        match self.heap.allocations.begins_at(address) {
            Some((loc, _)) => {
                let step = self.access_location(loc, label);
                if self.reuses_addresses && matches!(step, Step::Done(())) {
                    self.heap.give_back(loc, EventId::new(self.current, self.position() - 1));
                }
                step
            }
            None => {
                self.fail(Cause::NotAllocated(label.into()));
                Step::Switch
            }
        }
    }

    /// Reads or writes raw memory, with the length that the label names.
    pub(crate) fn access_memory(&mut self, address: usize, mut label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.pass();
        }
        match self.heap.allocations.find(address) {
            Some((loc, offset)) => {
                label.operand = offset as u64;
                self.access_location(loc, label)
            }
            None => {
                self.fail(Cause::NotAllocated(label.into()));
                Step::Switch
            }
        }
    }

    fn access_location(&mut self, loc: LocId, label: Label) -> Step<()> {
        if label.kind != Kind::Free
            && let Some(step) = self.repeat(&label, |_| Some(loc))
        {
            return step.map(|_| ());
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        let Some(id) = recorded else {
            if self.must_wait_for_memory() {
                return Step::Switch;
            }
            return self.add_nonatomic(label, loc);
        };
        if self.explorer.graph.event(id).loc != loc {
            self.deviate(&label);
            return Step::Switch;
        }
        self.replayed();
        Step::Done(())
    }

    /// Returns an allocation that no event frees.
    pub(super) fn leak(&self) -> Option<EventId> {
        let graph = &self.explorer.graph;
        graph.order.iter().copied().find(|&id| {
            let event = graph.event(id);
            let freed =
                || (graph.loc(event.loc).accesses.iter()).any(|&other| graph.event(other).label.kind == Kind::Free);
            event.label.kind == Kind::Alloc && !freed()
        })
    }
}
