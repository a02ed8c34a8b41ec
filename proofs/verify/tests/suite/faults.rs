//! Each fault of `aqueduct-faults` is found by the client that is named for it.

use aqueduct_faults::queues::Fault;
use aqueduct_model::Config;
use aqueduct_model::FailureKind::{self, *};
use aqueduct_verify::clients::{self, Client};
use aqueduct_verify::faults;

/// A fault, the client that finds it, and how that client fails.
type Found = (Fault, &'static str, FailureKind);

/// The faults of `bbq` and `faaq`.
const BBQ: &[Found] = &[
    (Fault::BbqOpenUnlessUsedUp, "bbq-spmc/1x2-laps", DoubleFree),
    (Fault::BbqLastEntryIsAll, "bbq-mpmc/1x2-full-wide", Race),
    (Fault::BbqReaderDoesNotLook, "bbq-drop_old_spmc/1x1-over", Panic),
    (Fault::BbqReaderDoesNotLook, "bbq-drop_old_mpmc/2x1-over-wide", Panic),
    (Fault::BbqOrdersLaps, "bbq-drop_old_mpmc/1x1-rested", Panic),
    (Fault::BbqMarksEarly, "bbq-spsc/1x1-full", Race),
    (Fault::BbqMarksEarly, "bbq-mpmc/2x2", Race),
    (Fault::BbqGoesOnUnseen, "bbq-spsc/slices-lines", Race),
    (Fault::BbqGoesOnUnseen, "bbq-mpsc-each/slices-lines", Race),
    (Fault::BbqOpensAnyBlock, "bbq-mpsc/2x1-full", Race),
    (Fault::FaaqLastEntryIsAll, "faaq/2x1-wide", Race),
    (Fault::FaaqGivesOverAnyLap, "faaq/late-opened", Panic),
    (Fault::FaaqOpensAnyLap, "faaq/late-mark", Panic),
    (Fault::BbqFollowsNoHead, "bbq-drop_old_mpmc/2x1-over", Panic),
    (Fault::BbqKeepsTheOldHead, "bbq-drop_old_spmc/1x2-asleep", Panic),
    (Fault::BbqKeepsTheOldHead, "bbq-drop_old_mpmc/1x2-asleep", Panic),
    (Fault::BbqSkipsUncounted, "bbq-drop_old_spmc/1x1-over", Panic),
    (Fault::BbqOnlyReaderDoesNotLook, "bbq-drop_old_spsc/1x1-over", Panic),
    (Fault::BbqOnlyReaderDoesNotLook, "bbq-drop_old_mpsc/2x1-over-wide", Panic),
    (Fault::BbqOnlyReaderCountsTheCopied, "bbq-drop_old_spsc/1x1-over-wide", Panic),
    (Fault::BbqOnlyReaderLeavesParts, "bbq-drop_old_spsc/read-slices-over", Panic),
    (Fault::BbqOnlyReaderLeavesAGap, "bbq-drop_old_spsc/read-slices-over", Panic),
    (Fault::BbqLeavesTheHeadBehind, "bbq-mpmc/late-opener", TooManyEvents),
    (Fault::BbqLeavesTheHeadBehind, "faaq/late-opener", TooManyEvents),
    (Fault::BbqTakesAnyLap, "bbq-shared/slow-pops", TooManyEvents),
    (Fault::BbqTakesAnyLap, "faaq-shared/slow-pops", TooManyEvents),
    (Fault::BbqSaysAlone, "bbq-drop_old_mpmc/2x1-alone", Panic),
    (Fault::BbqStaysAlone, "bbq-drop_old_mpmc/2x1-paused", Panic),
    (Fault::BbqRenewsToThisLap, "bbq-drop_old_mpmc/2x1-renew", Panic),
    (Fault::BbqRenewsBlindly, "bbq-records_mpsc/2x1-renew", Panic),
    (Fault::BbqRenewsBlindly, "bbq-records_mpmc/2x1-renew", Panic),
    (Fault::BbqTakesAfterLoss, "bbq-mpsc/3x1-last", Race),
    (Fault::BbqTakesAfterLoss, "bbq-records_mpsc/3x1-wide", Race),
    (Fault::BbqPopsAfterLoss, "bbq-spmc/1x3-last", UseAfterFree),
    (Fault::FaaqMarksAfterLoss, "faaq/slow-pops-two", UseAfterFree),
    (Fault::BbqGrantsAreRecords, "bbq-records_spmc/1x2", Race),
    (Fault::BbqSlotsAreItems, "bbq-slots_spsc/1x1", Race),
    (Fault::BbqSlotsAreItems, "bbq-slots_mpsc/2x1", Race),
    (Fault::BbqGivesBackEarly, "bbq-slots_spsc/1x1", Race),
    (Fault::BbqGivesBackEarly, "bbq-slots_mpsc/2x1-full", Race),
    (Fault::BbqGivesBackEarly, "bbq-slots_spmc/1x2-laps", Race),
    (Fault::BbqReadsDummies, "bbq-slots_mpsc/1x1-forget", Uninitialized),
    (Fault::BbqReadsDummies, "bbq-slots_mpmc/1x1-forget", Uninitialized),
    (Fault::BbqKeepsDummies, "bbq-slots_mpsc/1x1-cancel", Panic),
    (Fault::BbqKeepsDummies, "bbq-slots_mpmc/1x2-cancel", Panic),
    (Fault::BbqDropsDummies, "bbq-slots_mpsc/1x1-drop-forgotten", Uninitialized),
    (Fault::BbqLeavesNoDummy, "bbq-slots_mpmc/2x1-forgotten", Uninitialized),
    (Fault::BbqLeavesAGap, "bbq-slots_spsc/1x1-forget", Uninitialized),
    (Fault::BbqForgetsTheForgotten, "bbq-slots_spsc/1x1-forget", Uninitialized),
    (Fault::BbqForgetsTheForgotten, "bbq-slots_mpsc/2x1-forgotten", Uninitialized),
    (Fault::BbqKeepsTheForgotten, "bbq-slots_spsc/1x1-forgets", Panic),
    (Fault::BbqKeepsTheForgotten, "bbq-slots_spmc/1x1-drop-forgotten", Leak),
    (Fault::BbqGoesBlindly, "bbq-drop_old_spmc/1x1-spare", Panic),
];

/// The faults of `bwos`.
const BWOS: &[Found] = &[
    (Fault::BwosLastMarkIsAll, "bwos-lifo/three-thieves-block", Race),
    (Fault::BwosLastMarkIsAll, "bwos-fifo/stolen-together", Race),
    (Fault::BwosKeepsMarks, "bwos-fifo/stolen-again", Race),
    (Fault::BwosMarksEarly, "bwos-lifo/lap", Race),
    (Fault::BwosMarksEarly, "bwos-fifo/lap-three", Race),
    (Fault::BwosLastTwoMarksAreAll, "bwos-lifo/three-thieves-block", Race),
    (Fault::BwosLastTwoMarksAreAll, "bwos-fifo/slow-thieves-three", UseAfterFree),
    (Fault::BwosSeizesAtOnce, "bwos-lifo/seized-pop", UseAfterFree),
    (Fault::BwosSeizesTooMuch, "bwos-lifo/seized-pops", Panic),
    (Fault::BwosSeizesElsewhere, "bwos-lifo/seized-below", UseAfterFree),
    (Fault::BwosSeizePopsUnseen, "bwos-lifo/seized-pop", UseAfterFree),
    (Fault::BwosSeizeCalmsLate, "bwos-lifo/seized-answered-pops", DoubleFree),
    (Fault::BwosSeizeKeepsNumber, "bwos-lifo/seized-pop", UseAfterFree),
    (Fault::BwosSeizeAsksByHalf, "bwos-lifo/seized-twice-single", UseAfterFree),
    (Fault::BwosSeizesAtOnce, "bwos-fifo/seized-pop", UseAfterFree),
    (Fault::BwosFifoSeizesTooMuch, "bwos-fifo/seized-push", Uninitialized),
    (Fault::BwosFifoSeizePopsUnseen, "bwos-fifo/seized-advance-single", UseAfterFree),
    (Fault::BwosFifoSeizeCalmsLate, "bwos-fifo/seized-answered-pops", DoubleFree),
    (Fault::BwosFifoSeizeCalmsLate, "bwos-fifo/seized-advances", UseAfterFree),
    (Fault::BwosFifoSeizeKeepsNumber, "bwos-fifo/seized-pop", UseAfterFree),
    (Fault::BwosFifoSeizeLosesItem, "bwos-fifo/seized-pops", Panic),
    (Fault::BwosFifoPopsUnwritten, "bwos-fifo/into", Uninitialized),
    (Fault::BwosFifoForgetsEnd, "bwos-fifo/into", Uninitialized),
    (Fault::BwosFifoHidesLatePushes, "bwos-fifo/parked-push", Panic),
    (Fault::BwosFifoHidesLatePushes, "bwos-fifo/parked-into", Panic),
    (Fault::BwosFifoHidesLatePushesOfLent, "bwos-fifo/parked-given-late", Panic),
    (Fault::BwosFifoTrustsOldView, "bwos-fifo/kept-advance", Panic),
    (Fault::BwosFifoForgetsAnnouncement, "bwos-fifo/kept-empty-next", Panic),
    (Fault::BwosFifoIsNeverStuck, "bwos-fifo/spins", Panic),
    (Fault::BwosFifoLendsWhatItPops, "bwos-fifo/seized-calm-asked", Panic),
    (Fault::BwosFifoLendsWithoutAnEnd, "bwos-fifo/fed-single-seized", DoubleFree),
    (Fault::BwosKeepsASingleItem, "bwos-lifo/spins-beside", Panic),
    (Fault::BwosPopsNothingUnseen, "bwos-lifo/parked-pop-nothing", Panic),
    (Fault::BwosFifoLeavesClaimed, "bwos-fifo/left-lent", DoubleFree),
];

/// The faults of `cnq`.
const CNQ: &[Found] = &[
    (Fault::CnqClosesNothing, "cnq-ring/ahead", Panic),
    (Fault::CnqClosesItsLaneOnly, "cnq-ring/three-late", Panic),
    (Fault::CnqClosesItsLaneOnly, "cnq-ring/four-late", Panic),
    (Fault::CnqStaysOpenLate, "cnq-ring/late", Panic),
    (Fault::CnqStaysOpenLate, "cnq-ring/three-overtaken", Panic),
    (Fault::CnqStaysOpenLate, "cnq-ring/slow-closing", Panic),
    (Fault::CnqLooksOnce, "cnq-ring/slow-closing", Panic),
    (Fault::CnqClosesItsLaneOnly, "cnq-ring/slow-pushes-four", Panic),
    (Fault::CnqAsksItsLaneOnly, "cnq-ring/slow-pops", Panic),
    (Fault::CnqAddsToTheCount, "cnq-ring/ahead", Panic),
    (Fault::CnqBelievesTheCount, "cnq-ring/ahead-put", UseAfterFree),
    (Fault::CnqAnswersForAnother, "cnq-ring/full-again", Panic),
    (Fault::CnqKeepsTheSpare, "cnq-ring/closed-twice", Race),
    (Fault::CnqGivesBackTheCapsule, "cnq-ring/closed-twice", Race),
    (Fault::CnqClosesUnseen, "cnq-ring/closed", Panic),
    (Fault::CnqHasNoWindow, "cnq-ring/behind", Panic),
    (Fault::CnqReadsAgain, "cnq-ring/fragment", UseAfterFree),
    (Fault::CnqForgetsFragments, "cnq-ring/fragment-taken", Panic),
    (Fault::CnqReadsTheForbidden, "cnq-faaq/reserved", Panic),
    (Fault::CnqForgetsTheForbidden, "cnq-faaq/reserved-exchanged", Panic),
    (Fault::CnqAsksItsLaneOnly, "cnq-faaq/reserved-passed", Panic),
];

/// The faults of the tubes of `cnq`.
const TUBES: &[Found] = &[
    (Fault::IndicesFollowUnknowing, "tube-indices/2x2", TooManyEvents),
    (Fault::IndicesTakeAnyLap, "tube-indices/1x1", Uninitialized),
    (Fault::IndicesFillAnyLap, "tube-indices/2x1", Panic),
    (Fault::IndicesTakeAfterLoss, "tube-indices/3x1", Race),
    (Fault::RingTakesAfterLoss, "tube-ring/3x1", Race),
];

/// The faults of `nblfq`.
const NBLFQ: &[Found] = &[
    (Fault::NblfqAnyEmptySlot, "nblfq/2x1-full-4", Panic),
    (Fault::NblfqNoNewLap, "nblfq/1x1-2", TooManyEvents),
    (Fault::NblfqAnyItem, "nblfq/1x2-full-2", Panic),
    (Fault::NblfqPopDoesNotCount, "nblfq/1x1-2", TooManyEvents),
    (Fault::NblfqFullByNeighbours, "nblfq/3x1-4", Panic),
    (Fault::NblfqForgetsASlot, "nblfq/1x1-full-dynamic-3", Panic),
    (Fault::NblfqTurnsEarly, "nblfq/1x1-full-dynamic-3", Panic),
];

/// The faults of `exact`.
const EXACT: &[Found] = &[
    (Fault::ExactForgetsPermits, "exact/keeps-slot", Race),
    (Fault::ExactPermitLearnsNothing, "exact/passes-permit", Race),
    (Fault::ExactPermitStays, "exact/permits-1x1-full-2", Panic),
    (Fault::ExactPermitKeepsItsSlot, "exact/gives-back", Panic),
    (Fault::ExactPopHidesWhatWasBefore, "exact/empty-tells", Panic),
    (Fault::ExactEmptyHidesWhatWasBefore, "exact/empty-tells", Panic),
    (Fault::ExactPushHidesWhatWasBefore, "exact/full-tells", Panic),
    (Fault::ExactFullHidesWhatWasBefore, "exact/full-tells-permit", Panic),
    (Fault::ExactForgetsASlot, "exact/1x1-full-3", Panic),
    (Fault::ExactKeepsItsLap, "exact/1x1-full-2", Panic),
    (Fault::ExactWrapsIntoPermits, "exact/drop-1", DoubleFree),
    (Fault::ExactBusyIsFull, "exact/pop-wakes", Panic),
    (Fault::ExactBusyIsEmpty, "exact/push-wakes", Panic),
    (Fault::ExactDropsNothing, "exact/drop-2", Leak),
];

/// The faults of `unbounded`.
const UNBOUNDED: &[Found] = &[
    (Fault::UnboundedIgnoresTheSkip, "unbounded/1x1-2", Panic),
    (Fault::UnboundedLastSlotIsAll, "unbounded/slow-pops-2", UseAfterFree),
    (Fault::UnboundedFreesUnread, "unbounded/late-pop-beside", Race),
    (Fault::UnboundedCountsOneVisitor, "unbounded/2x1-end-1", Leak),
    (Fault::UnboundedCountsOneVisitor, "unbounded/slow-pushes-1", UseAfterFree),
    (Fault::UnboundedHeadPassesTheTail, "unbounded/late-link-stopped", TooManyEvents),
    (Fault::UnboundedFillsTheFirstAgain, "unbounded/1x1-1", Panic),
    (Fault::UnboundedBelievesTwoWords, "unbounded/never-empty", Panic),
    (Fault::UnboundedOneConsumerIsNoVisitor, "unbounded/spsc-1x1-lap-1", Leak),
    (Fault::UnboundedOneConsumerTakesUnfilled, "unbounded/spsc-1x1-2", Uninitialized),
    (Fault::UnboundedOneConsumerSeesNobody, "unbounded/mpsc-slow-pushes-2", Panic),
];

/// Faults that show in a stopped thread: `many_threads.rs` names the queue.
const STOPPED: &[Fault] = &[
    Fault::BbqBusyIsEmpty,
    Fault::BbqBusyIsFull,
    Fault::CnqClosesItself,
    Fault::CnqRefusedIsEmpty,
    Fault::IndicesWaitForTheTail,
    Fault::NblfqWaitsForTheHead,
    Fault::UnboundedWaitsForTheProducer,
];

/// Clients of each queue by which the copy is compared with the library.
const COPIES: &[&str] = &[
    "bbq-spmc/1x1-laps",
    "bbq-mpmc/1x2-full-wide",
    "bbq-drop_old_spmc/1x1-over-wide",
    "bbq-drop_old_spsc/read-slices-over",
    "bbq-slots_mpmc/2x1-cancel-lap",
    "bbq-mpmc/2x2",
    "cnq-ring/closed",
    "cnq-ring/ahead-lap",
    "cnq-ring/fragment-open",
    "tube-ring/2x1",
    "nblfq/1x1-2",
    "nblfq/2x1-4",
    "nblfq/1x2-lap-wide-2",
    "nblfq/2x1-lap-dynamic-3",
    "nblfq/interrupted-push",
    "exact/2x1-2",
    "exact/permits-1x2-1",
    "exact/passes-permit",
    "unbounded/1x1-1",
    "unbounded/1x1-2",
    "unbounded/late-pop-listed",
    "unbounded/slices-2",
];

fn named<'a>(clients: &'a [Client], name: &str) -> &'a Client {
    clients.iter().find(|client| client.name == name).unwrap_or_else(|| panic!("{name} is no client"))
}

