// The faults of channels whose messages every receiver gets.

macro_rules! feeds {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A receiver of news gets a message twice.
    NewsComesTwice in "feed/mod.rs":
        "progress.position += 1;"
        => "progress.position += u64::from(!FAULT);";
    /// A weak sender of news becomes a sender after the end.
    WeakSenderOfNewsRevives in "feed/mod.rs":
        "(senders > 0).then_some(senders + 1)"
        => "(FAULT || senders > 0).then_some(senders + 1)";
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

    } };
}
