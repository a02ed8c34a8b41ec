//! Replays give equal results on every kind of queue, and a plain model's results. They are
//! written, read back and accounted for.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use aqueduct_vswitch::drops::DropReason;
use aqueduct_vswitch::frame::Frame;
use aqueduct_vswitch::mac::MacAddress;
use aqueduct_vswitch::pcap::{ByteOrder, Capture, CaptureWriter, Format, Packet, Resolution};
use aqueduct_vswitch::placement::Placement;
use aqueduct_vswitch::ports::Kind;
use aqueduct_vswitch::replay::{
    BUILT_IN, BUILT_IN_NAME, FrameSink, ReplayError, Setting, Summary, replay, replay_builtin, replay_into,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The frames that a station received: time, bytes, whether it was a copy.
type Received = Vec<(u64, Vec<u8>, bool)>;

fn forward(capture: &Capture<'_>, setting: &Setting) -> (Summary, Vec<Received>) {
    let (summary, sinks) = replay(capture, setting, |_| Ok(Vec::new())).expect("the frames add up");
    let received =
        |frames: Vec<Box<Frame>>| frames.iter().map(|frame| (frame.tag, frame.to_bytes(), frame.is_copy())).collect();
    (summary, sinks.into_iter().map(received).collect())
}

fn address(bytes: &[u8]) -> MacAddress {
    MacAddress(*bytes.first_chunk().expect("six bytes"))
}

/// Returns the results of a learning switch that never drops, without queues or threads.
fn model(capture: &Capture<'_>) -> (Vec<MacAddress>, Vec<Received>) {
    let frames = || capture.packets.iter().filter(|packet| packet.bytes.len() >= 14 && packet.bytes[6] & 1 == 0);
    let mut stations: Vec<MacAddress> = Vec::new();
    for packet in frames() {
        let source = address(&packet.bytes[6..]);
        if !stations.contains(&source) {
            stations.push(source);
        }
    }
    let mut received = vec![Received::new(); stations.len()];
    let mut learned = HashMap::new();
    for packet in frames() {
        let (to, from) = (address(packet.bytes), address(&packet.bytes[6..]));
        let source = stations.iter().position(|station| *station == from).expect("it sends");
        learned.insert(from, source);
        let receivers: Vec<usize> = match learned.get(&to) {
            Some(&port) => vec![port],
            None => (0..stations.len()).collect(),
        };
        let others: Vec<usize> = receivers.into_iter().filter(|port| *port != source).collect();
        for port in &others {
            received[*port].push((packet.time, packet.bytes.to_vec(), Some(port) != others.last()));
        }
    }
    (stations, received)
}

fn built_in() -> Capture<'static> {
    Capture::parse(BUILT_IN_NAME, BUILT_IN).expect("the shipped capture is whole")
}

fn settings() -> impl Iterator<Item = Setting> {
    let sizes = [(1, 1), (7, 3), (256, 8)];
    Kind::ALL
        .iter()
        .flat_map(move |&kind| sizes.map(|(capacity, batch)| Setting { kind, capacity, batch, ..Setting::default() }))
}

#[test]
fn the_shipped_capture_is_forwarded_as_the_model_says_on_all_kinds_and_sizes() {
    let capture = built_in();
    let (stations, expected) = model(&capture);
    for setting in settings() {
        let (summary, received) = forward(&capture, &setting);
        assert_eq!(received, expected, "{setting:?}");
        let addresses: Vec<_> = summary.stations.iter().map(|station| station.address).collect();
        assert_eq!(addresses, stations);
        assert_eq!((summary.read, summary.delivered(), summary.dropped.total()), (299, 299, 0));
        assert_eq!((summary.flooded, summary.copies, summary.copies_delivered(), summary.learned), (50, 50, 50, 3));
    }
}

#[test]
fn the_built_in_replay_needs_no_files_and_adds_up() {
    for &kind in Kind::ALL {
        let placement = Placement::choose(&[]).expect("this machine's cores");
        let summary = replay_builtin(kind, &placement).expect("it adds up");
        assert_eq!((summary.read, summary.delivered()), (299, 299));
        let text = summary.to_string();
        assert!(text.contains("299 frames read = 299 delivered + 0 dropped"), "{text}");
        assert!(text.contains("50 frames flooded; 50 copies made = 50 delivered + 0 dropped"), "{text}");
    }
}

#[test]
fn the_switch_and_its_clients_can_share_one_core() {
    let core = Placement::choose(&[]).expect("this machine's cores").switch;
    let placement = Placement { switch: core, clients: vec![core] };
    let setting = Setting { capacity: 2, placement, ..Setting::default() };
    let capture = built_in();
    assert_eq!(forward(&capture, &setting).1, model(&capture).1);
}

