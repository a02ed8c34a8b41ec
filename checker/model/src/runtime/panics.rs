//! Panics in model threads.
//!
//! They are failures of the program, and their text goes into the report and not to the standard
//! error stream.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Once;

use crate::graph::event::EventId;

use super::coroutine;

std::thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static LATEST: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// The place where a panic began: in the source, and the event before it.
type Place = (Option<String>, Option<EventId>);

/// A panic's text and place.
#[derive(Clone, Debug)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) location: Option<String>,
    /// The last event of the thread before the panic. Destructors may add more.
    pub(crate) after: Option<EventId>,
}

/// Installs a hook before the present one that is silent inside models. `last_event` returns that
/// of the running thread.
pub(crate) fn install(last_event: fn() -> Option<EventId>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                coroutine::note_panic();
                let location = info.location().map(ToString::to_string);
                LATEST.replace(Some((location, last_event())));
            } else {
                outer(info);
            }
        }));
    });
}

/// Notes that a model thread runs in this operating system thread.
pub(crate) fn enter() {
    QUIET.set(true);
}

/// Notes that the run is over.
pub(crate) fn leave() {
    QUIET.set(false);
}

/// Returns the text of the panic that has just been caught.
pub(crate) fn describe(payload: &(dyn Any + Send)) -> Panic {
    let message = if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic whose payload is not text".to_owned()
    };
    let (location, after) = LATEST.take().unwrap_or_default();
    Panic { message, location, after }
}
