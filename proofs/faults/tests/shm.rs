//! Each fault is found, by the client that is there for it, and the source without a fault passes.

#[path = "../../under-model/shm/tests/clients/mod.rs"]
mod clients;
mod table;

use aqueduct_faults::shm as library;
use aqueduct_model::{Config, FailureKind};
use clients::Records;
use clients::left::{OfOne, leaver_is_killed};
use library::Fault;

/// Returns the failure of the client of this name with the fault, or of one whose thread is killed.
fn failure(name: &str, fault: Option<Fault>) -> Option<FailureKind> {
    if let Some(&(_, client)) = KILLED.iter().find(|client| client.0 == name) {
        return (0..40).find_map(|steps| {
            let config = Config::new().kill(1, steps).finds_leaks(false);
            config.check(move || library::with(fault, client)).failure.map(|failure| failure.kind)
        });
    }
    let &(_, client, _) = clients::CLIENTS.iter().find(|client| client.0 == name).expect("the name of a client");
    let report = Config::new().jobs(2).check(move || library::with(fault, client));
    report.failure.map(|failure| failure.kind)
}

/// Clients that show faults when a thread is killed after some number of its steps.
const KILLED: &[(&str, fn())] = &[
    ("a_consumer_of_records_is_killed", clients::consumer_is_killed::<Records<4>>),
    ("one_of_many_consumers_is_killed", clients::mpmc::consumer_is_killed::<false>),
    ("one_of_many_producers_is_killed", clients::mpmc::producer_is_killed),
    ("a_leaver_is_killed", leaver_is_killed::<OfOne<Records<4>>>),
];

