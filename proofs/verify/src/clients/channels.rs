//! The clients of `aqueduct-channel`, which also run as that package's own tests.
//!
//! Each carries the number of its executions itself, so they have no rows in
//! `expected/clients.txt`.

use aqueduct_channel_under_model as library;

use super::Client;

#[path = "../../../under-model/channel/tests/clients/channel.rs"]
mod channel;
#[path = "../../../under-model/channel/tests/clients/event.rs"]
mod event;
#[path = "../../../under-model/channel/tests/clients/exact.rs"]
mod exact;
#[path = "../../../under-model/channel/tests/clients/feed.rs"]
mod feed;
#[path = "../../../under-model/channel/tests/clients/found.rs"]
mod found;
#[path = "../../../under-model/channel/tests/clients/handles.rs"]
mod handles;
#[path = "../../../under-model/channel/tests/clients/oneshot.rs"]
mod oneshot;
#[path = "../../../under-model/channel/tests/clients/records.rs"]
mod records;
#[path = "../../../under-model/channel/tests/clients/relaxed.rs"]
mod relaxed;
#[path = "../../../under-model/channel/tests/clients/rendezvous.rs"]
mod rendezvous;
#[path = "../../../under-model/channel/tests/clients/select.rs"]
mod select;
#[path = "../../../under-model/channel/tests/clients/stream.rs"]
mod stream;
#[path = "../../../under-model/channel/tests/clients/unbounded.rs"]
mod unbounded;
#[path = "../../../under-model/channel/tests/clients/weak.rs"]
mod weak;

/// The types of the clients' lists.
mod common {
    pub(crate) use aqueduct_under_model::bbq::Geometry;
    pub(crate) use aqueduct_under_model::cnq::Geometry as Capsules;

    pub(crate) type Client = (&'static str, fn(), u64);
    pub(crate) type Walk = (&'static str, fn());
}

macro_rules! lists {
    ($($module:ident: $name:literal;)*; $($walked:ident)*) => {
        /// Returns the clients whose executions are all explored.
        #[must_use]
        pub fn clients() -> Vec<Client> {
            let lists = [$(($name, $module::CLIENTS)),*];
            let of = |(name, list): (&'static str, &'static [common::Client])| {
                list.iter().map(move |&(client, program, executions)| {
                    Client::new(format!("{name}/{client}"), program).expecting(executions)
                })
            };
            lists.into_iter().flat_map(of).collect()
        }

        /// Returns the clients that are explored by random executions.
        #[must_use]
        pub fn walked() -> Vec<Client> {
            let name = |module| match module {
                $(stringify!($module) => $name,)*
                _ => unreachable!("each module has a name"),
            };
            let lists = [$((name(stringify!($walked)), $walked::WALKS)),*];
            let of = |(name, list): (&'static str, &'static [common::Walk])| {
                list.iter().map(move |&(client, program)| Client::new(format!("{name}/{client}"), program))
            };
            lists.into_iter().flat_map(of).collect()
        }
    };
}

lists! {
    event: "channel-event";
    channel: "channel";
    exact: "channel-exact";
    unbounded: "channel-unbounded";
    weak: "channel-weak";
    handles: "channel-handles";
    stream: "channel-stream";
    select: "channel-select";
    found: "channel-found";
    rendezvous: "channel-rendezvous";
    oneshot: "channel-oneshot";
    feed: "channel-feed";
    records: "channel-records";
    relaxed: "channel-relaxed";
    ;
    event channel exact unbounded handles rendezvous oneshot records relaxed
}
