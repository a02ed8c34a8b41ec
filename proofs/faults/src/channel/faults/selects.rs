// The faults of selects.

macro_rules! selects {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A case of a select has no end after its first attempt.
    CaseLosesItsEnd in "select/case.rs":
        "place.end = self.end.take();"
        => "if !FAULT {
                place.end = self.end.take();
            }";
    /// A thread that finds no end in a case, because another one has it, is not told that it is
    /// back.
    CaseComesBackSilently in "select/case.rs":
        "if is_missed {"
        => "if is_missed && !FAULT {";
    /// A select by index looks once whether anything is there.
    SelectLooksOnce in "select/index.rs":
        "if self.handles.len() < 2 {"
        => "if FAULT || self.handles.len() < 2 {";
    /// A select over futures looks once whether anything is there.
    SelectTriesOnce in "select/engine.rs":
        "let passes = self.cases.len().min(2);"
        => "let passes = if FAULT { 1 } else { self.cases.len().min(2) };";
    /// A select chooses a partner although it has been chosen itself.
    SelectChoosesTwice in "select/ticket.rs":
        "let are_free = matches!((&*mine, &*other), (State::Waiting, State::Waiting));"
        => "let are_free = matches!(&*other, State::Waiting) && (FAULT || matches!(&*mine, State::Waiting));";
    /// A select takes a message from a queue although it has been chosen in a rendezvous.
    SelectTakesTwice in "select/engine.rs":
        "if let Some(Err(chosen)) = ticket.as_ref().map(|ticket| ticket.begin()) {
                self.bind(chosen);
                continue;"
        => "if let (Some(Err(chosen)), false) = (ticket.as_ref().map(|ticket| ticket.begin()), FAULT) {
                self.bind(chosen);
                continue;";
    /// A receiver that has been promised a message waits for it after its time.
    TimeOutWaitsForThePromise in "select/engine.rs":
        "Progress::Missed | Progress::Bound if spin_and_park(deadline) => {"
        => "Progress::Bound if FAULT => {
                spin_and_park(None);
            }
            Progress::Missed | Progress::Bound if spin_and_park(deadline) => {";
    /// A select that has been promised a message waits for it after its time.
    SelectWaitsForThePromise in "select/engine.rs":
        "let chosen = self.bound.take();"
        => "while FAULT && self.bound.is_some_and(|at| matches!(self.cases[at].poll_by(Caller::Thread, None), Progress::Bound)) {
            park(None);
        }
        let chosen = self.bound.take();";
    /// A select whose case has come to nothing waits for that case alone.
    SelectWaitsForOneCase in "select/engine.rs":
        "let _ = ticket.begin();"
        => "if !FAULT {
                let _ = ticket.begin();
            }";
    /// The sender of a channel for one message wakes one of the threads whose selects have its
    /// case.
    OneshotWakesOneThread in "select/signal.rs":
        "self.0.notify_all();"
        => "if FAULT { self.0.notify() } else { self.0.notify_all() }";

    } };
}