#[test]
fn written_captures_read_back_as_what_was_received() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("in.pcap");
    fs::write(&file, BUILT_IN).expect("the folder can be written");
    let out = folder.path().join("deep/out");
    let summary = replay_into(&file, Some(&out), &Setting::default()).expect("it adds up");
    let (stations, expected) = model(&built_in());
    assert_eq!(fs::read_dir(&out).expect("the folder is there").count(), stations.len());
    for (station, expected) in summary.stations.iter().zip(expected) {
        let path = out.join(format!("{}.pcap", station.address.file_stem()));
        let bytes = fs::read(&path).expect("every station has a file");
        let capture = Capture::parse("back", &bytes).expect("it is whole");
        assert_eq!(capture.format, built_in().format);
        let packets: Vec<_> = capture.packets.iter().map(|packet| (packet.time, packet.bytes.to_vec())).collect();
        let expected: Vec<_> = expected.into_iter().map(|(time, bytes, _)| (time, bytes)).collect();
        assert_eq!(packets, expected);
        let mut other_reader = pcap_file::pcap::PcapReader::new(&bytes[..]).expect("a capture");
        for (_, bytes) in &expected {
            assert_eq!(other_reader.next_packet().expect("as many packets").expect("a packet").data, &bytes[..]);
        }
        assert!(other_reader.next_packet().is_none());
    }
}

/// Makes a capture of these frames, which had 10 bytes more on the wire than are recorded.
fn capture_of(frames: &[Vec<u8>]) -> Capture<'_> {
    let packets = (0..).zip(frames).map(|(time, bytes)| Packet { time, wire_length: bytes.len() as u32 + 10, bytes });
    Capture { format: Format::ethernet(ByteOrder::Big, Resolution::Nanoseconds), packets: packets.collect() }
}

fn ethernet(to: [u8; 6], from: [u8; 6], payload: &[u8]) -> Vec<u8> {
    [&to, &from, &[0x08, 0x00][..], payload].concat()
}

const A: [u8; 6] = [2, 0, 0, 0, 0, 1];
const B: [u8; 6] = [2, 0, 0, 0, 0, 2];
const ALL: [u8; 6] = [0xff; 6];
const GROUP: [u8; 6] = [3, 0, 0, 0, 0, 1];

#[test]
fn frames_that_cannot_be_forwarded_are_counted_by_reason() {
    let frames = [
        ethernet(ALL, A, &[1; 46]),
        vec![0; 13],
        vec![],
        ethernet(A, A, &[2; 46]),
        ethernet(ALL, GROUP, &[3; 46]),
        ethernet(A, B, &[4; 2000]),
        ethernet(B, A, &[]),
    ];
    let capture = capture_of(&frames);
    let (summary, received) = forward(&capture, &Setting::default());
    let dropped: Vec<_> = summary.dropped.reasons().collect();
    assert_eq!(dropped, [(DropReason::TooShort, 2), (DropReason::GroupSource, 1), (DropReason::OwnPort, 1)]);
    assert_eq!((summary.read, summary.delivered()), (7, 3));
    assert_eq!(received, model(&capture).1);
    let text = summary.to_string();
    assert!(text.contains("7 frames read = 3 delivered + 4 dropped"), "{text}");
    assert!(text.contains("2 dropped: too short for an Ethernet header"), "{text}");
}

#[test]
fn a_single_station_has_no_receiver_and_an_empty_capture_is_no_error() {
    let frames = [ethernet(ALL, A, &[]), ethernet(B, A, &[])];
    let (summary, _) = forward(&capture_of(&frames), &Setting::default());
    assert_eq!((summary.delivered(), summary.dropped[DropReason::NoOtherPort]), (0, 2));
    let (summary, received) = forward(&capture_of(&[]), &Setting::default());
    assert_eq!((summary.read, summary.delivered(), received.len()), (0, 0, 0));
}

/// A sink that fails, or is slow to take the first frame.
#[derive(Debug)]
struct Difficult {
    accepted: usize,
    fails_at: usize,
    takes: Duration,
}

impl FrameSink for Difficult {
    fn accept(&mut self, _frame: Box<Frame>) -> io::Result<()> {
        if self.accepted == 0 {
            std::thread::sleep(self.takes);
        }
        self.accepted += 1;
        if self.accepted == self.fails_at { Err(io::Error::other("the disk is full")) } else { Ok(()) }
    }
}

#[test]
fn a_sink_that_fails_ends_the_replay_and_is_named() {
    let sink = |_| Ok(Difficult { accepted: 0, fails_at: 3, takes: Duration::ZERO });
    let begin = Instant::now();
    let error = replay(&built_in(), &Setting { capacity: 1, ..Setting::default() }, sink).expect_err("it fails");
    assert!(matches!(error, ReplayError::Sink { .. }), "{error}");
    assert!(begin.elapsed() < Setting::default().patience, "the other threads end at once");
    assert!(error.to_string().contains("02:00:00:00:00:0") && error.to_string().contains("the disk is full"));
}

