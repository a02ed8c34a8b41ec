//! `aqueduct-channel` under crossbeam-channel's name, for `[patch.crates-io]`: the interface of
//! version 0.5.
//!
//! The names and their meaning are crossbeam-channel's, and its documentation holds. The channels
//! are those of [`aqueduct_channel`], whose documentation describes them.
//!
//! ```
//! use crossbeam_channel::{bounded, select, tick};
//! use std::time::Duration;
//!
//! let (sender, receiver) = bounded(0);
//! std::thread::spawn(move || sender.send(7));
//! let ticker = tick(Duration::from_secs(60));
//! select! {
//!     recv(receiver) -> number => assert_eq!(number, Ok(7)),
//!     recv(ticker) -> _ => unreachable!("the thread is faster"),
//! }
//! ```

mod channel;
mod error;
mod iter;
mod select;
mod select_macro;
mod timer;

pub use channel::{Receiver, Sender, after, at, bounded, never, tick, unbounded};
pub use error::{
    ReadyTimeoutError, RecvError, RecvTimeoutError, SelectTimeoutError, SendError, SendTimeoutError, TryReadyError,
    TryRecvError, TrySelectError, TrySendError,
};
pub use iter::{IntoIter, Iter, TryIter};
pub use select::{Select, SelectedOperation};
