// The faults of channels for one message.

macro_rules! oneshots {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A select by index does not leave its waker to the sender.
    OneshotCaseIsNotListed in "oneshot/shared.rs":
        "EMPTY => {
                    if self.list(caller) {
                        return false;"
        => "EMPTY => {
                    if FAULT || self.list(caller) {
                        return false;";
    /// The sender of a channel for one message wakes nobody.
    OneshotWakesNobody in "oneshot/shared.rs":
        "if is_received {
            waiter.wake();"
        => "if is_received && !FAULT {
            waiter.wake();";
    /// The receiver of a channel for one message goes without the message that has been sent.
    OneshotForgetsTheMessage in "oneshot/shared.rs":
        "FULL => Some(unsafe { link.message.take() }),
            ENDED => None,"
        => "FULL if !FAULT => Some(unsafe { link.message.take() }),
            FULL | ENDED => None,";
    /// The sender of a channel for one message does not look whether the receiver is there.
    OneshotOverwritesTheState in "oneshot/shared.rs":
        "if state.compare_exchange(EMPTY, last, Ordering::Release, Ordering::Relaxed).is_ok() {"
        => "if FAULT && last == FULL {
                        state.swap(last, Ordering::Release);
                        return true;
                    }
                    if state.compare_exchange(EMPTY, last, Ordering::Release, Ordering::Relaxed).is_ok() {";
    /// The receiver closes a channel for one message that has its message.
    OneshotClosesOverItsMessage in "oneshot/shared.rs":
        "match self.state.compare_exchange(EMPTY, CLOSED, Ordering::Relaxed, Ordering::Relaxed) {"
        => "let close = || match FAULT {
                true => match self.state.swap(CLOSED, Ordering::Relaxed) {
                    EMPTY => Ok(EMPTY),
                    state => Err(state),
                },
                false => self.state.compare_exchange(EMPTY, CLOSED, Ordering::Relaxed, Ordering::Relaxed),
            };
            match close() {";
    /// The handle of a channel for one message that goes last leaves the memory.
    OneshotLeavesItsMemory in "oneshot/shared.rs":
        "if link.state.swap(ENDED, Ordering::AcqRel) == GONE {"
        => "if link.state.swap(ENDED, Ordering::AcqRel) == GONE && !FAULT {";
    /// A task that waits while the sender takes the waiter of another one is not woken.
    OneshotForgetsTheNewTask in "oneshot/shared.rs":
        "WAKING => {
                    snooze(round);
                    round += 1;
                }
                _ => {}"
        => "WAKING if FAULT => return None,
                WAKING => {
                    snooze(round);
                    round += 1;
                }
                _ => {}";
    /// The sender of a channel for one message does not look whether the receiver has gone while it
    /// took the waiter.
    OneshotLeavesTheGone in "oneshot/shared.rs":
        "let is_received = state.compare_exchange(WAKING, last, Ordering::Release, Ordering::Relaxed).is_ok();"
        => "let is_received = match FAULT {
            true => {
                state.swap(last, Ordering::Release);
                true
            }
            false => state.compare_exchange(WAKING, last, Ordering::Release, Ordering::Relaxed).is_ok(),
        };";

    } };
}
