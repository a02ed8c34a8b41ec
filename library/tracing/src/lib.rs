//! A layer of `tracing-subscriber` that records spans and events into the flight recorder
//! `aqueduct-recorder`.
//!
//! # Examples
//! ```
//! use aqueduct_recorder::Builder;
//! use aqueduct_tracing::RecorderLayer;
//! use tracing_subscriber::layer::SubscriberExt;
//!
//! let recorder = Builder::new().install()?;
//! let subscriber = tracing_subscriber::registry().with(RecorderLayer::new().redact(["password"]));
//! tracing::subscriber::with_default(subscriber, || {
//!     let _span = tracing::info_span!("answer", request = 7).entered();
//!     tracing::warn!(user = "ann", password = "secret", "refused");
//! });
//! let text = recorder.trace().text().to_string();
//! assert!(text.contains("refused") && !text.contains("secret"));
//! # Ok::<(), aqueduct_recorder::InstallError>(())
//! ```
//!
//! # Records
//! * An event: its place has the event's name, or its level and target (`WARN net`) if `tracing`
//!   generated the name, and the target as module.
//! * The level of an event and of a span's records. The recorder's own filter applies to the level,
//!   too.
//! * A span: an event `new NAME` with the span's number, its parent's (0 if none) and its fields;
//!   the start of a span NAME at each enter and its end at each exit; an event `record NAME` for
//!   later fields; an event `close NAME`. A span that follows from another span is an event
//!   `follows NAME` with both numbers. The timeline, Chrome's format and Perfetto's show `new NAME`
//!   and `close NAME` as the span, with its fields.
//! * The values of fields: integers of 64 bits, floats, `bool`s and texts in their own types, all
//!   others as their `Debug` text. The first eight fields of an event are written, and the first
//!   six of a span. Of a text, 512 bytes and the full length are kept.
//! * A field without a value in a record, or with a redacted name, is not written. If a field has
//!   two values, the first one is written.

mod layer;
mod sites;
mod spans;
mod values;

pub use layer::RecorderLayer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
