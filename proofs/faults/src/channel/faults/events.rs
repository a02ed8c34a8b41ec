// The faults of events and of the lock.

macro_rules! events {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A waiter that is dropped keeps its notification.
    DroppedWaiterKeeps in "event/waiter.rs":
        "if is_unused {"
        => "if is_unused && !FAULT {";
    /// A waiter whose time is over does not look whether it was notified.
    TimeOutKeeps in "event/waiter.rs":
        "if !self.unlist().0 {
            return None;"
        => "if !self.unlist().0 || FAULT {
            return None;";
    /// A waiter that succeeds without its notification keeps it.
    SuccessKeeps in "event/waiter.rs":
        "if was_notified || is_owed && attempt.is_more() {"
        => "if was_notified && !FAULT || is_owed && attempt.is_more() {";
    /// A waiter that succeeds wakes nobody, although room has come for several.
    OwesNothing in "event/waiters.rs":
        "self.is_owed = true;"
        => "self.is_owed = !FAULT;";
    /// A waiter that succeeds stays in the list.
    SuccessStays in "event/waiter.rs":
        "let entry = if let State::Listed(key) = state { list.remove(key) } else { None };"
        => "let entry = if let (false, State::Listed(key)) = (FAULT, state) { list.remove(key) } else { None };";
    /// A waiter finds the entry of another one in its place.
    PlacesAreNobodys in "event/waiters.rs":
        "entry.ticket == key.ticket"
        => "FAULT || entry.ticket == key.ticket";
    /// A waiter that was notified, and succeeds, does not look whether another one has a claim.
    NobodyHasAClaim in "event/waiter.rs":
        "if self.event.busy.waiting.load(Ordering::Acquire) == 0 {
            return;"
        => "if FAULT || self.event.busy.waiting.load(Ordering::Acquire) == 0 {
            return;";
    /// A waiter sleeps without an attempt after it is in the list.
    SleepsAtOnce in "event/waiter.rs":
        "self.list(wake, was_listed, miss);"
        => "self.list(wake, was_listed, miss);
        if FAULT {
            return None;
        }";
    /// A waiter passes the heavy fence before it arms the event.
    ArmsAfterTheFence in "event/waiter.rs":
        "event.is_armed.store(true, Ordering::Release);"
        => "if FAULT {
                fences::heavy();
                event.is_armed.store(true, Ordering::Release);
                return;
            }
            event.is_armed.store(true, Ordering::Release);";
    /// A notifier disarms the event without a look at the waiters.
    DisarmsBlindly in "event/mod.rs":
        "if list.waiting() == 0 {"
        => "if FAULT || list.waiting() == 0 {";
    /// Of all waiters, one is woken.
    AllIsOne in "event/mod.rs":
        "self.notify_many(usize::MAX);"
        => "self.notify_many(if FAULT { 1 } else { usize::MAX });";
    /// A task that is polled elsewhere is woken where it was.
    WakesTheOldTask in "event/waiter.rs":
        "Some(true) => None,"
        => "Some(same) if same || FAULT => None,
            Some(true) => None,";
    /// A notifier says that it is done before it has put the result.
    ServesTooEarly in "event/offer.rs":
        "unsafe { request.result.put(result) };"
        => "unsafe {
            if FAULT {
                request.state.store(SERVED, Ordering::Release);
            }
            request.result.put(result);
        };";
    /// A waiter whose time is over leaves its frame although a notifier has its attempt.
    OfferIsForgotten in "event/waiter.rs":
        "(0..).take_while(|_| !request.is_settled()).for_each(snooze);"
        => "if FAULT {
                    break true;
                }
                (0..).take_while(|_| !request.is_settled()).for_each(snooze);";
    /// A waiter offers its attempt although it has been notified.
    OfferIsForNobody in "event/waiter.rs":
        "if !self.event.busy.list.lock().offer(key, offer) {"
        => "if !self.event.busy.list.lock().offer(key, offer) && !FAULT {";
    /// A waiter that has to make its attempt itself takes it for made.
    DeclinedIsServed in "event/waiter.rs":
        "None if is_over => ControlFlow::Break(None),"
        => "None if is_over || FAULT => ControlFlow::Break(None),";
    /// A close wakes waiters, and does not tell them that their offers are declined.
    OfferStays in "event/waiters.rs":
        "unsafe { offer.decline() };"
        => "if !FAULT { unsafe { offer.decline() } };";
    /// A notifier looks for waiters before its change, as far as they can tell.
    LooksTooEarly in "event/mod.rs":
        "if self.busy.waiting.load(Ordering::SeqCst) != 0 {"
        => "if self.busy.waiting.load(if FAULT { Ordering::Relaxed } else { Ordering::SeqCst }) != 0 {";
    /// A waiter sleeps although a change is under way.
    SleepsBesideAChange in "event/waiter.rs":
        "if event.is_of_exchanges && matches!(last, Err(Miss::Inexact)) {"
        => "if !FAULT && event.is_of_exchanges && matches!(last, Err(Miss::Inexact)) {";
    /// A thread that waits for the lock takes it as if it were open.
    LockIsTakenBlindly in "sync/lock.rs":
        "if !self.is_held.load(Ordering::Relaxed) && self.try_lock() {"
        => "if FAULT || !self.is_held.load(Ordering::Relaxed) && self.try_lock() {";
    /// The lock opens before what its holder has done, as far as others can tell.
    LockOpensTooEarly in "sync/lock.rs":
        "self.is_held.store(false, Ordering::Release)"
        => "self.is_held.store(false, if FAULT { Ordering::Relaxed } else { Ordering::Release })";

    } };
}
