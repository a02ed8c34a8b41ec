//! A flight recorder: the last events of each thread, in memory that outlives the process.
//!
//! Recording is always on: each thread writes into its own ring, without a lock, without formatting
//! and without allocation, and overwrites its oldest records. This process or another one can read
//! the rings at any time, also after `kill -9` at any instruction. The number of overwritten
//! records is exact for each thread.
//!
//! # Examples
//! ```
//! use aqueduct_recorder::{Builder, counter, event, span};
//!
//! let recorder = Builder::new().install()?;
//! let answer = |request: u64| {
//!     let _span = span!("answer", request);
//!     event!("cache miss", key = "user/7");
//! };
//! (0..3).for_each(answer);
//! counter!("open requests", 3);
//!
//! let trace = recorder.trace();
//! println!("{}", trace.text());
//! assert_eq!((trace.events().len(), trace.overwritten().records), (10, 0));
//! # Ok::<(), aqueduct_recorder::InstallError>(())
//! ```
//! With [`Builder::file`], the rings are in a file. [`Trace::open`] reads it, whether the process
//! still runs or was killed. [`Trace::write_perfetto`], [`Trace::write_chrome_json`] and
//! [`Trace::write_ctf`] write files for viewers, and [`Trace::write_timeline`] writes a page that
//! needs no viewer. [`Dumps`] writes a dump, of all records or of the last moments, on a call, for
//! a panic, on request of a signal handler, or after an event of a [`Level`], and removes old
//! dumps. [`Filter`] chooses which places record, and [`Builder::redact`] which fields are never
//! written.
//!
//! # Without `std`
//! With `default-features = false`, the crate needs neither `std` nor an allocator:
//! [`BareRecorder`] records into a caller's memory. The processor must have 64-bit atomics.
//!
//! # Guarantees
//! * A record is wait-free: no lock, no system call, no allocation. The first record of a thread,
//!   and the first record of each place, takes a lock.
//! * A trace has each record once, without a gap in a thread's last records.
//!   [`Thread::overwritten`] and [`Trace::gone`] are exact, and so is [`Trace::refused`], the
//!   number of records that were never written.
//! * The page of [`ring`] has the design, and the argument why it is correct.
//!
//! # Signal handlers
//! A handler may record, end spans, and request dumps ([`DumpRequest::dump`]), and nothing else.
//! These calls do not allocate:
//! * Its records belong in [`in_handler`], unless it runs only in threads that have recorded
//!   before.
//! * They are refused, and counted by [`Trace::refused`], if its thread is recording, or in
//!   [`Recorder::dump_on`], or has not recorded before.
//! * The first record of a place takes a lock in a handler, too. No thread allocates or waits while
//!   it holds the lock.
//! * Records that request a dump may set `errno`, which a handler restores.
//! * In a library that is loaded at run time, the system may allocate for the first record of a
//!   thread: the thread should record once before its handlers do. Records of `aqueduct-tracing`
//!   allocate: no handler may use it.
//!
//! # When not to use it
//! Do not use it where no record may be lost: rings overwrite. The files are for the machine that
//! wrote them. A crash of the machine, unlike a crash of the process, may lose data that the system
//! has not written to the disk. A process that forks must not record in the child, which would
//! write into the parent's rings.

#![cfg_attr(not(feature = "std"), no_std, allow(dead_code, reason = "used by readers only"))]

mod bare;
mod level;
mod region;
pub mod ring;
mod site;
mod sync;
mod value;

#[cfg(feature = "std")]
mod buffer;
#[cfg(feature = "std")]
mod builder;
#[cfg(feature = "std")]
mod chrome;
#[cfg(feature = "std")]
mod clock;
#[cfg(feature = "std")]
mod ctf;
#[cfg(feature = "std")]
mod dumps;
#[cfg(all(feature = "std", unix))]
mod file;
#[cfg(feature = "std")]
mod filter;
#[cfg(feature = "std")]
mod json;
#[cfg(feature = "std")]
mod lives;
#[cfg(feature = "std")]
mod local;
#[cfg(feature = "std")]
mod macros;
#[cfg(feature = "std")]
mod memory;
#[cfg(feature = "std")]
pub mod pending;
#[cfg(feature = "std")]
mod perfetto;
#[cfg(feature = "std")]
mod recorder;
#[cfg(feature = "std")]
mod request;
#[cfg(feature = "std")]
mod text;
#[cfg(feature = "std")]
mod timeline;
#[cfg(feature = "std")]
mod trace;

pub use bare::{BarePlace, BareRecorder, BareWriter, Epoch, Sizes};
#[cfg(feature = "std")]
pub use buffer::ValueBuffer;
#[cfg(feature = "std")]
pub use builder::{Builder, InstallError};
#[cfg(feature = "std")]
pub use dumps::Dumps;
#[cfg(feature = "std")]
pub use filter::{Filter, FilterError};
pub use level::{Level, LevelError};
#[cfg(feature = "std")]
pub use local::in_handler;
#[cfg(feature = "std")]
pub use recorder::{Recorder, Span, end_span, record, record_any, record_buffer};
#[cfg(feature = "std")]
pub use request::DumpRequest;
pub use site::{Kind, Site};
#[cfg(feature = "std")]
pub use trace::{Event, Field, Place, Thread, Trace, TraceError};
#[doc(hidden)]
pub use value::Encoding;
pub use value::{AnyValue, Type, Value, Values};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
