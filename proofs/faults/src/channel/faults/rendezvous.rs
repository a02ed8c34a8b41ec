// The faults of rendezvous.

macro_rules! rendezvous {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A receive in a closed rendezvous waits.
    ClosedMeetingReceives in "channel/rendezvous/state.rs":
        "if self.is_closed {
            return Some((closed(visit.case, RecvError), Woken::default()));"
        => "if self.is_closed && !FAULT {
            return Some((closed(visit.case, RecvError), Woken::default()));";
    /// A weak sender becomes a sender after the end of a rendezvous.
    WeakSenderMeetsAgain in "channel/rendezvous/mod.rs":
        "let is_alive = state.sender_handles > 0;"
        => "let is_alive = FAULT || state.sender_handles > 0;";
    /// A select that waits again does not look whether a partner has passed it by.
    SelectIsPassedBy in "channel/rendezvous/state.rs":
        "visit.moves_to(&mut self.receivers.get(key).wake)?;
                if visit.case.is_none() {"
        => "visit.moves_to(&mut self.receivers.get(key).wake)?;
                if visit.case.is_none() || FAULT {";
    /// A select that waits again to send does not look whether a partner has passed it by.
    SelectIsPassedByReceivers in "channel/rendezvous/state.rs":
        "visit.moves_to(&mut self.senders.get(key).wake)?;
            if visit.case.is_none() {"
        => "visit.moves_to(&mut self.senders.get(key).wake)?;
            if visit.case.is_none() || FAULT {";
    /// A select learns of the end of a channel although another case has been chosen.
    EndForgetsTheTicket in "channel/rendezvous/state.rs":
        "if own.is_none_or(|(own, _)| own.take()) { Progress::Done(Err(error)) } else { Progress::Missed }"
        => "if FAULT || own.is_none_or(|(own, _)| own.take()) { Progress::Done(Err(error)) } else { Progress::Missed }";
    /// A select meets itself.
    SelectMeetsItself in "channel/rendezvous/state.rs":
        "(Some((ticket, _)), Some((own, _))) if Arc::ptr_eq(ticket, own) => false,"
        => "(Some((ticket, _)), Some((own, _))) if Arc::ptr_eq(ticket, own) => FAULT,";
    /// The message of a future that is dropped is dropped, too.
    DroppedReceiverKeepsItsMessage in "channel/rendezvous/state.rs":
        "Got::Called => self.call_next(),"
        => "Got::Called if FAULT => {
                drop(self.left.pop_front());
                Woken::default()
            }
            Got::Called => self.call_next(),";
    /// A task that has been called is dropped, and calls nobody else.
    DroppedReceiverCallsNobody in "channel/rendezvous/state.rs":
        "if self.left.is_empty() {
            return Woken::default();"
        => "if FAULT || self.left.is_empty() {
            return Woken::default();";
    /// A receiver whose promise has been broken waits for it.
    BrokenPromiseIsASecret in "channel/rendezvous/state.rs":
        "entry.state = Got::Broken;"
        => "if !FAULT {
                entry.state = Got::Broken;
            }";
    /// A message that was promised to a receiver which has gone is dropped.
    PromiseEndsWithItsReceiver in "channel/rendezvous/state.rs":
        "(Ok(()), self.leave(message))"
        => "(Ok(()), if FAULT { Woken::default() } else { self.leave(message) })";
    /// A receiver whose time is over does not look whether it has been chosen.
    TimeOutForgetsTheSender in "channel/rendezvous/state.rs":
        "if self.receivers.is_linked(key) {
            return (Progress::Missed,"
        => "if self.receivers.is_linked(key) || FAULT {
            return (Progress::Missed,";
    /// An attempt that does not wait chooses a sender that has no message yet.
    TryTakesAReservation in "channel/rendezvous/state.rs":
        "!entry.is_reservation() && entry.is_chosen_with(case)"
        => "(FAULT || !entry.is_reservation()) && entry.is_chosen_with(case)";
    /// An attempt passes a thread by that sends at once.
    TryPassesThreadsBy in "channel/rendezvous/mod.rs":
        "if self.are_prompt && matches!(stay, Stay::Never) {"
        => "if self.are_prompt && !FAULT && matches!(stay, Stay::Never) {";
    /// An attempt whose sender goes back on its promise looks for no other sender.
    BrokenPromiseEndsAnAttempt in "channel/rendezvous/mod.rs":
        "(Progress::Bound | Progress::Broken, _) => {}"
        => "(Progress::Broken, _) if FAULT => return Progress::Missed,
                (Progress::Bound | Progress::Broken, _) => {}";
    /// A receiver whose time is over goes, though a thread sends to it at once.
    TimeOutLeavesThreads in "channel/rendezvous/state.rs":
        "if are_prompt && matches!(self.receivers.get(key).state, Got::Promise) {"
        => "if are_prompt && !FAULT && matches!(self.receivers.get(key).state, Got::Promise) {";
    /// A thread that sends at once does not make its receiver ready.
    ThreadsAreNotReady in "channel/rendezvous/state.rs":
        "are_prompt || !entry.is_reservation();"
        => "are_prompt && !FAULT || !entry.is_reservation();";
    /// A receiver whose time is over does not leave its entry to the sender that owes it a message.
    TimeOutTakesItsEntry in "channel/rendezvous/state.rs":
        "match self.abandon(key) {
            Some(wake) => (Progress::Broken, Woken::none(wake)),"
        => "match self.abandon(key) {
            Some(_) if FAULT => {
                drop(self.receivers.remove(key));
                (Progress::Broken, Woken::default())
            }
            Some(wake) => (Progress::Broken, Woken::none(wake)),";
    /// A permit that has been forgotten keeps its receiver after the end.
    PromiseOutlivesTheSenders in "channel/rendezvous/state.rs":
        "all.extend(promised.filter_map(|entry| entry.wake.take()));"
        => "if !FAULT {
            all.extend(promised.filter_map(|entry| entry.wake.take()));
        }";
    /// A permit sends into a closed channel.
    PromiseIsKeptAfterTheEnd in "channel/rendezvous/state.rs":
        "if self.is_closed || self.receiver_handles == 0 {"
        => "if self.is_closed && !FAULT || self.receiver_handles == 0 {";
    /// A task gets its message before it comes for it.
    TaskHasItsMessage in "channel/rendezvous/state.rs":
        "if entry.is_task ||"
        => "if entry.is_task && !FAULT ||";
    /// A thread that waits gets its message before one that was sent earlier, and lies there for a
    /// task.
    ThreadGetsALaterMessage in "channel/rendezvous/state.rs":
        "!self.left.is_empty() {
            self.left.push_back(message);"
        => "!FAULT && !self.left.is_empty() {
            self.left.push_back(message);";
    /// A task whose message another receiver has taken does not wait again.
    CalledInVainIsForgotten in "channel/rendezvous/state.rs":
        "self.receivers.link(key, true);"
        => "if !FAULT {
            self.receivers.link(key, true);
        }";
    /// A send that is polled again reserves a receiver.
    SpentSendReserves in "channel/rendezvous/meeting.rs":
        "if !self.reserves && self.message.is_none() && self.place.is_none() {"
        => "if !FAULT && !self.reserves && self.message.is_none() && self.place.is_none() {";
    /// The close wakes nobody in a rendezvous.
    CloseForgetsMeetings in "channel/rendezvous/mod.rs":
        "Woken::all(state.take_all())"
        => "if FAULT { Woken::default() } else { Woken::all(state.take_all()) }";
    /// Nobody tells a thread that waits for a partner without meeting it.
    WatcherIsForgotten in "channel/rendezvous/state.rs":
        "while let Some(key) = self.watchers.first() {"
        => "while let (false, Some(key)) = (FAULT, self.watchers.first()) {";

    } };
}
