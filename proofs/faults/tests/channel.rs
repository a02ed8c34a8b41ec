//! Each fault is found, by the client that is there for it, and the source without a fault passes.

#[path = "../../under-model/channel/tests/clients/mod.rs"]
mod clients;
#[path = "../../under-model/channel/tests/common/mod.rs"]
mod common;
mod table;

use aqueduct_faults::channel as library;
use aqueduct_model::{Config, FailureKind};
use clients::{channel, event, exact, feed, found, handles, linear, linear_handles, lock, offer, oneshot, records};
use clients::{relaxed, rendezvous, reservations, select, stream, unbounded, weak};
use library::Fault;

/// How the client of this name fails with the fault.
fn failure(name: &str, fault: Option<Fault>) -> Option<FailureKind> {
    let buffered = [event::CLIENTS, channel::CLIENTS, exact::CLIENTS, unbounded::CLIENTS, handles::CLIENTS];
    let selects = [select::CLIENTS, found::CLIENTS, rendezvous::CLIENTS, reservations::CLIENTS];
    let others = [oneshot::CLIENTS, feed::CLIENTS, stream::CLIENTS, weak::CLIENTS, records::CLIENTS, relaxed::CLIENTS];
    let linear = [linear::CLIENTS, linear_handles::CLIENTS, lock::CLIENTS, offer::CLIENTS];
    let clients = buffered.into_iter().chain(selects).chain(others).chain(linear);
    let walks = [event::WALKS, channel::WALKS, exact::WALKS, unbounded::WALKS, rendezvous::WALKS];
    let more = [records::WALKS, relaxed::WALKS, handles::WALKS, linear::WALKS, oneshot::WALKS, offer::WALKS];
    let (mut clients, mut walks) = (clients.flatten(), walks.into_iter().chain(more).flatten());
    let (config, client) = match clients.find(|client| client.0 == name) {
        Some(&(_, client, _)) => (Config::new(), client),
        None => (Config::new().random(20_000, 5), walks.find(|walk| walk.0 == name).expect("the name of a client").1),
    };
    let report = common::of_client(&config, name).jobs(2).check(move || library::with(fault, client));
    report.failure.map(|failure| failure.kind)
}

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::{Leak, Liveness, Panic, Race};
    let table = [
        (Fault::DroppedWaiterKeeps, "a_dropped_future_hands_on", Liveness),
        (Fault::DroppedWaiterKeeps, "a_dropped_receiver_hands_on", Liveness),
        (Fault::DroppedWaiterKeeps, "a_dropped_sender_hands_on", Liveness),
        (Fault::DroppedWaiterKeeps, "a_choice_hands_on", Liveness),
        (Fault::TimeOutKeeps, "a_time_out_hands_on", Liveness),
        (Fault::SuccessKeeps, "two_receivers_and_two_messages", Liveness),
        (Fault::OwesNothing, "room_comes_in_a_block", Liveness),
        (Fault::SuccessStays, "a_task_takes_another_ones_item", Liveness),
        (Fault::PlacesAreNobodys, "a_polled_future_hands_on", Liveness),
        (Fault::NobodyHasAClaim, "room_comes_in_a_block", Liveness),
        (Fault::SleepsAtOnce, "one_waiter", Liveness),
        (Fault::ArmsAfterTheFence, "one_waiter", Liveness),
        (Fault::DisarmsBlindly, "a_waiter_comes_and_goes", Liveness),
        (Fault::AllIsOne, "close_wakes_two_senders", Liveness),
        (Fault::WakesTheOldTask, "a_task_moves", Liveness),
        (Fault::ServesTooEarly, "one_sender_is_served", Race),
        (Fault::ServesTooEarly, "one_receiver_is_served", Race),
        (Fault::OfferIsForgotten, "a_sender_runs_out_of_time", Race),
        (Fault::OfferIsForgotten, "a_receiver_runs_out_of_time", Race),
        (Fault::OfferIsForNobody, "one_sender_is_served", Liveness),
        (Fault::DeclinedIsServed, "another_one_takes_the_room", Panic),
        (Fault::OfferStays, "close_wakes_two_senders", Liveness),
        (Fault::LateSendIsLost, "close_beside_a_send", Panic),
        (Fault::DrainsBlindly, "close_beside_a_send", Panic),
        (Fault::LateSendIsLost, "linear::a_close", Panic),
        (Fault::DrainsBlindly, "linear::a_close", Panic),
        (Fault::RoomIsASecret, "linear::waits", Liveness),
        (Fault::ReceiverLeavesMessages, "many_to_one::the_receiver_goes", Liveness),
        (Fault::LateSendLeavesMessages, "many_to_one::the_receiver_goes", Liveness),
        (Fault::WeakSenderRevives, "the_last_sender_ends_the_channel", Panic),
        (Fault::WeakSenderMeetsAgain, "rendezvous::the_last_sender_ends_the_channel", Panic),
        (Fault::WeakSenderKeepsMessages, "no_message_is_kept", Liveness),
        (Fault::DroppedWaiterKeeps, "a_dropped_stream_hands_on", Liveness),
        (Fault::DroppedWaiterKeeps, "a_dropped_sink_hands_on", Liveness),
        (Fault::PermitGoesSilently, "a_dropped_sink_gives_its_room_back", Liveness),
        (Fault::ClosedSinkKeepsRoom, "a_closed_sink_gives_its_room_back", Liveness),
        (Fault::ClosedSinkStays, "rendezvous::a_closed_sink_leaves_the_line", Liveness),
        (Fault::ClosedSinkSends, "a_closed_sink_is_no_sender", Liveness),
        (Fault::EndConcernsOne, "the_end_wakes_two_receivers", Liveness),
        (Fault::CloseForgetsSenders, "close_wakes_a_sender", Liveness),
        (Fault::RoomIsASecret, "a_task_sends_into_a_full_channel", Liveness),
        (Fault::RoomIsASecret, "a_dropped_reservation_hands_on", Liveness),
        (Fault::RoomIsASecret, "a_dropped_batch_hands_on", Liveness),
        (Fault::RoomIsASecret, "two_senders_wait_for_a_block", Liveness),
        (Fault::PermitGoesSilently, "a_permit_gives_its_room_back", Liveness),
        (Fault::LooksTooEarly, "a_permit_wakes_a_receiver", Liveness),
        (Fault::SleepsBesideAChange, "a_permit_wakes_a_receiver", Liveness),
        (Fault::LateSendIsLost, "unbounded::close_beside_a_send", Panic),
        (Fault::DrainsBlindly, "unbounded::close_beside_a_send", Panic),
        (Fault::SelectIsPassedBy, "a_busy_select_is_not_passed_by", Liveness),
        (Fault::SelectIsPassedByReceivers, "a_busy_select_is_not_passed_by_receivers", Liveness),
        (Fault::EndForgetsTheTicket, "an_end_beside_a_sender", Panic),
        (Fault::SelectChoosesTwice, "one_of_two_sends", Panic),
        (Fault::SelectTakesTwice, "a_channel_with_room_beside_one_without", Panic),
        (Fault::SelectMeetsItself, "a_select_does_not_meet_itself", Panic),
        (Fault::SelectLooksOnce, "a_message_of_a_few_is_found", Panic),
        (Fault::SelectTriesOnce, "a_typed_select_finds_a_message", Panic),
        (Fault::DroppedReceiverKeepsItsMessage, "rendezvous::a_dropped_receiver_hands_on", Liveness),
        (Fault::DroppedReceiverKeepsItsMessage, "a_tasks_message_outlives_the_end", Panic),
        (Fault::DroppedReceiverCallsNobody, "rendezvous::a_dropped_receiver_hands_on", Liveness),
        (Fault::DroppedReceiverCallsNobody, "a_dropped_select_hands_on", Liveness),
        (Fault::BrokenPromiseIsASecret, "a_permit_is_a_promise", Liveness),
        (Fault::PromiseEndsWithItsReceiver, "a_promise_is_kept_though_the_receiver_goes", Liveness),
        (Fault::TimeOutForgetsTheSender, "neither_has_patience", Panic),
        (Fault::TryTakesAReservation, "a_try_passes_a_reservation_by", Panic),
        (Fault::TryTakesAReservation, "a_select_that_tries_passes_a_reservation_by", Panic),
        (Fault::TryTakesAReservation, "a_select_by_index_that_tries_passes_a_reservation_by", Panic),
        (Fault::TimeOutWaitsForThePromise, "a_time_out_beside_a_permit", Liveness),
        (Fault::SelectWaitsForThePromise, "a_select_with_a_time_out_beside_a_permit", Liveness),
        (Fault::SelectWaitsForThePromise, "a_select_by_index_with_a_time_out_beside_a_permit", Liveness),
        (Fault::TimeOutTakesItsEntry, "a_permit_is_used_beside_a_time_out", Panic),
        (Fault::TryPassesThreadsBy, "a_prompt_select_is_ready", Panic),
        (Fault::BrokenPromiseEndsAnAttempt, "an_attempt_goes_on_when_a_promise_is_broken", Panic),
        (Fault::TimeOutLeavesThreads, "a_time_out_beside_a_prompt_select", Panic),
        (Fault::TimeOutLeavesThreads, "a_select_with_a_time_out_beside_a_prompt_select", Panic),
        (Fault::ThreadsAreNotReady, "a_prompt_select_is_ready", Liveness),
        (Fault::PromiseIsKeptAfterTheEnd, "a_permit_is_used_after_the_close", Panic),
        (Fault::PromiseOutlivesTheSenders, "a_forgotten_permit_ends_with_its_sender", Liveness),
        (Fault::PromiseIsKeptAfterTheEnd, "a_permit_beside_a_close", Panic),
        (Fault::TaskHasItsMessage, "messages_for_a_task_stay_in_order", Panic),
        (Fault::ThreadGetsALaterMessage, "messages_for_a_task_stay_in_order", Panic),
        (Fault::CalledInVainIsForgotten, "a_task_is_called_in_vain", Liveness),
        (Fault::SelectWaitsForOneCase, "a_select_is_called_in_vain", Liveness),
        (Fault::SpentSendReserves, "a_send_polled_again_promises_nothing", Panic),
        (Fault::CloseForgetsMeetings, "close_beside_both", Liveness),
        (Fault::WatcherIsForgotten, "ready_to_meet", Liveness),
        (Fault::OneshotCaseIsNotListed, "a_message_for_a_case", Liveness),
        (Fault::OneshotWakesNobody, "a_message", Liveness),
        (Fault::OneshotWakesOneThread, "the_end_for_a_case_of_two_threads", Liveness),
        (Fault::OneshotForgetsTheMessage, "the_only_receiver_goes", Leak),
        (Fault::OneshotOverwritesTheState, "the_only_receiver_goes", Leak),
        (Fault::OneshotClosesOverItsMessage, "a_close_beside_the_message", Panic),
        (Fault::OneshotLeavesItsMemory, "the_only_receiver_goes", Leak),
        (Fault::OneshotForgetsTheNewTask, "a_task_moves_beside_its_message", Liveness),
        (Fault::OneshotLeavesTheGone, "a_waiter_goes_beside_its_message", Leak),
        (Fault::BatchLosesItsMessage, "a_dropped_batch_hands_on", Panic),
        (Fault::BatchLosesItsMessage, "a_batch_waits", Panic),
        (Fault::NewsForOne, "both_receivers_of_news_wait", Liveness),
        (Fault::OldNews, "two_senders_and_one_slot", Liveness),
        (Fault::LossIsForgotten, "a_slow_receiver_knows_what_it_lost", Panic),
        (Fault::EndOfNewsIsASecret, "a_receiver_of_news_waits", Liveness),
        (Fault::RecordsGoSilently, "a_record_gives_its_room_back", Liveness),
        (Fault::RecordsGoSilently, "a_cancelled_grant_holds_up_nobody", Liveness),
        (Fault::RoomThatComesLateIsASecret, "what_is_cancelled_makes_room", Liveness),
        (Fault::TryWaitsForAGrant, "a_grant_in_hand_is_nothing_to_receive", Liveness),
        (Fault::ForgottenGrantGoesSilently, "a_forgotten_grant_holds_up_nobody", Liveness),
        (Fault::ForgottenRecordGoesSilently, "a_forgotten_record_ends_with_its_receiver", Liveness),
        (Fault::RefusalIsSilent, "a_refused_reservation_ends_a_forgotten_grant", Liveness),
        (Fault::DroppedWaiterKeeps, "a_dropped_reader_hands_on", Liveness),
        (Fault::DroppedWaiterKeeps, "relaxed::a_dropped_sender_hands_on", Liveness),
        (Fault::RoomIsASecret, "relaxed::a_sender_waits", Liveness),
        (Fault::EndIsLeftToNobody, "handles::one_to_one::close_beside_a_send", Panic),
        (Fault::EndIsLeftToNobody, "handles::in_capsules::close_beside_a_send", Panic),
        (Fault::EndIsLeftToNobody, "linear::many_to_many::a_close", Panic),
        (Fault::EndIsLeftToNobody, "linear::relaxed::a_close", Panic),
        (Fault::LateSendIsLost, "linear::one_to_one::a_close", Panic),
        (Fault::DrainsBlindly, "linear::one_to_one::a_close", Panic),
        (Fault::PermitWithoutRoom, "handles::a_permit_waits", Panic),
        (Fault::SinkKeepsItsMessage, "handles::a_sink_waits", Panic),
        (Fault::DroppedWaiterKeeps, "handles::a_dropped_sink_hands_on", Liveness),
        (Fault::CaseLosesItsEnd, "handles::the_end_is_chosen", Liveness),
        (Fault::CaseComesBackSilently, "handles::a_case_of_two_threads", Liveness),
        (Fault::ClosedMeetingReceives, "linear::rendezvous::a_close", Liveness),
        (Fault::NewsComesTwice, "linear::news::one_slot", Panic),
        (Fault::LossIsForgotten, "linear::news::one_slot", Panic),
        (Fault::WeakSenderOfNewsRevives, "a_weak_sender_of_news", Panic),
        (Fault::EndBeforeTheLast, "a_receiver_of_news_waits", Panic),
        (Fault::LockIsTakenBlindly, "lock::two_wait", Race),
        (Fault::LockOpensTooEarly, "lock::two_wait", Race),
        (Fault::LockOpensTooEarly, "lock::one_tries", Race),
    ];
    table::check(Fault::ALL, &table, failure);
}

#[test]
fn the_source_without_a_fault_passes() {
    for name in ["one_waiter", "a_task_moves", "close_beside_a_send", "many_to_one::the_receiver_goes"] {
        assert_eq!(failure(name, None), None, "{name}");
    }
}
