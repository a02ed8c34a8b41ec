faults! {
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
    /// A send that is under way during the close does not look whether its message will be received.
    LateSendIsLost in "channel/core.rs":
        "if self.is_closed() { self.sent_late(end) } else { Ok(()) }"
        => "if self.is_closed() && !FAULT { self.sent_late(end) } else { Ok(()) }";
    /// A receiver that finds the closed channel empty does not look again under the lock.
    DrainsBlindly in "channel/core.rs":
        "match end.pop() {
            Ok(message) => Ok(Ok(message)),"
        => "match if FAULT { Err(PopError::Empty) } else { end.pop() } {
            Ok(message) => Ok(Ok(message)),";
    /// A receiver that finds the end leaves senders nothing with which they could take late messages back.
    EndIsLeftToNobody in "channel/core.rs":
        "*owner = End::Senders(end.leave());"
        => "*owner = End::Senders(if FAULT { None } else { end.leave() });";
    /// A sender that is alone has a permit without room.
    PermitWithoutRoom in "channel/sole.rs":
        "if let Err(error) = producer.find_room() {"
        => "if let (false, Err(error)) = (FAULT, producer.find_room()) {";
    /// A sink says that it is flushed while it has a message.
    SinkKeepsItsMessage in "stream/sink.rs":
        "let sent = self.get_mut().0.0.poll(context);"
        => "if FAULT {
            return Poll::Ready(Ok(()));
        }
        let sent = self.get_mut().0.0.poll(context);";
    /// A case of a select has no end after its first attempt.
    CaseLosesItsEnd in "select/case.rs":
        "place.end = self.end.take();"
        => "if !FAULT {
                place.end = self.end.take();
            }";
    /// A thread that finds no end in a case, because another one has it, is not told that it is back.
    CaseComesBackSilently in "select/case.rs":
        "if is_missed {"
        => "if is_missed && !FAULT {";
    /// A receive in a closed channel without room waits.
    ClosedMeetingReceives in "channel/rendezvous/state.rs":
        "if self.is_closed {
            return Some((closed(visit.case, RecvError), Woken::default()));"
        => "if self.is_closed && !FAULT {
            return Some((closed(visit.case, RecvError), Woken::default()));";
    /// A receiver of news gets a message twice.
    NewsComesTwice in "feed/mod.rs":
        "progress.position += 1;"
        => "progress.position += u64::from(!FAULT);";
    /// A weak sender of news becomes a sender after the end.
    WeakSenderOfNewsRevives in "feed/mod.rs":
        "(senders > 0).then_some(senders + 1)"
        => "(FAULT || senders > 0).then_some(senders + 1)";
    /// The last receiver leaves messages in the channel.
    ReceiverLeavesMessages in "channel/core.rs":
        "self.drop_messages(&mut pop);"
        => "if !FAULT {
            self.drop_messages(&mut pop);
        }";
    /// A send that comes after the last receiver has gone leaves its message in the channel.
    LateSendLeavesMessages in "channel/core.rs":
        "self.drop_messages(&mut |rest| end.pop_left(Some(rest)));"
        => "if !FAULT {
            self.drop_messages(&mut |rest| end.pop_left(Some(rest)));
        }";
    /// A weak sender becomes a sender after the end.
    WeakSenderRevives in "channel/core.rs":
        "(senders > 0).then_some(senders + 1)"
        => "(FAULT || senders > 0).then_some(senders + 1)";
    /// A weak sender becomes a sender after the end of a channel without room.
    WeakSenderMeetsAgain in "channel/rendezvous/mod.rs":
        "let is_alive = state.sender_handles > 0;"
        => "let is_alive = FAULT || state.sender_handles > 0;";
    /// The last receiver leaves messages in a channel that a weak sender keeps.
    WeakSenderKeepsMessages in "channel/core.rs":
        "if let Some(mut rest) = rest {"
        => "if let (false, Some(mut rest)) = (FAULT, rest) {";
    /// A sink that is closed keeps its room.
    ClosedSinkKeepsRoom in "stream/sink.rs":
        "this.permit = None;"
        => "if !FAULT {
            this.permit = None;
        }";
    /// A sink that is closed while it waits keeps its place in the line.
    ClosedSinkStays in "stream/sink.rs":
        "this.reserving.leave();"
        => "if !FAULT {
            this.reserving.leave();
        }";
    /// A sink that is closed keeps its sender.
    ClosedSinkSends in "stream/sink.rs":
        "self.get_mut().0 = None;"
        => "let this = self.get_mut();
        if !FAULT {
            this.0 = None;
        }";
    /// One receiver learns of the end of the channel.
    EndConcernsOne in "channel/core.rs":
        "self.messages.notify_all();"
        => "if !FAULT {
                    self.messages.notify_all();
                }";
    /// The close wakes no sender.
    CloseForgetsSenders in "channel/core.rs":
        "self.seal();
        self.room.notify_all();"
        => "self.seal();
        if !FAULT {
            self.room.notify_all();
        }";
    /// A receiver tells nobody that there is room.
    RoomIsASecret in "channel/core.rs":
        "if end.may_have_made_room() {"
        => "if !FAULT && end.may_have_made_room() {";
    /// A send takes room that a permit has reserved.
    SendForgetsPermits in "channel/ring.rs":
        "let last = if permits == 0 {"
        => "let last = if FAULT || permits == 0 {";
    /// A permit that is dropped keeps its room.
    PermitKeepsRoom in "channel/permit.rs":
        "buffer.release();"
        => "if !FAULT {
                    buffer.release();
                }";
    /// A permit that is dropped tells nobody that there is room.
    PermitGoesSilently in "channel/permit.rs":
        "core.room().notify();"
        => "if !FAULT {
                    core.room().notify();
                }";
    /// A permit's send does not learn from the producer that found the entry free.
    PermitLearnsNothing in "channel/ring.rs":
        "self.tail.compare_exchange(word, used, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.tail.compare_exchange(
                word,
                used,
                if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                Ordering::Relaxed,
            )";
    /// A notifier looks for waiters before its change, as far as they can tell.
    LooksTooEarly in "event/mod.rs":
        "if self.busy.waiting.load(Ordering::SeqCst) != 0 {"
        => "if self.busy.waiting.load(if FAULT { Ordering::Relaxed } else { Ordering::SeqCst }) != 0 {";
    /// A waiter sleeps although a change is under way.
    SleepsBesideAChange in "event/waiter.rs":
        "if event.is_of_exchanges && matches!(last, Err(Miss::Inexact)) {"
        => "if !FAULT && event.is_of_exchanges && matches!(last, Err(Miss::Inexact)) {";
    /// A select by index looks once whether anything is there.
    SelectLooksOnce in "select/index.rs":
        "if self.handles.len() < 2 {"
        => "if FAULT || self.handles.len() < 2 {";
    /// A select over futures looks once whether anything is there.
    SelectTriesOnce in "select/engine.rs":
        "let passes = self.cases.len().min(2);"
        => "let passes = if FAULT { 1 } else { self.cases.len().min(2) };";
    /// A receiver takes a message, and does not release what it did before.
    PopHidesWhatWasBefore in "channel/ring.rs":
        "self.head.compare_exchange(position, next, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.head.compare_exchange(
                    position,
                    next,
                    if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                    Ordering::Relaxed,
                )";
    /// A receiver finds nothing, and does not acquire what the thread did before that took the message.
    EmptyHidesWhatWasBefore in "channel/ring.rs":
        "let now = self.head.load(Ordering::Acquire)"
        => "let now = self.head.load(if FAULT { Ordering::Relaxed } else { Ordering::Acquire })";
    /// A sender takes room, and does not release what it did before.
    PushHidesWhatWasBefore in "channel/ring.rs":
        "self.tail.compare_exchange(word, next, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.tail.compare_exchange(
                    word,
                    next,
                    if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                    Ordering::Relaxed,
                )";
    /// A sender finds no room, and does not acquire what the thread did before that took it.
    FullHidesWhatWasBefore in "channel/ring.rs":
        "let now = self.tail.load(Ordering::Acquire)"
        => "let now = self.tail.load(if FAULT { Ordering::Relaxed } else { Ordering::Acquire })";
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
    /// A select chooses a partner although it has been chosen itself.
    SelectChoosesTwice in "select/ticket.rs":
        "let are_free = matches!((&*mine, &*other), (State::Waiting, State::Waiting));"
        => "let are_free = matches!(&*other, State::Waiting) && (FAULT || matches!(&*mine, State::Waiting));";
    /// A select takes a message from a channel with room although it has been chosen in one without.
    SelectTakesTwice in "select/engine.rs":
        "if let Some(Err(chosen)) = ticket.as_ref().map(|ticket| ticket.begin()) {
                self.bind(chosen);
                continue;"
        => "if let (Some(Err(chosen)), false) = (ticket.as_ref().map(|ticket| ticket.begin()), FAULT) {
                self.bind(chosen);
                continue;";
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
    /// A thread that waits gets its message before one that was sent earlier, and lies there for a task.
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
    /// A select whose case has come to nothing waits for that case alone.
    SelectWaitsForOneCase in "select/engine.rs":
        "let _ = ticket.begin();"
        => "if !FAULT {
                let _ = ticket.begin();
            }";
    /// A send that is polled again reserves a receiver.
    SpentSendReserves in "channel/meeting.rs":
        "if !self.reserves && self.message.is_none() && self.place.is_none() {"
        => "if !FAULT && !self.reserves && self.message.is_none() && self.place.is_none() {";
    /// The close wakes nobody in a channel without room.
    CloseForgetsMeetings in "channel/rendezvous/mod.rs":
        "Woken::all(state.take_all())"
        => "if FAULT { Woken::default() } else { Woken::all(state.take_all()) }";
    /// Nobody tells a thread that waits for a partner without meeting it.
    WatcherIsForgotten in "channel/rendezvous/state.rs":
        "while let Some(key) = self.watchers.first() {"
        => "while let (false, Some(key)) = (FAULT, self.watchers.first()) {";
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
    /// The sender of a channel for one message wakes one of the threads whose selects have its case.
    OneshotWakesOneThread in "select/signal.rs":
        "self.0.notify_all();"
        => "if FAULT { self.0.notify() } else { self.0.notify_all() }";
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
    /// The sender of a channel for one message does not look whether the receiver has gone while it took the waiter.
    OneshotLeavesTheGone in "oneshot/shared.rs":
        "let is_received = state.compare_exchange(WAKING, last, Ordering::Release, Ordering::Relaxed).is_ok();"
        => "let is_received = match FAULT {
            true => {
                state.swap(last, Ordering::Release);
                true
            }
            false => state.compare_exchange(WAKING, last, Ordering::Release, Ordering::Relaxed).is_ok(),
        };";
    /// A message of a batch is dropped when there is no room for it.
    BatchLosesItsMessage in "channel/batches.rs":
        "self.messages.push_front(message);
                    // Another"
        => "if !FAULT {
                        self.messages.push_front(message);
                    }
                    // Another";
    /// A message for all wakes one receiver.
    NewsForOne in "feed/mod.rs":
        "self.sent.notify_all();
        Ok(())"
        => "if FAULT {
            self.sent.notify();
        } else {
            self.sent.notify_all();
        }
        Ok(())";
    /// A sender that was overtaken in its slot puts its message over the newer one.
    OldNews in "feed/mod.rs":
        "if slot.next > position {"
        => "if slot.next > position && !FAULT {";
    /// A receiver does not count overwritten messages.
    LossIsForgotten in "feed/mod.rs":
        "progress.lost += oldest - position;"
        => "progress.lost += if FAULT { 0 } else { oldest - position };";
    /// The last sender goes and wakes nobody.
    EndOfNewsIsASecret in "feed/mod.rs":
        "self.is_closed.store(true, Ordering::Release);
            self.sent.notify_all();"
        => "self.is_closed.store(true, Ordering::Release);
            if !FAULT {
                self.sent.notify_all();
            }";
    /// A receiver takes the end for the end, although messages are left.
    EndBeforeTheLast in "feed/mod.rs":
        "if self.tail.load(Ordering::Relaxed) <= position {"
        => "if FAULT && is_closed || self.tail.load(Ordering::Relaxed) <= position {";
    /// A record that is given back, and a grant that is cancelled, tell nobody.
    RecordsGoSilently in "channel/records/ends.rs":
        "fn drop(&mut self) {
        self.0.notify();"
        => "fn drop(&mut self) {
        if FAULT {
            return;
        }
        self.0.notify();";
    /// A receiver that finds no record does not tell that it has made room.
    RoomThatComesLateIsASecret in "channel/core.rs":
        "if E::FREES_LATE {"
        => "if E::FREES_LATE && !FAULT {";
    /// A receiver waits for a grant that its own thread may hold.
    TryWaitsForAGrant in "channel/core.rs":
        "if E::IS_IN_PLACE {"
        => "if E::IS_IN_PLACE && !FAULT {";
    /// A sender goes, and tells nobody that the grant is cancelled which it has forgotten.
    ForgottenGrantGoesSilently in "channel/records/ends.rs":
        "self.0.messages().notify();"
        => "if !FAULT {
            self.0.messages().notify();
        }";
    /// A receiver goes, and tells nobody that there is room where it has forgotten a record.
    ForgottenRecordGoesSilently in "channel/records/ends.rs":
        "self.0.room().notify();"
        => "if !FAULT {
            self.0.room().notify();
        }";
    /// A reservation that is refused tells nobody that it has cancelled another one.
    RefusalIsSilent in "channel/records/send.rs":
        "self.core.messages().notify();"
        => "if !FAULT {
            self.core.messages().notify();
        }";
    /// A thread that waits for the lock takes it as if it were open.
    LockIsTakenBlindly in "lock.rs":
        "if !self.is_held.load(Ordering::Relaxed) && self.try_lock() {"
        => "if FAULT || !self.is_held.load(Ordering::Relaxed) && self.try_lock() {";
    /// The lock opens before what its holder has done, as far as others can tell.
    LockOpensTooEarly in "lock.rs":
        "self.is_held.store(false, Ordering::Release)"
        => "self.is_held.store(false, if FAULT { Ordering::Relaxed } else { Ordering::Release })";
}