#[test]
fn a_receiver_that_is_too_slow_costs_frames_that_are_counted() {
    let frames: Vec<_> = (0..200_u8).map(|number| ethernet(B, A, &[number; 46])).collect();
    let frames = [vec![ethernet(A, B, &[])], frames].concat();
    let setting = Setting { capacity: 1, patience: Duration::from_millis(1), ..Setting::default() };
    let setting = Setting { kind: Kind::Lamport, ..setting };
    let sink = |_| Ok(Difficult { accepted: 0, fails_at: usize::MAX, takes: Duration::from_millis(500) });
    let (summary, _) = replay(&capture_of(&frames), &setting, sink).expect("the frames add up");
    assert!(summary.dropped[DropReason::ReceiveQueueFull] > 0, "{summary}");
    assert_eq!(summary.delivered() + summary.dropped.total(), 201);
}

#[test]
fn files_that_are_not_there_or_would_be_overwritten_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("nothing.pcap");
    let error = replay_into(&missing, None, &Setting::default()).expect_err("it is not there");
    assert!(error.to_string().contains("nothing.pcap"), "{error}");
    let own = folder.path().join("02-00-00-00-00-01.pcap");
    fs::write(&own, BUILT_IN).expect("the folder can be written");
    let error = replay_into(&own, Some(folder.path()), &Setting::default()).expect_err("it would be overwritten");
    assert!(matches!(error, ReplayError::OverwritesInput(_)), "{error}");
    assert_eq!(fs::read(&own).expect("it is still there"), BUILT_IN);
    let error = replay_into(&own, Some(Path::new("/dev/null/out")), &Setting::default()).expect_err("no folder");
    assert!(error.to_string().contains("/dev/null/out"), "{error}");
}

#[test]
fn a_truncated_capture_is_an_error_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cut.pcap");
    fs::write(&file, &BUILT_IN[..50_000]).expect("the folder can be written");
    let out = folder.path().join("out");
    let error = replay_into(&file, Some(&out), &Setting::default()).expect_err("it is truncated").to_string();
    assert!(error.contains("cut.pcap: byte 49") && error.contains("truncated") && error.contains("packet "), "{error}");
    assert!(!out.exists());
}

#[test]
fn too_many_stations_are_refused_with_their_number() {
    let frames: Vec<_> = (0..513_u16)
        .map(|station| ethernet(ALL, [2, 0, 0, 0, station.to_be_bytes()[0], station.to_be_bytes()[1]], &[]))
        .collect();
    let error = replay(&capture_of(&frames), &Setting::default(), |_| Ok(Vec::new())).expect_err("too many");
    assert!(error.to_string().starts_with("513 stations send in this capture; up to 512"), "{error}");
}

fn random_frames() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let station = (0..6_u8).prop_map(|number| [2, 0, 0, 0, 0, number]);
    let to = prop_oneof![6 => station.clone(), 1 => Just(ALL), 1 => Just(GROUP), 1 => Just([2, 9, 9, 9, 9, 9])];
    let from = prop_oneof![20 => station, 1 => Just(GROUP)];
    let whole = (to, from, prop::collection::vec(any::<u8>(), 0..100))
        .prop_map(|(to, from, payload)| ethernet(to, from, &payload));
    let frame = prop_oneof![20 => whole, 1 => prop::collection::vec(any::<u8>(), 0..14)];
    prop::collection::vec(frame, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(0xf00d),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_captures_are_forwarded_as_the_model_says(
        frames in random_frames(),
        kind in prop::sample::select(Kind::ALL),
        capacity in 1..50_usize,
        batch in 1..20_usize,
    ) {
        let capture = capture_of(&frames);
        let setting = Setting { kind, capacity, batch, ..Setting::default() };
        let (summary, received) = forward(&capture, &setting);
        let (_, expected) = model(&capture);
        prop_assert_eq!(received, expected);
        prop_assert_eq!(summary.dropped[DropReason::ReceiveQueueFull], 0);
    }
}

#[test]
fn cut_packets_keep_their_length_on_the_wire() {
    let frames = [ethernet(ALL, A, &[7; 20]), ethernet(A, B, &[8; 20])];
    let capture = capture_of(&frames);
    let writer = |_| Ok(CaptureWriter::new(Vec::new(), capture.format).expect("memory takes it"));
    let (_, writers) = replay(&capture, &Setting::default(), writer).expect("the frames add up");
    for (writer, number) in writers.into_iter().zip([1, 0]) {
        let bytes = writer.finish().expect("memory takes it");
        let back = Capture::parse("back", &bytes).expect("it is whole");
        assert_eq!(back.packets, [capture.packets[number]]);
    }
}
