// The faults of `cnq`.

macro_rules! cnq {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A producer enters and closes nothing.
    CnqClosesNothing in "cnq/windows.rs":
        "                close(id);
            }"
        => "                if !FAULT {
                    close(id);
                }
            }";
    /// A producer that enters in time closes its own capsule all the same.
    CnqClosesItself in "cnq/producer.rs":
        "if open.is_some() && !stays_open {"
        => "if open.is_some() && (FAULT || !stays_open) {";
    /// A producer that enters closes only the capsules that are a multiple of the window behind its
    /// own. The order survives that with two producers, and not with three.
    CnqClosesItsLaneOnly in "cnq/windows.rs":
        "(distance >= self.window() && id != self.nobody())"
        => "(distance >= self.window() && id != self.nobody() && !(FAULT && distance % self.window() != 0))";
    /// A producer that enters when others are too far ahead keeps its capsule open.
    CnqStaysOpenLate in "cnq/windows.rs":
        "newest.wrapping_sub(entering.position).cast_signed() < self.window()"
        => "FAULT || newest.wrapping_sub(entering.position).cast_signed() < self.window()";
    /// A producer that has closed other capsules does not check again whether it is too late
    /// itself.
    CnqLooksOnce in "cnq/windows.rs":
        "            newest = self.announce(entering);"
        => "            let again = self.announce(entering);
            if !FAULT {
                newest = again;
            }";
    /// A producer publishes an item by adding to the count, whether the capsule has been closed or
    /// not, as in J. Wang's thesis.
    CnqAddsToTheCount in "cnq/capsule.rs":
        "state.0 == base || self.answer("
        => "FAULT || state.0 == base || self.answer(";
    /// A consumer believes the count of a capsule that is about to be closed.
    CnqBelievesTheCount in "cnq/capsule.rs":
        "let mut state = State(self.state.load(Ordering::Acquire));
        if state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);"
        => "let mut state = State(self.state.load(Ordering::Acquire));
        if !FAULT && state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);";
    /// A producer that has filled a capsule answers a thread that asks to close it in another use.
    CnqAnswersForAnother in "cnq/capsule.rs":
        "if state.0 == base | State::ASKED {"
        => "if FAULT && state.is_asked() || state.0 == base | State::ASKED {";
    /// A producer that finds that the consumer has left keeps its old spare.
    CnqKeepsTheSpare in "cnq/producer.rs":
        "if consumer_left {"
        => "if !FAULT && consumer_left {";
    /// A consumer gives back a capsule that its producer has not left.
    CnqGivesBackTheCapsule in "cnq/consumer.rs":
        "if producer_left { id } else { spare }"
        => "if FAULT || producer_left { id } else { spare }";
    /// A consumer closes a capsule and leaves it, although an item has come meanwhile.
    CnqClosesUnseen in "cnq/consumer.rs":
        "capsule.close(capsules.size);"
        => "capsule.close(capsules.size);
            if FAULT {
                self.leave(held);
            }";
    /// Consumers read any capsule that they get.
    CnqHasNoWindow in "cnq/windows.rs":
        "self.lanes.iter().all("
        => "FAULT || self.lanes.iter().all(";
    /// A consumer asks only the lane of its position whether it may read there. The order survives
    /// that with two consumers, and not with three on a tube that gives out positions which may not
    /// be read yet.
    CnqAsksItsLaneOnly in "cnq/windows.rs":
        ".wrapping_sub(behind).cast_signed() > 0)"
        => ".wrapping_sub(behind).cast_signed() > 0
            || FAULT && !core::ptr::eq(lane, &self.lanes[position % self.lanes.len()]))";
    /// A consumer reads a fragment from its first item on.
    CnqReadsAgain in "cnq/consumer.rs":
        "SlotContent { read: self.read, ..held.content }"
        => "SlotContent { read: if FAULT { 0 } else { self.read }, ..held.content }";
    /// A consumer returns `Empty` although the next capsule is only not to be read yet.
    CnqRefusedIsEmpty in "cnq/consumer.rs":
        "        Nothing::Busy | Nothing::Refused => PopError::Busy,"
        => "        Nothing::Refused if FAULT => PopError::Empty,
        Nothing::Busy | Nothing::Refused => PopError::Busy,";
    /// A consumer reads the capsule that it gets, without regard to the capsule that it asked for.
    CnqReadsTheForbidden in "cnq/consumer.rs":
        "self.hold(ticket, is_permitted);"
        => "self.hold(ticket, FAULT || is_permitted);";
    /// A consumer that gets a fragment in place of a capsule that it may not read forgets that
    /// capsule.
    CnqForgetsTheForbidden in "cnq/consumer.rs":
        "self.leave_fragment(held.ticket, SlotContent { read: 0, ..held.content });"
        => "if !FAULT {
            self.leave_fragment(held.ticket, SlotContent { read: 0, ..held.content });
        }";
    /// A consumer that needs the next capsule does not look for fragments.
    CnqForgetsFragments in "cnq/consumer.rs":
        "let taken = match fragments.any() {"
        => "let taken = match !FAULT && fragments.any() {";

    } };
}
