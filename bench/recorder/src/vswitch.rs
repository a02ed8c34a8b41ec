//! The virtual switch, with an event for each forwarded packet and without events.

use std::cell::Cell as Flag;
use std::time::Duration;

use aqueduct::error::CapacityError;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;
use aqueduct_recorder::event;
use aqueduct_vswitch::frame::Frame;
use aqueduct_vswitch::placement::Placement;
use aqueduct_vswitch::ports::{FrameConsumer, QueueKind, Ring};
use aqueduct_vswitch::workload::{Flood, RequestResponse, Round, Setting, Workload, run_round};

use crate::kinds::Kind;
use crate::kinds::ours::Recorder;
use crate::plan::Plan;

/// The switch without events.
pub(crate) const WITHOUT: &str = "bound/no event";

const CLIENTS: usize = 2;
const CAPACITY: usize = 512;
const BATCH: usize = 64;
/// Microseconds of the first run: an operation of these cells is a microsecond of forwarding.
const FIRST: u64 = 5_000;

thread_local! {
    /// Whether the next queue of this thread is the second one of a port.
    static IS_SECOND: Flag<bool> = const { Flag::new(false) };
}

/// The switch's queues. The queues from which the switch takes packets record each packet.
struct Recorded;

/// The taking end of a queue.
#[derive(Debug)]
struct Recording {
    consumer: <Ring as QueueKind>::Consumer,
    /// Whether the switch has this end, and not a client.
    is_switch: bool,
}

impl QueueKind for Recorded {
    type Producer = <Ring as QueueKind>::Producer;
    type Consumer = Recording;

    fn queue(capacity: usize) -> Result<(Self::Producer, Recording), CapacityError> {
        let (producer, consumer) = Ring::queue(capacity)?;
        // A switch makes two queues for each port: the switch takes from the first one, and the
        // client from the second.
        let is_second = IS_SECOND.replace(!IS_SECOND.get());
        Ok((producer, Recording { consumer, is_switch: !is_second }))
    }
}

impl FrameConsumer for Recording {
    fn take(&mut self) -> Option<Box<Frame>> {
        // The switch empties its queues by this call at its end, and does not forward those
        // packets.
        self.consumer.take()
    }

    #[inline]
    fn take_batch(&mut self, most: usize, mut each: impl FnMut(Box<Frame>)) -> usize {
        if !self.is_switch {
            return self.consumer.take_batch(most, each);
        }
        self.consumer.take_batch(most, |frame| {
            event!("packet", length = frame.wire_length());
            each(frame);
        })
    }
}

/// Adds the switch with and without events, under both workloads.
pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan) -> Result<(), String> {
    let placement = Placement::choose(&plan.cores)?;
    add_workload::<Flood>(cells, &placement);
    add_workload::<RequestResponse>(cells, &placement);
    Ok(())
}

fn add_workload<W: Workload + 'static>(cells: &mut Vec<Cell<'static>>, placement: &Placement) {
    let place = Place { producers: CLIENTS, consumers: CLIENTS, capacity: CAPACITY, batch: BATCH };
    let bench = format!("recorder.vswitch.{}", W::BENCH.rsplit('.').next().unwrap_or(W::BENCH));
    let mut add = |name: &'static str, role, run: fn(&Setting) -> Result<Round, Fault>| {
        let (figure, placement) = (bench.clone(), placement.clone());
        let cell = Cell::new(place.words(&bench), name, role, place, move |micros| {
            let time = Duration::from_micros(micros);
            let rate = run(&setting(time, placement.clone()))?.rate;
            let figures = vec![Figure::new(figure.clone(), Unit::Mpackets, rate)];
            Ok(Measured { figures, done: micros, elapsed: time })
        });
        cells.push(Cell { first: FIRST, ..cell });
    };
    add(Recorder::NAME, Role::Ours, with_events::<W>);
    add(WITHOUT, Role::Bound, |setting| {
        run_round::<Ring, W>(setting).map_err(|error| Fault::Refused(error.to_string()))
    });
}

fn setting(time: Duration, placement: Placement) -> Setting {
    let (switch_batch, client_batch, warm_up) = (BATCH, BATCH, time / 4);
    Setting { clients: CLIENTS, switch_batch, client_batch, capacity: CAPACITY, warm_up, time, placement }
}

/// Forwards with an event for each packet, and counts the events.
fn with_events<W: Workload>(setting: &Setting) -> Result<Round, Fault> {
    let before = Recorder::open()?;
    IS_SECOND.set(false);
    let round = run_round::<Recorded, W>(setting).map_err(|error| Fault::Refused(error.to_string()))?;
    Recorder::close(before, round.pulled)?;
    Ok(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_is_recorded_once() {
        let placement = Placement::choose(&[]).expect("some core");
        let setting = setting(Duration::from_millis(40), placement);
        let round = with_events::<RequestResponse>(&setting).expect("each is recorded once");
        assert!(round.pulled > 0);
    }
}
