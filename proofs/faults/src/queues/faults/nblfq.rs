// The faults of `nblfq`.

macro_rules! nblfq {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A push takes any empty slot, in any lap.
    NblfqAnyEmptySlot in "nblfq/ring.rs":
        "if S::is_empty(here) && S::count(here) == lap {"
        => "if S::is_empty(here) && (FAULT || S::count(here) == lap) {";
    /// Pushes do not begin a new lap at the ring's first slot.
    NblfqNoNewLap in "nblfq/ring.rs":
        "let lap = if at == 0 { S::plus_one(last) } else { last };"
        => "let lap = if at == 0 && !FAULT { S::plus_one(last) } else { last };";
    /// A pop takes any item, the oldest or not.
    NblfqAnyItem in "nblfq/ring.rs":
        "if S::count(here) == due {"
        => "if S::count(here) == due || FAULT && !S::is_empty(here) {";
    /// A push returns `Full` if two neighbours are filled, in any laps. With one or two pushes at a
    /// time, the hint of the end leads to the end.
    NblfqFullByNeighbours in "nblfq/ring.rs":
        "S::count(here) == S::minus_one(lap)"
        => "(FAULT || S::count(here) == S::minus_one(lap))";
    /// A pop does not count: the slot has its value from before the push again, and an exchange
    /// that expects that value succeeds.
    NblfqPopDoesNotCount in "nblfq/ring.rs":
        "S::empty(S::plus_one(due))"
        => "S::empty(if FAULT { due } else { S::plus_one(due) })";
    /// A push that finds an item where the head should be waits until the push of that item has
    /// moved the head.
    NblfqWaitsForTheHead in "nblfq/ring.rs":
        "let here = read(slots, at);
            // The last lap in which the slot before was filled: this one's turn is then, or next."
        => "let mut here = read(slots, at);
            while FAULT && !S::is_empty(here) && S::is_empty(read(slots, next(at, count))) {
                at = self.head.load(Ordering::Relaxed);
                left = read(slots, before(at, count));
                here = read(slots, at);
            }";
    /// A queue whose capacity is chosen when it is made has a slot fewer than was asked for.
    NblfqForgetsASlot in "nblfq/slots.rs":
        "Array::new(capacity.max(2), |_| S::EMPTY)?"
        => "Array::new((capacity - usize::from(FAULT)).max(2), |_| S::EMPTY)?";
    /// The slot before the last is followed by the first one, but the slot before the first one is
    /// the last.
    NblfqTurnsEarly in "nblfq/ring.rs":
        "if index + 1 == count { 0 } else { index + 1 }"
        => "if index + 1 == count - usize::from(FAULT && count > 2) { 0 } else { index + 1 }";

    } };
}
