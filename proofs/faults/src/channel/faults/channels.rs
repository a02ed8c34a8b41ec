// The faults of channels with queues, and of streams and sinks.

macro_rules! channels {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A send that is under way during the close does not look whether its message will be
    /// received.
    LateSendIsLost in "channel/core.rs":
        "if self.is_closed() { self.closing.sent_after_close(end) } else { Ok(()) }"
        => "if self.is_closed() && !FAULT { self.closing.sent_after_close(end) } else { Ok(()) }";
    /// A receiver that finds the closed channel empty does not look again under the lock.
    DrainsBlindly in "channel/closing.rs":
        "match end.pop() {
            Ok(message) => Ok(Ok(message)),"
        => "match if FAULT { Err(PopError::Empty) } else { end.pop() } {
            Ok(message) => Ok(Ok(message)),";
    /// A receiver that finds the end leaves senders nothing with which they could take late
    /// messages back.
    EndIsLeftToNobody in "channel/closing.rs":
        "*owner = End::Senders(end.leave());"
        => "*owner = End::Senders(if FAULT { None } else { end.leave() });";
    /// A sender that is alone has a permit though the queue is full.
    PermitWithoutRoom in "channel/permits/sole.rs":
        "if let Err(error) = producer.find_room() {"
        => "if let (false, Err(error)) = (FAULT, producer.find_room()) {";
    /// A sink says that it is flushed while it has a message.
    SinkKeepsItsMessage in "stream/sink.rs":
        "let sent = self.get_mut().0.0.poll(context);"
        => "if FAULT {
            return Poll::Ready(Ok(()));
        }
        let sent = self.get_mut().0.0.poll(context);";
    /// The last receiver leaves messages in the channel.
    ReceiverLeavesMessages in "channel/core.rs":
        "self.closing.drop_messages(&mut pop);"
        => "if !FAULT {
            self.closing.drop_messages(&mut pop);
        }";
    /// A send that comes after the last receiver has gone leaves its message in the channel.
    LateSendLeavesMessages in "channel/closing.rs":
        "self.drop_messages(&mut |rest| end.pop_left(Some(rest)));"
        => "if !FAULT {
            self.drop_messages(&mut |rest| end.pop_left(Some(rest)));
        }";
    /// A weak sender becomes a sender after the end.
    WeakSenderRevives in "channel/core.rs":
        "(senders > 0).then_some(senders + 1)"
        => "(FAULT || senders > 0).then_some(senders + 1)";
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
    EndConcernsOne in "channel/closing.rs":
        " messages.notify_all();"
        => " if !FAULT {
                    messages.notify_all();
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
    /// A permit that is dropped tells nobody that there is room.
    PermitGoesSilently in "channel/permits/shared.rs":
        "self.0.room().notify();"
        => "if !FAULT {
            self.0.room().notify();
        }";
    /// A message of a batch is dropped when there is no room for it.
    BatchLosesItsMessage in "channel/handles/batches.rs":
        "self.messages.push_front(message);
                    // Another"
        => "if !FAULT {
                        self.messages.push_front(message);
                    }
                    // Another";
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

    } };
}
