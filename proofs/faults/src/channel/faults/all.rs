// All faults: a list for each part of the library. A list passes its faults, behind those of the
// lists before it, to the next one.

include!("events.rs");
include!("channels.rs");
include!("rendezvous.rs");
include!("selects.rs");
include!("oneshots.rs");
include!("feeds.rs");

events! { [channels rendezvous selects oneshots feeds faults] }
