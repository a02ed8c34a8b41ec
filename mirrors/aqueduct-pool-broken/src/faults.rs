faults! {
    /// A worker goes to sleep without another look into the queues.
    SleepsAtOnce in "sleep.rs":
        "searchers(before) == 0
    }"
        => "searchers(before) == 0 && !FAULT
    }";
    /// There is no heavy fence between the worker's word and its last look.
    LooksTooEarly in "sleep.rs":
        "fences::heavy();"
        => "if !FAULT {
            fences::heavy();
        }";
    /// A thread that adds a job does not pass a fence.
    NotifiesTooEarly in "sleep.rs":
        "fences::light();"
        => "if !FAULT {
            fences::light();
        }";
    /// The last searcher that finds a job wakes nobody.
    LastSearcherStopsAlone in "sleep.rs":
        "if needs_waker(before - SEARCHER) {"
        => "if needs_waker(before - SEARCHER) && !FAULT {";
    /// A worker that finds a job before it sleeps wakes nobody.
    FinderLeavesAlone in "sleep.rs":
        "} else if has_found && needs_waker(self.word.load(Ordering::Relaxed)) {"
        => "} else if !FAULT && has_found && needs_waker(self.word.load(Ordering::Relaxed)) {";
    /// A worker that was woken to search, and leaves, does not say so.
    SearcherLeavesSilently in "sleep.rs":
        "if was_woken_to_search {"
        => "if was_woken_to_search && !FAULT {";
    /// A worker that sleeps for its latch alone is not woken.
    AloneIsForgotten in "sleep.rs":
        "State::Alone => {}
            }"
        => "State::Alone if FAULT => return,
                State::Alone => {}
            }";
    /// The latch says nothing of the worker's sleep.
    LatchForgetsTheSleeper in "latch.rs":
        "state.fetch_or(SET, Ordering::AcqRel) & SLEEPING != 0"
        => "state.fetch_or(SET, Ordering::AcqRel) & SLEEPING != 0 && !FAULT";
    /// The latch does not order the result before it.
    LatchIsRelaxed in "latch.rs":
        "state.fetch_or(SET, Ordering::AcqRel)"
        => "state.fetch_or(SET, if FAULT { Ordering::Relaxed } else { Ordering::AcqRel })";
    /// The end of a pool wakes nobody.
    EndIsASecret in "registry.rs":
        "if unsafe { CoreLatch::set(&raw const seat.terminate) } {"
        => "if unsafe { CoreLatch::set(&raw const seat.terminate) } && !FAULT {";
    /// A call from outside wakes nobody.
    CallIsASecret in "registry.rs":
        "enqueue(&self.injected, job);
        self.sleep.notify();"
        => "enqueue(&self.injected, job);
        if !FAULT {
            self.sleep.notify();
        }";
    /// A spawned job does not keep the pool from ending.
    JobHasNoShare in "spawn.rs":
        "registry.retain();"
        => "if !FAULT {
        registry.retain();
    }";
    /// After a panic of the first closure, the second one is not called.
    PanicSkipsTheSecond in "join.rs":
        "drop(unwind::catch(b));"
        => "if !FAULT {
        drop(unwind::catch(b));
    }";
    /// A broadcast wakes nobody.
    BroadcastIsASecret in "registry.rs":
        "(0..self.seats.len()).for_each(|index| self.sleep.wake(index));"
        => "if !FAULT {
            (0..self.seats.len()).for_each(|index| self.sleep.wake(index));
        }";
}
