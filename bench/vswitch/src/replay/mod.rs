//! Forwards a capture: every station that sends in it becomes a client of the switch.
//!
//! The clients send their packets through their transmit queues. The switch takes them in the order
//! of the capture, learns the stations' ports, and forwards. It waits for full receive queues and
//! does not drop. So what each client receives, and in which order, depends on the capture alone:
//! not on the kind of queue, its capacity, or the machine. A thread that waits yields its core,
//! because a replay is no measurement.
//!
//! Every packet read is delivered, or dropped for a named reason. Delivered packets are counted
//! where they arrive and dropped ones where they are dropped, so the sum is a real check.

mod client;
mod files;
mod run;
mod summary;

pub use client::FrameSink;
pub use files::replay_into;
pub use run::{MOST_STATIONS, ReplayError, Setting, replay};
pub use summary::{Station, Summary};

use crate::drops::{DropReason, Drops};
use crate::frame::HEADER_BYTES;
use crate::mac::MacAddress;
use crate::pcap::{Capture, Packet};
use crate::placement::Placement;
use crate::ports::Kind;
use crate::table::PortNumber;

/// A small capture of ordinary traffic between three hosts; a page in its folder describes the
/// recording.
pub const BUILT_IN: &[u8] = include_bytes!("../../captures/three-namespaces.pcap");
/// The name of the built-in capture.
pub const BUILT_IN_NAME: &str = "three-namespaces.pcap";

/// Forwards the built-in capture through queues of this kind, without files.
///
/// # Errors
/// [`ReplayError`] if the frames do not add up, or the machine stalls.
pub fn replay_builtin(kind: Kind, placement: &Placement) -> Result<Summary, ReplayError> {
    let capture = Capture::parse(BUILT_IN_NAME, BUILT_IN)?;
    let setting = Setting { kind, placement: placement.clone(), ..Setting::default() };
    let (summary, _sinks) = replay(&capture, &setting, |_station| Ok(client::Discard))?;
    Ok(summary)
}

/// The packets of a capture, by the stations that sent them.
struct Cast<'c> {
    /// The stations in the order in which they first send; their index is their port.
    stations: Vec<MacAddress>,
    /// For each station, its packets in the order of the capture.
    packets: Vec<Vec<Packet<'c>>>,
    /// The ports of all packets, in the order of the capture: runs of packets from the same one.
    schedule: Vec<Run>,
    /// Counts of packets that no station can have sent.
    dropped: Drops,
}

/// Adjacent packets of the capture from one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    port: PortNumber,
    packets: usize,
}

impl<'c> Cast<'c> {
    fn of(capture: &Capture<'c>) -> Self {
        let mut cast = Self { stations: vec![], packets: vec![], schedule: vec![], dropped: Drops::default() };
        let mut ports = std::collections::HashMap::new();
        for packet in &capture.packets {
            let Some([_, _, _, _, _, _, a, b, c, d, e, f, ..]) = packet.bytes.first_chunk::<HEADER_BYTES>() else {
                cast.dropped[DropReason::TooShort] += 1;
                continue;
            };
            let source = MacAddress([*a, *b, *c, *d, *e, *f]);
            if source.is_group() {
                cast.dropped[DropReason::GroupSource] += 1;
                continue;
            }
            let port = *ports.entry(source).or_insert(cast.stations.len());
            if port == cast.stations.len() {
                cast.stations.push(source);
                cast.packets.push(vec![]);
            }
            cast.packets[port].push(*packet);
            match cast.schedule.last_mut() {
                Some(run) if run.port == port => run.packets += 1,
                _ => cast.schedule.push(Run { port, packets: 1 }),
            }
        }
        cast
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_dealt_out_in_the_order_of_the_capture() {
        let frame = |source: u8| [[9; 6], [source; 6]].concat().into_iter().chain([8, 0]).collect::<Vec<u8>>();
        let frames = [frame(2), frame(2), frame(4), vec![0; 13], frame(3), frame(2)];
        let packets = (0..).zip(&frames);
        let packets = packets.map(|(time, bytes)| Packet { time, wire_length: bytes.len() as u32, bytes }).collect();
        let format = Capture::parse(BUILT_IN_NAME, BUILT_IN).expect("it is whole").format;
        let cast = Cast::of(&Capture { format, packets });
        assert_eq!(cast.stations, [MacAddress([2; 6]), MacAddress([4; 6])]);
        let times: Vec<Vec<u64>> =
            cast.packets.iter().map(|packets| packets.iter().map(|packet| packet.time).collect()).collect();
        assert_eq!(times, [vec![0, 1, 5], vec![2]]);
        let run = |port, packets| Run { port, packets };
        assert_eq!(cast.schedule, [run(0, 2), run(1, 1), run(0, 1)]);
        assert_eq!((cast.dropped[DropReason::TooShort], cast.dropped[DropReason::GroupSource]), (1, 1));
    }
}
