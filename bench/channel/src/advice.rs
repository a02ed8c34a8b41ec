//! The texts of reports on these measurements.

use aqueduct_measure::report::guide::{Guide, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: &[], topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const TOPICS: &[Row] = &[
    (
        "channel.blocking",
        "",
        "Threads send numbers as fast as they can, other threads receive them and add them up. Both wait in the \
         channel.",
    ),
    ("channel.blocking.unbounded", "", "As `channel.blocking`, over channels without a limit: nobody waits for room."),
    (
        "channel.tasks",
        "",
        "Tasks send numbers, other tasks receive them and add them up, on a tokio runtime with two workers.",
    ),
    ("channel.tasks.unbounded", "", "As `channel.tasks`, over channels without a limit."),
    (
        "channel.pingpong.threads*",
        "",
        "A message goes to a thread that waits, and one comes back to the first thread, which waits meanwhile.",
    ),
    ("channel.pingpong.tasks*", "", "A message goes to another task, and one comes back."),
    (
        "channel.pinball.*",
        "",
        "13 tasks have a channel each. A task sends each ball that it receives on to another one, picked by \
         chance. Nobody waits for room.",
    ),
    ("channel.funnel", "", "13 tasks send to one, over eight channels side by side."),
    (
        "channel.bursts.time_on_core",
        "",
        "In the same measurement: for how long both threads had a core, for each burst.",
    ),
    (
        "channel.bursts*",
        "",
        "16 messages, and then nothing for half a millisecond: the time from before a message is sent to after it \
         is received.",
    ),
    (
        "channel.open_loop.*",
        "",
        "A message is due at fixed times: the time from then, however late its sender is, to after it is received.",
    ),
    (
        "channel.latest",
        "",
        "A task sends values, and each of the others receives the newest one whenever it has changed. How many are \
         sent?",
    ),
    (
        "channel.one_core.threads*",
        "",
        "One thread sends and another one receives, both on one core: each message that wakes the other one costs \
         a switch.",
    ),
    ("channel.one_core.tasks*", "", "One task sends and another one receives, on a runtime with one thread."),
    ("channel.alone*", "", "One thread sends 64 messages and receives them: what a message costs while nobody waits."),
    ("channel.select.*", "", "One receives from eight channels, into which another one sends in turn."),
    ("channel.oneshot", "", "A channel for one message is made, used and dropped by one thread."),
    (
        "channel.broadcast",
        "",
        "A task sends, and each of the others receives all messages, or counts those that were overwritten before. \
         How many are received, by all together?",
    ),
    (
        "channel.dropped",
        "",
        "Tasks send and receive, and drop by chance half of the futures that are not ready at once. No message may \
         be lost.",
    ),
];