/// A fault, the name of the client that finds it, and how.
const FOUND: &[(Fault, &str, FailureKind)] = &[
    (Fault::LooksOnce, "a_consumer_of_items_sleeps", FailureKind::Liveness),
    (Fault::LetsSleep, "a_producer_of_records_sleeps", FailureKind::Liveness),
    (Fault::SignalsNothing, "a_consumer_of_items_waits_for_its_event", FailureKind::Liveness),
    (Fault::SignalsTooEarly, "a_consumer_of_items_waits_for_two_events", FailureKind::Liveness),
    (Fault::ArmsAfterOneLane, "two_producers_and_an_event", FailureKind::Liveness),
    (Fault::IsFoundEarly, "a_queue_of_items_is_found", FailureKind::Panic),
    (Fault::TakesWhatIsTaken, "producers_of_items_change", FailureKind::Race),
    (Fault::PassesOverALane, "two_producers", FailureKind::Liveness),
    (Fault::LooksAtOneLane, "two_producers_and_a_sleeper", FailureKind::Liveness),
    (Fault::EntersTooSoon, "consumers_of_items_change", FailureKind::Panic),
    (Fault::PublishesItemEarly, "items_in_units_of_two", FailureKind::Race),
    (Fault::PublishesSliceEarly, "items_in_slices", FailureKind::Race),
    (Fault::FindsTheLastUnit, "a_producer_of_items_succeeds", FailureKind::Panic),
    (Fault::KeepsNoPosition, "consumers_of_items_change", FailureKind::Panic),
    (Fault::BelievesOldStamps, "items_in_units_of_one", FailureKind::Panic),
    (Fault::LeavesTheEndOpen, "records_beside_each_other", FailureKind::Panic),
    (Fault::EndsTooLate, "records_beside_each_other", FailureKind::Panic),
    (Fault::PublishesRecordEarly, "records_one_by_one", FailureKind::Race),
    (Fault::HasNoRoomForTheEnd, "attempts_on_records_one_by_one", FailureKind::Panic),
    (Fault::FindsNoRecords, "producers_of_records_change", FailureKind::Panic),
    (Fault::KeepsNoRecord, "consumers_of_records_change", FailureKind::Panic),
    (Fault::LetsAllSleep, "a_producer_of_many_sleeps", FailureKind::Liveness),
    (Fault::TakesBackTheOthers, "two_consumers_sleep", FailureKind::Liveness),
    (Fault::LooksOnceAmongOthers, "a_consumer_of_many_sleeps", FailureKind::Liveness),
    (Fault::FillsNothing, "one_slot", FailureKind::Panic),
    (Fault::IsNeverStuck, "attempts_on_one_slot", FailureKind::Panic),
    (Fault::WantsNothing, "a_producer_of_many_succeeds", FailureKind::Race),
    (Fault::OwnsNothing, "a_consumer_of_many_succeeds", FailureKind::Panic),
    (Fault::KeepsTheOldCell, "two_slots", FailureKind::Panic),
    (Fault::HoldsForever, "a_consumer_of_many_ends_by_itself", FailureKind::Panic),
    (Fault::HintsTooEarly, "producers_meet_at_two_slots", FailureKind::Panic),
    (Fault::BelievesItsPlace, "a_producer_of_many_succeeds", FailureKind::Race),
    (Fault::BelievesTheIntent, "a_producer_that_did_not_push_succeeds", FailureKind::Panic),
    (Fault::HoldsNoneOfTheDead, "a_consumer_of_many_succeeds", FailureKind::Panic),
    (Fault::LooksIntoNoSlot, "a_producer_of_many_succeeds", FailureKind::Race),
    (Fault::AsksNobody, "a_producer_of_many_succeeds", FailureKind::Race),
    (Fault::AsksForNoOwner, "a_consumer_of_many_succeeds", FailureKind::Panic),
    (Fault::AsksTooEarly, "a_producer_of_many_succeeds", FailureKind::Race),
    (Fault::AsksForTheOwnerTooEarly, "a_consumer_of_many_succeeds", FailureKind::Panic),
    (Fault::SignalsNoneOfMany, "a_consumer_of_many_waits_for_its_event", FailureKind::Liveness),
    (Fault::SignalsManyTooEarly, "two_consumers_wait_for_their_events", FailureKind::Liveness),
    (Fault::DisarmsTheOthers, "two_consumers_wait_for_their_events", FailureKind::Liveness),
    (Fault::BelievesWhatItReads, "one_slot_is_overwritten_often", FailureKind::Panic),
    (Fault::CountsNothingLost, "two_slots_are_overwritten", FailureKind::Panic),
    (Fault::PassesOverAll, "one_slot_is_overwritten_often", FailureKind::Panic),
    (Fault::PassesOverTooFew, "two_slots_are_overwritten", FailureKind::Panic),
    (Fault::BeginsAtTheEnd, "producers_overwrite_two_slots", FailureKind::Panic),
    (Fault::KnowsNoLap, "two_lock_free_slots", FailureKind::Panic),
    (Fault::ExchangesTooEarly, "two_lock_free_slots", FailureKind::Panic),
    (Fault::FillsWithNothing, "two_lock_free_slots", FailureKind::Panic),
    (Fault::SuspectsOthers, "two_beside_two_without_locks", FailureKind::Panic),
    (Fault::SleepsWithoutALook, "a_lock_free_consumer_sleeps", FailureKind::Liveness),
    (Fault::ArmsWithoutALook, "a_lock_free_producer_waits_for_its_event", FailureKind::Liveness),
    (Fault::WakesItsOwnSide, "a_lock_free_consumer_sleeps", FailureKind::Liveness),
    (Fault::OverwritesTooEarly, "records_are_overwritten_often", FailureKind::Panic),
    (Fault::PublishesOverwritingRecordEarly, "records_are_overwritten", FailureKind::Panic),
    (Fault::TakesAWordTooFew, "records_of_a_longer_ring_are_overwritten", FailureKind::Panic),
    (Fault::TakesTheNewest, "a_reader_beside_a_stopped_producer", FailureKind::Panic),
    (Fault::CountsAnew, "producers_of_overwritten_records_change", FailureKind::Panic),
    (Fault::BeginsAtTheOldest, "producers_of_overwritten_records_change", FailureKind::Panic),
    (Fault::PublishesAllThatWasReserved, "records_are_written_piece_by_piece", FailureKind::Panic),
    (Fault::ForgetsTheLastPiece, "records_are_written_piece_by_piece", FailureKind::Panic),
    (Fault::BelievesTheWords, "records_are_overwritten", FailureKind::Panic),
    (Fault::CountsNoRecords, "records_are_overwritten", FailureKind::Panic),
    (Fault::PassesOverTheNewest, "a_reader_beside_a_stopped_producer", FailureKind::Panic),
    (Fault::SleepsWithoutALookAtTheEnd, "a_reader_of_records_sleeps", FailureKind::Liveness),
    (Fault::ArmsWithoutALookAtTheEnd, "a_reader_of_records_waits_for_its_event", FailureKind::Liveness),
    (Fault::LooksForAnotherTurn, "a_producer_that_overwrites_succeeds", FailureKind::Panic),
    (Fault::LeavesInSilence, "a_producer_of_items_leaves", FailureKind::Liveness),
    (Fault::WakesBeforeItLeaves, "a_producer_of_many_leaves_a_reactor", FailureKind::Liveness),
    (Fault::WakesItsLane, "a_producer_of_a_lane_leaves", FailureKind::Liveness),
    (Fault::WakesBeforeItIsGone, "a_lock_free_producer_leaves", FailureKind::Liveness),
    (Fault::SleepsThoughAllHaveLeft, "a_consumer_of_items_leaves", FailureKind::Liveness),
    (Fault::LooksOnceAtTheWords, "a_producer_takes_over", FailureKind::Panic),
    (Fault::CountsTheOneThatHasLeft, "two_producers_of_many_leave", FailureKind::Panic),
    (Fault::CountsNobody, "a_consumer_of_records_leaves", FailureKind::Liveness),
    (Fault::CountsToOne, "producers_take_turns", FailureKind::Panic),
    (Fault::ReportsNothingAtFirst, "a_consumer_of_records_is_killed", FailureKind::Panic),
    (Fault::HoldsNothing, "one_of_many_consumers_is_killed", FailureKind::Panic),
    (Fault::WantsNothing, "one_of_many_producers_is_killed", FailureKind::Panic),
    (Fault::BelievesItsPlace, "one_of_many_producers_is_killed", FailureKind::Panic),
    (Fault::LeavesInTwoSteps, "a_leaver_is_killed", FailureKind::Panic),
];

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    table::check(Fault::ALL, FOUND, failure);
}

/// The tests of the mirror without faults explore all clients.
#[test]
fn the_source_without_a_fault_has_its_executions() {
    let few: Vec<_> = clients::CLIENTS.iter().copied().filter(|&(.., executions)| executions < 2_000).collect();
    aqueduct_checks::check_all(&few);
}
