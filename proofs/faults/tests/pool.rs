//! The client of each fault finds it, and the source without a fault passes.

#[path = "../../under-model/pool/tests/common/mod.rs"]
mod common;
#[path = "../../under-model/pool/tests/clients/pool.rs"]
mod pool;
#[path = "../../under-model/pool/tests/clients/sleep.rs"]
mod sleep;
mod table;
#[path = "../../under-model/pool/tests/clients/task.rs"]
mod task;

use aqueduct_faults::pool as library;
use aqueduct_model::{Config, FailureKind};
use library::Fault;

/// Returns the failure of the client of this name with the fault.
fn failure(name: &str, fault: Option<Fault>) -> Option<FailureKind> {
    let clients = [sleep::CLIENTS, sleep::LONG, pool::CLIENTS, pool::LONG, task::CLIENTS, task::LONG];
    let exhaustive = clients.into_iter().flatten().map(|&(name, client, _)| (name, client, Config::new()));
    let walks = pool::WALKS
        .iter()
        .chain(pool::waits::WALKS)
        .map(|&(name, client)| (name, client, Config::new().random(5000, 11)));
    let mut all = exhaustive.chain(walks);
    let (_, client, config) = all.find(|client| client.0 == name).expect("the name of a client");
    let report = common::of_client(&config, name).jobs(2).check(move || library::with(fault, client));
    report.failure.map(|failure| failure.kind)
}

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::{Liveness, Panic, Race, TooManyEvents};
    let table = [
        (Fault::SleepsAtOnce, "one_worker_and_one_job", Liveness),
        (Fault::LooksTooEarly, "a_busy_worker_and_a_job", Liveness),
        (Fault::LastLooksTooEarly, "one_worker_and_one_job", Liveness),
        (Fault::AwakeWorkersAreForgotten, "a_busy_worker_and_a_job", Liveness),
        (Fault::OutsiderNotifiesAsWorker, "one_worker_and_one_job", Liveness),
        (Fault::NotifiesTooEarly, "a_busy_worker_and_a_job", Liveness),
        (Fault::LastSearcherStopsAlone, "two_workers_and_two_jobs", Liveness),
        (Fault::FinderLeavesAlone, "two_workers_and_two_jobs", Liveness),
        (Fault::SearcherLeavesSilently, "a_latch_and_a_job", Liveness),
        (Fault::AloneIsForgotten, "a_latch_wakes_a_worker_that_takes_no_others_work", Liveness),
        (Fault::LatchForgetsTheSleeper, "a_latch_wakes_its_worker", Liveness),
        (Fault::LatchIsRelaxed, "a_latch_wakes_its_worker", Race),
        (Fault::EndIsASecret, "a_pool_ends_at_once", Liveness),
        (Fault::CallIsASecret, "a_call_from_outside", Liveness),
        (Fault::JobHasNoShare, "a_spawned_job_is_left", Panic),
        (Fault::PanicSkipsTheSecond, "the_first_closure_panics", Panic),
        (Fault::BroadcastIsASecret, "a_broadcast", Liveness),
        (Fault::PollForgetsWake, "wake_against_poll", Liveness),
        (Fault::RunningIsIdle, "polls_on_two_threads", Panic),
        (Fault::LastReferenceIsLeaked, "two_last_wakers", Liveness),
        (Fault::ForgottenTaskIsLeaked, "the_last_waker_against_poll", Liveness),
        (Fault::AbortIsOverlooked, "abort_against_wake", Liveness),
        (Fault::FutureIsLeaked, "abort_against_completion", Panic),
        (Fault::AwaiterIsForgotten, "await_against_completion", Liveness),
        (Fault::PanicIsLost, "a_panic_that_nobody_awaits", Panic),
        (Fault::FreedTaskStays, "the_last_waker_against_poll", Liveness),
        (Fault::AbortMakesNoJob, "abort_against_wake", Liveness),
        (Fault::DropMakesNoJob, "drop_against_wake", Liveness),
        (Fault::HandleOverlooksTheEnd, "await_against_completion", Liveness),
        (Fault::WakerIsNotTheHandles, "the_last_waker_is_woken", Race),
        (Fault::NextIsOverwritten, "the_next_task_is_taken_once", Liveness),
        (Fault::WatchLooksTooEarly, "a_push_against_the_end_of_a_watch", Panic),
        (Fault::BlockedThreadSleeps, "await_against_completion", Liveness),
        (Fault::TimerIsASecret, "a_timer_against_sleep", Liveness),
        (Fault::EndForgetsTasks, "a_task_that_waits_is_left", Liveness),
        (Fault::EndedPoolTakesTasks, "a_task_is_made_late", Liveness),
        (Fault::TaskKeepsItsPool, "a_task_is_left", Liveness),
        (Fault::BlockedWorkerSleeps, "a_worker_blocks_on_a_task", Liveness),
        (Fault::NobodyIsRelieved, "a_bounded_worker_blocks_on_two_tasks", Liveness),
        (Fault::ReliefIsOverlooked, "a_bounded_worker_blocks_on_two_tasks", TooManyEvents),
        (Fault::TasksOfABodyAreQueued, "an_undisturbed_worker_blocks_within_a_task", Liveness),
        (Fault::BodyLosesItsTasks, "parts_of_a_body_are_left", Liveness),
        (Fault::MembersSleepOn, "a_body_is_woken_from_outside", Liveness),
        (Fault::NewsAreOverlooked, "a_body_is_woken_from_outside", Liveness),
        (Fault::MembersOutliveTheBody, "a_body_ends_around_a_wait", Liveness),
        (Fault::MarkIsOverlooked, "a_job_from_before_waits", Panic),
        (Fault::FullDequeDisturbs, "a_full_deque_waits", Panic),
    ];
    table::check(Fault::ALL, &table, failure);
}

#[test]
fn the_source_without_a_fault_passes() {
    for name in [
        "one_worker_and_one_job",
        "a_latch_and_a_job",
        "a_call_from_outside",
        "wake_against_poll",
        "abort_against_wake",
    ] {
        assert_eq!(failure(name, None), None, "{name}");
    }
    common::check_walks(pool::WALKS);
    common::check_walks(pool::waits::WALKS);
}
