//! The ends' operations beyond the library's traits; `None` where a form lacks one.

use std::sync::Arc;

use aqueduct::bbq::{Adding, Consumer, ConsumerSide, Multi, Producer, ProducerSide, Reuse, Single};
use aqueduct::error::PushError;
use aqueduct::queue::{Full, Len, Pop};

/// A producing end.
pub(crate) trait PushEnd<T>: Full<Item = T> + Send + Sized + 'static {
    fn capacity(&self) -> usize;
    fn is_closed(&self) -> Option<bool>;
    /// Returns one more end of this side.
    fn another(&self) -> Option<Self>;
    fn len(&self) -> Option<usize>;

    /// Pushes from `items` until a refusal. Returns the number of pushed items, and the refused
    /// one.
    fn push_all(&mut self, items: impl IntoIterator<Item = T>) -> (usize, Option<T>) {
        let mut pushed = 0;
        for item in items {
            match self.push(item) {
                Ok(()) => pushed += 1,
                Err(PushError::Full(item)) => return (pushed, Some(item)),
                Err(PushError::Busy(_)) => panic!("busy, and nobody else is at work"),
            }
        }
        (pushed, None)
    }
}

/// A consuming end.
pub(crate) trait PopEnd<T>: Pop<Item = T> + Len + Send + Sized + 'static {
    fn is_closed(&self) -> Option<bool>;
    /// Returns one more end of this side.
    fn another(&self) -> Option<Self>;
}

/// The producers' side: one handle, or as many as are cloned.
pub(crate) trait Producers: ProducerSide {
    fn another<T, C: Reuse>(_handle: &Producer<T, Self, C>) -> Option<Producer<T, Self, C>> {
        None
    }
}

impl Producers for Single {}

impl Producers for Multi {
    fn another<T, C: Reuse>(handle: &Producer<T, Self, C>) -> Option<Producer<T, Self, C>> {
        Some(handle.clone())
    }
}

/// The consumers' side: one handle, or as many as are cloned. Producers can read the length if
/// there can be many consumers.
pub(crate) trait Consumers: ConsumerSide {
    fn another<T, P: ProducerSide>(_handle: &Consumer<T, P, Self>) -> Option<Consumer<T, P, Self>> {
        None
    }

    fn counted<T, P: ProducerSide>(_producer: &Producer<T, P, Self>) -> Option<usize> {
        None
    }
}

impl Consumers for Single {}

macro_rules! many {
    ($($side:ident)*) => {$(
        impl Consumers for $side {
            fn another<T, P: ProducerSide>(handle: &Consumer<T, P, Self>) -> Option<Consumer<T, P, Self>> {
                Some(handle.clone())
            }

            fn counted<T, P: ProducerSide>(producer: &Producer<T, P, Self>) -> Option<usize> {
                assert_eq!(producer.is_empty(), producer.len() == 0);
                Some(producer.len())
            }
        }
    )*};
}

many! { Multi Adding }

impl<T: Send + 'static, P: Producers, C: Consumers> PushEnd<T> for Producer<T, P, C> {
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn is_closed(&self) -> Option<bool> {
        Some(self.is_closed())
    }

    fn another(&self) -> Option<Self> {
        Producers::another(self)
    }

    fn len(&self) -> Option<usize> {
        Consumers::counted(self)
    }
}

impl<T: Send + 'static, P: Producers, C: Consumers> PopEnd<T> for Consumer<T, P, C> {
    fn is_closed(&self) -> Option<bool> {
        Some(self.is_closed())
    }

    fn another(&self) -> Option<Self> {
        Consumers::another(self)
    }
}

impl<T, Q: Send + Sync + 'static> PushEnd<T> for Arc<Q>
where
    Self: Full<Item = T> + Len,
{
    fn capacity(&self) -> usize {
        Len::capacity(self)
    }

    fn is_closed(&self) -> Option<bool> {
        None
    }

    fn another(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn len(&self) -> Option<usize> {
        Some(Len::len(self))
    }
}

impl<T, Q: Send + Sync + 'static> PopEnd<T> for Arc<Q>
where
    Self: Pop<Item = T> + Len,
{
    fn is_closed(&self) -> Option<bool> {
        None
    }

    fn another(&self) -> Option<Self> {
        Some(self.clone())
    }
}
