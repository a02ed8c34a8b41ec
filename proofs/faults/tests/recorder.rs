//! The client of each fault finds it, and the source without a fault passes.

#[allow(dead_code, reason = "writers are killed without faults only")]
#[path = "../../under-model/recorder/tests/clients/ring.rs"]
mod clients;
#[path = "../../under-model/recorder/tests/clients/pending.rs"]
mod requests;
mod table;

use aqueduct_faults::recorder as library;
use aqueduct_model::{Config, FailureKind};
use library::Fault;

fn clients() -> impl Iterator<Item = &'static aqueduct_checks::Client> {
    clients::CLIENTS.iter().chain(requests::CLIENTS)
}

/// Returns the failure of the client of this name with the fault.
fn failure(name: &str, fault: Option<Fault>) -> Option<FailureKind> {
    let &(_, client, _) = clients().find(|client| client.0 == name).expect("the name of a client");
    let report = Config::new().jobs(2).check(move || library::with(fault, client));
    report.failure.map(|failure| failure.kind)
}

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    let table = [
        (Fault::OverwritesUnseen, "a_full_ring_and_one_record"),
        (Fault::PublishesEarly, "a_reader_beside_the_first_records"),
        (Fault::LeavesOldWords, "a_draft_is_dropped"),
        (Fault::ForgetsTheBytesBefore, "a_reader_beside_a_word_that_two_records_share"),
        (Fault::KeepsTheLastBytes, "an_overwritten_block_had_two_records"),
        (Fault::CountsTheFirst, "a_reader_beside_the_first_records"),
        (Fault::TakesItsCountAlong, "a_ring_changes_hands"),
        (Fault::ClaimsWhatIsTaken, "a_ring_changes_hands"),
        (Fault::TrustsItsCopy, "a_full_ring_and_one_record"),
        (Fault::SkipsTheFirstOnly, "a_full_ring_and_two_records"),
        (Fault::ReadsBehindTheEnd, "an_overwritten_block_is_partly_used"),
        (Fault::GivesUpAtOnce, "a_full_ring_and_two_records"),
        (Fault::AsksInVain, "a_request"),
        (Fault::BeginsUnseen, "two_requests"),
    ];
    table::check(Fault::ALL, &table.map(|(fault, name)| (fault, name, FailureKind::Panic)), failure);
}

/// The tests of the mirror without faults explore all clients.
#[test]
fn the_source_without_a_fault_has_its_executions() {
    let few: Vec<_> = clients().copied().filter(|&(.., executions)| executions < 2_000).collect();
    aqueduct_checks::check_all(&few);
}
