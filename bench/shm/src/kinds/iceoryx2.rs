//! The crate `iceoryx2`: publish and subscribe; a side that waits listens for events.

use std::cell::Cell;
use std::fmt::Display;
use std::hint;
use std::thread;
use std::time::Instant;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::run::YIELD;
use iceoryx2::port::BackpressureAction;
use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::publish_subscribe::PortFactory;

use super::Kind;
use crate::control::{Control, PATIENCE, refused};
use crate::link::{Came, Link};
use crate::message::Message;
use crate::overwrite::Overwrites;
use crate::work::Task;

type Service = ipc::Service;

/// A publisher and a subscriber on each side.
pub(crate) struct PublishSubscribe;

/// A side's ports. Fields are dropped in their order: ports before the node.
pub(crate) struct Ports<M: Message> {
    publisher: Publisher<Service, M, ()>,
    subscriber: Subscriber<Service, M, ()>,
    notifier: Notifier<Service>,
    listener: Listener<Service>,
    _node: Node<Service>,
}

fn failed(why: impl Display) -> Fault {
    refused(format!("iceoryx2: {why}"))
}

impl<M: Message> Ports<M> {
    fn open(task: &Task, name: &str, [out, back]: [&str; 2]) -> Result<Self, Fault> {
        set_log_level(LogLevel::Fatal);
        let node = NodeBuilder::new().signal_handling_mode(SignalHandlingMode::Disabled).create::<Service>();
        let node = node.map_err(failed)?;
        let service = |end: &str| {
            let name: ServiceName = format!("{name}/{end}").as_str().try_into().map_err(failed)?;
            let messages = node
                .service_builder(&name)
                .publish_subscribe::<M>()
                .enable_safe_overflow(false)
                .subscriber_max_buffer_size(task.capacity)
                .history_size(0)
                .max_publishers(1)
                .max_subscribers(1)
                .open_or_create()
                .map_err(failed)?;
            let events = node.service_builder(&name).event().open_or_create().map_err(failed)?;
            Ok::<_, Fault>((messages, events))
        };
        let (out, out_events) = service(out)?;
        let (back, back_events) = service(back)?;
        let failures = Cell::new(0_u32);
        // All other transports wait so: a pause, and now and then a yield.
        let again = move |_: &_| {
            failures.set(failures.get() + 1);
            hint::spin_loop();
            if failures.get().is_multiple_of(YIELD) {
                thread::yield_now();
            }
            BackpressureAction::Retry
        };
        Ok(Self {
            publisher: out.publisher_builder().set_backpressure_handler(again).create().map_err(failed)?,
            subscriber: back.subscriber_builder().buffer_size(task.capacity).create().map_err(failed)?,
            notifier: out_events.notifier_builder().create().map_err(failed)?,
            listener: back_events.listener_builder().create().map_err(failed)?,
            _node: node,
        })
    }
}

impl<M: Message> Link<M> for Ports<M> {
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        let sample = self.publisher.loan_uninit().map_err(failed)?;
        Ok(sample.write_payload(M::numbered(number)).send().map_err(failed)? == 1)
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        let sample = self.subscriber.receive().map_err(failed)?;
        Ok(sample.map_or(Came::Nothing, |sample| Came::is_right(sample.has(number))))
    }

    #[inline(always)]
    fn send(&mut self, number: u64) -> Result<(), Fault> {
        if !self.try_send(number)? {
            return Err(failed("nobody subscribes"));
        }
        self.notifier.notify().map_err(failed).map(drop)
    }

    #[inline(always)]
    fn receive(&mut self, number: u64) -> Result<Came, Fault> {
        let mut since = None;
        loop {
            match self.try_receive(number)? {
                Came::Nothing => {
                    // It may also end when the event that wakes it was taken with an earlier one.
                    let events = self.listener.timed_wait(|_| (), PATIENCE).map_err(failed)?;
                    let since = since.get_or_insert_with(Instant::now);
                    if events == 0 && since.elapsed() > PATIENCE {
                        return Err(failed("no event came in time"));
                    }
                }
                came => return Ok(came),
            }
        }
    }
}

impl Kind for PublishSubscribe {
    const NAME: &'static str = "iceoryx2/publish_subscribe";
    const ROLE: Role = Role::Peer;
    type Link<M: Message> = Ports<M>;

    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Ports<M>, Fault> {
        let name = format!("aqueduct-bench-{}", std::process::id());
        let ports = Ports::open(task, &name, ["there", "back"])?;
        control.send_text(&name)?;
        Ok(ports)
    }

    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Ports<M>, Fault> {
        Ports::open(task, &control.receive_text()?, ["back", "there"])
    }
}

/// Publish and subscribe, in the mode in which a message overwrites the oldest one of a
/// subscriber's buffer.
pub(crate) struct Overflow;

/// A port with its node, which is dropped behind it.
pub(crate) struct OverflowPort<P> {
    port: P,
    _node: Node<Service>,
}

impl Overflow {
    /// The service of this name, for one publisher and one subscriber.
    fn open<M: Message, P>(
        task: &Task,
        name: &str,
        port: impl FnOnce(PortFactory<Service, M, ()>) -> Result<P, Fault>,
    ) -> Result<OverflowPort<P>, Fault> {
        set_log_level(LogLevel::Fatal);
        let node = NodeBuilder::new().signal_handling_mode(SignalHandlingMode::Disabled).create::<Service>();
        let node = node.map_err(failed)?;
        let name: ServiceName = name.try_into().map_err(failed)?;
        let messages = node
            .service_builder(&name)
            .publish_subscribe::<M>()
            .enable_safe_overflow(true)
            .subscriber_max_buffer_size(task.capacity)
            .history_size(0)
            .max_publishers(1)
            .max_subscribers(1)
            .open_or_create()
            .map_err(failed)?;
        Ok(OverflowPort { port: port(messages)?, _node: node })
    }
}

impl Overwrites for Overflow {
    const NAME: &'static str = "iceoryx2/overflow";
    const ROLE: Role = Role::Peer;
    type Writer<M: Message> = OverflowPort<Publisher<Service, M, ()>>;
    type Reader<M: Message> = OverflowPort<Subscriber<Service, M, ()>>;

    fn writer<M: Message>(task: &Task, control: &Control) -> Result<Self::Writer<M>, Fault> {
        let name = format!("aqueduct-bench-{}/overflow", std::process::id());
        let writer = Self::open(task, &name, |service| service.publisher_builder().create().map_err(failed))?;
        control.send_text(&name)?;
        Ok(writer)
    }

    fn reader<M: Message>(task: &Task, control: &Control) -> Result<Self::Reader<M>, Fault> {
        let capacity = task.capacity;
        Self::open(task, &control.receive_text()?, |service| {
            service.subscriber_builder().buffer_size(capacity).create().map_err(failed)
        })
    }

    #[inline(always)]
    fn write<M: Message>(writer: &mut Self::Writer<M>, message: M) -> Result<(), Fault> {
        let sample = writer.port.loan_uninit().map_err(failed)?;
        match sample.write_payload(message).send().map_err(failed)? {
            1 => Ok(()),
            _ => Err(failed("nobody subscribes")),
        }
    }

    #[inline(always)]
    fn read<M: Message>(reader: &mut Self::Reader<M>) -> Result<Option<M>, Fault> {
        Ok(reader.port.receive().map_err(failed)?.map(|sample| *sample))
    }

    /// The crate does not count lost messages.
    fn lost<M: Message>(_: &Self::Reader<M>) -> Option<u64> {
        None
    }
}
