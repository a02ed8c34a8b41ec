faults! {
    /// A worker goes to sleep without another look into the queues.
    SleepsAtOnce in "sleep.rs":
        "Self::Needless => return false,"
        => "_ if FAULT => return false,
            Self::Needless => return false,";
    /// The heavy fence between the worker's announcement and its last look is missing.
    LooksTooEarly in "sleep.rs":
        "Self::Beside => fences::heavy(),"
        => "Self::Beside if FAULT => {}
            Self::Beside => fences::heavy(),";
    /// The last worker that goes to sleep does not execute a fence before its last look.
    LastLooksTooEarly in "sleep.rs":
        "Self::Alone => fence(Ordering::SeqCst),"
        => "Self::Alone if FAULT => {}
            Self::Alone => fence(Ordering::SeqCst),";
    /// A worker that goes to sleep executes no heavy fence, though another worker is awake.
    AwakeWorkersAreForgotten in "sleep.rs":
        "0 if list.awake == 0 => LastLook::Alone,"
        => "0 if list.awake == 0 || FAULT => LastLook::Alone,";
    /// A thread from outside that adds a job executes a worker's fence.
    OutsiderNotifiesAsWorker in "sleep.rs":
        "        fence(Ordering::SeqCst);
        // Ordering: Acquire, as in `notify`.
        if needs_waker"
        => "        if FAULT {
            fences::light();
        } else {
            fence(Ordering::SeqCst);
        }
        if needs_waker";
    /// A thread that adds a job does not execute a fence.
    NotifiesTooEarly in "sleep.rs":
        "fences::free_light();"
        => "if !FAULT {
            fences::free_light();
        }";
    /// The last searcher that finds a job wakes nobody.
    LastSearcherStopsAlone in "sleep.rs":
        "if needs_waker(before - SEARCHER) {"
        => "if needs_waker(before - SEARCHER) && !FAULT {";
    /// A worker that finds a job before it sleeps wakes nobody.
    FinderLeavesAlone in "sleep.rs":
        "} else if has_found && needs_waker(self.word.load(Ordering::Relaxed)) {"
        => "} else if !FAULT && has_found && needs_waker(self.word.load(Ordering::Relaxed)) {";
    /// A worker that was woken to search, and leaves, does not announce that.
    SearcherLeavesSilently in "sleep.rs":
        "if was_woken_to_search {"
        => "if was_woken_to_search && !FAULT {";
    /// A worker that sleeps for its latch alone is not woken.
    AloneIsForgotten in "sleep.rs":
        "State::Alone { .. } => {}
            }"
        => "State::Alone { .. } if FAULT => return,
                State::Alone { .. } => {}
            }";
    /// The latch does not tell that the worker sleeps.
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
        self.sleep.notify_from_outside();"
        => "enqueue(&self.injected, job);
        if !FAULT {
            self.sleep.notify_from_outside();
        }";
    /// A spawned job does not keep the pool from ending.
    JobHasNoShare in "spawn.rs":
        "if !registry.retain() {"
        => "if !FAULT && !registry.retain() {";
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
    /// A poll without a result does not look whether the task was woken meanwhile.
    PollForgetsWake in "task/state.rs":
        "let is_woken = before & SCHEDULED != 0;"
        => "let is_woken = before & SCHEDULED != 0 && !FAULT;";
    /// A task that is polled counts as a waiting task.
    RunningIsIdle in "task/state.rs":
        "self.0 & (SCHEDULED | RUNNING | COMPLETED) == 0"
        => "self.0 & (SCHEDULED | if FAULT { 0 } else { RUNNING } | COMPLETED) == 0";
    /// The last reference is released, and the task is not freed.
    LastReferenceIsLeaked in "task/state.rs":
        "self.0.fetch_sub(REFERENCE, Ordering::AcqRel) < 2 * REFERENCE"
        => "self.0.fetch_sub(REFERENCE, Ordering::AcqRel) < 2 * REFERENCE && !FAULT";
    /// A poll ends without a result, and without a remaining reference, and the task is not freed.
    ForgottenTaskIsLeaked in "task/state.rs":
        "Ok(_) if after < REFERENCE => return Pause::Forgotten,"
        => "Ok(_) if after < REFERENCE && !FAULT => return Pause::Forgotten,";
    /// A task that was aborted is polled.
    AbortIsOverlooked in "task/raw.rs":
        "if unsafe { head.as_ref() }.state.start().is_aborted() {"
        => "if unsafe { head.as_ref() }.state.start().is_aborted() && !FAULT {";
    /// The result is stored without the drop of the future.
    FutureIsLeaked in "task/raw.rs":
        "if let Err(payload) = unwind::catch(|| unsafe { this.clear() }) {
            // A result"
        => "if let Err(payload) = unwind::catch(|| if !FAULT { unsafe { this.clear() } }) {
            // A result";
    /// A task that ends does not wake its awaiter.
    AwaiterIsForgotten in "task/raw.rs":
        "} else if before.is_awaited() {"
        => "} else if before.is_awaited() && !FAULT {";
    /// A task without a handle keeps its result, and its panic.
    PanicIsLost in "task/raw.rs":
        "if before.is_alone() {"
        => "if before.is_alone() && !FAULT {";
    /// The future of a task that is freed is not counted.
    FreedTaskStays in "task/raw.rs":
        "if is_unfinished {"
        => "if is_unfinished && !FAULT {";
    /// A task that waits is aborted, but not run.
    AbortMakesNoJob in "task/raw.rs":
        "if unsafe { head.as_ref() }.state.abort().is_idle() {"
        => "if unsafe { head.as_ref() }.state.abort().is_idle() && !FAULT {";
    /// A dropped handle does not have the task run.
    DropMakesNoJob in "task/handle.rs":
        "} else if before.is_idle() {"
        => "} else if before.is_idle() && !FAULT {";
    /// A handle that has stored its waker does not check whether the task has ended meanwhile.
    HandleOverlooksTheEnd in "task/handle.rs":
        "if self.head().state.await_it().is_completed() {"
        => "if self.head().state.await_it().is_completed() && !FAULT {";
    /// A handle replaces its waker while the worker may use it.
    WakerIsNotTheHandles in "task/handle.rs":
        "if !before.is_completed() && before.is_awaited() {"
        => "if !before.is_completed() && before.is_awaited() && !FAULT {";
    /// A worker that fills the slot of its next task forgets the earlier next task.
    NextIsOverwritten in "task/next.rs":
        "let before = self.take();"
        => "let before = if FAULT { None } else { self.take() };";
    /// The watch ends, and its last look is too early.
    WatchLooksTooEarly in "task/watch.rs":
        "fences::heavy();"
        => "if !FAULT {
            fences::heavy();
        }";
    /// A thread that blocks is not woken.
    BlockedThreadSleeps in "task/block_on.rs":
        "if !self.is_woken.swap(true, Ordering::Release) {"
        => "if !self.is_woken.swap(true, Ordering::Release) && !FAULT {";
    /// A timer that is the first one does not wake the thread.
    TimerIsASecret in "time/timers.rs":
        "(number, is_first)"
        => "(number, is_first && !FAULT)";
    /// The end of a pool does not abort its tasks.
    EndForgetsTasks in "pool.rs":
        "self.registry.abort_tasks();"
        => "if !FAULT {
            self.registry.abort_tasks();
        }";
    /// A pool that has aborted its tasks takes further tasks.
    EndedPoolTakesTasks in "task/list.rs":
        "entries.is_closed = true;"
        => "entries.is_closed = !FAULT;";
    /// A task that is freed, or has ended, keeps its pool.
    TaskKeepsItsPool in "task/spawn.rs":
        "self.registry.seats()[self.shard].tasks.list.leave(self.place);
        self.registry.release();"
        => "self.registry.seats()[self.shard].tasks.list.leave(self.place);
        if !FAULT {
            self.registry.release();
        }";
    /// A worker that blocks is not woken.
    BlockedWorkerSleeps in "task/block_on.rs":
        "if unsafe { CoreLatch::set(&raw const self.latch) } {"
        => "if unsafe { CoreLatch::set(&raw const self.latch) } && !FAULT {";
    /// All workers leave foreign work to others, and none is woken for it.
    NobodyIsRelieved in "sleep.rs":
        "let needs_relief = !list.expects_relief && list.find_relief().is_some();"
        => "let needs_relief = !list.expects_relief && list.find_relief().is_some() && !FAULT;";
    /// A worker that is woken to take foreign work does not.
    ReliefIsOverlooked in "sleep.rs":
        "self.signal_of(index) == RELIEVED"
        => "self.signal_of(index) == RELIEVED && !FAULT";
    /// A task of a body goes to a queue of the pool, which members of bodies do not take from.
    TasksOfABodyAreQueued in "worker/body.rs":
        "if state.is_over {
                return Err(task);"
        => "if state.is_over || FAULT {
                return Err(task);";
    /// The tasks that are left when a body is over are forgotten.
    BodyLosesItsTasks in "worker/body.rs":
        "left.into_iter().for_each(push);"
        => "if !FAULT {
            left.into_iter().for_each(push);
        }";
    /// A ready task of a body wakes no member.
    MembersSleepOn in "worker/body.rs":
        "this.registry.sleep().wake_those_alone();"
        => "if !FAULT {
            this.registry.sleep().wake_those_alone();
        }";
    /// A member that goes to sleep does not look whether a task of the body is ready.
    NewsAreOverlooked in "worker/wait.rs":
        "self.body().is_some_and(|body| body.has_news())"
        => "self.body().is_some_and(|body| body.has_news() && !FAULT)";
    /// A member that sleeps is not woken when the body is over.
    MembersOutliveTheBody in "worker/body.rs":
        "if is_shared {"
        => "if is_shared && !FAULT {";
    /// A member takes the jobs below its mark.
    MarkIsOverlooked in "worker/mod.rs":
        "Some(job) if job == Marker::job() => {"
        => "Some(job) if job == Marker::job() && !FAULT => {";
    /// A body begins on a worker whose deque has no room for a mark, as if it had one.
    FullDequeDisturbs in "worker/membership.rs":
        "has_no_room: mark == Mark::NoRoom };"
        => "has_no_room: mark == Mark::NoRoom && !FAULT };";
}