/// Random executions, which find most faults sooner, come before all executions. The kind is that
/// of the first failure.
fn are_found(table: &[Found]) {
    for &(fault, name, kind) in table {
        let clients = faults::clients(Some(fault));
        let failure = |config: Config| named(&clients, name).check(&config).failure;
        let failure = failure(Config::new().random(1_000, 1)).or_else(|| failure(Config::new()));
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

#[test]
fn faults_of_bbq_are_found() {
    are_found(BBQ);
}

#[test]
fn faults_of_bwos_are_found() {
    are_found(BWOS);
}

#[test]
fn faults_of_cnq_are_found() {
    are_found(CNQ);
}

#[test]
fn faults_of_tubes_are_found() {
    are_found(TUBES);
}

#[test]
fn faults_of_nblfq_are_found() {
    are_found(NBLFQ);
}

#[test]
fn faults_of_the_exact_queue_are_found() {
    are_found(EXACT);
}

#[test]
fn faults_of_the_unbounded_queue_are_found() {
    are_found(UNBOUNDED);
}

#[test]
fn every_fault_is_in_a_table() {
    let tables = [BBQ, BWOS, CNQ, TUBES, NBLFQ, EXACT, UNBOUNDED].into_iter().flatten();
    let found: Vec<Fault> = tables.map(|&(fault, ..)| fault).chain(STOPPED.iter().copied()).collect();
    let missing: Vec<Fault> = Fault::ALL.iter().copied().filter(|fault| !found.contains(fault)).collect();
    assert_eq!(missing, []);
}

/// Without a fault, the copy has the library's executions.
#[test]
fn the_copy_without_a_fault_is_the_library() {
    let is_thorough = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let config = if is_thorough { Config::new() } else { Config::new().max_executions(2_000) };
    let (copies, originals) = (faults::clients(None), clients::all());
    for name in COPIES {
        let [copy, original] = [&copies, &originals].map(|clients| named(clients, name).check(&config));
        assert!(copy.failure.is_none(), "{name}: {}", copy.failure.unwrap());
        assert_eq!(copy.executions, original.executions, "{name}");
    }
}
