std::thread_local! {
    static PRESENT: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Runs `body`, one execution of a client, with this fault, or with none.
pub fn with<R>(fault: Option<Fault>, body: impl FnOnce() -> R) -> R {
    PRESENT.set(fault);
    body()
}

/// Whether this fault is switched on.
pub(crate) fn has(fault: Fault) -> bool {
    PRESENT.get() == Some(fault)
}
