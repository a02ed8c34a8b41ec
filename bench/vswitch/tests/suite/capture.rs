//! Captures: the shipped one, cut at every byte and damaged at random, and the opinion of an
//! independent reader.

use aqueduct_vswitch::pcap::{ByteOrder, Capture, CaptureWriter, Format, Packet, Resolution};
use aqueduct_vswitch::replay::{BUILT_IN, BUILT_IN_NAME};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn built_in() -> Capture<'static> {
    Capture::parse(BUILT_IN_NAME, BUILT_IN).expect("the shipped capture is whole")
}

#[test]
fn the_shipped_capture_holds_what_its_readme_says() {
    let capture = built_in();
    assert_eq!((capture.packets.len(), BUILT_IN.len()), (299, 71_830));
    assert_eq!(capture.format, Format::ethernet(ByteOrder::Little, Resolution::Microseconds));
    assert!(capture.packets.iter().all(|packet| (14..=1514).contains(&packet.bytes.len())));
    assert!(capture.packets.is_sorted_by_key(|packet| packet.time));
}

#[test]
fn another_reader_sees_the_same_packets() {
    let mut reader = pcap_file::pcap::PcapReader::new(BUILT_IN).expect("a capture");
    let mut ours = built_in().packets.into_iter();
    while let Some(theirs) = reader.next_packet() {
        let theirs = theirs.expect("a packet");
        let ours = ours.next().expect("as many packets");
        assert_eq!(u128::from(ours.time), theirs.timestamp.as_nanos());
        assert_eq!((ours.wire_length, ours.bytes), (theirs.orig_len, &*theirs.data));
    }
    assert_eq!(ours.next(), None);
}

#[test]
fn a_capture_that_is_written_again_is_the_same_file() {
    let capture = built_in();
    let mut writer = CaptureWriter::new(Vec::new(), capture.format).expect("memory takes it");
    for Packet { time, wire_length, bytes } in capture.packets {
        let (first, second) = bytes.split_at(bytes.len() / 3);
        writer.write(time, wire_length, [first, second]).expect("memory takes it");
    }
    assert_eq!(writer.finish().expect("memory takes it"), BUILT_IN);
}

/// A cut between two packets leaves a shorter whole capture. Every other cut is found, at its byte.
#[test]
fn the_capture_cut_at_every_byte_is_told_or_whole() {
    let whole = built_in();
    let mut ends = vec![24];
    ends.extend(whole.packets.iter().scan(24, |end, packet| {
        *end += 16 + packet.bytes.len();
        Some(*end)
    }));
    for cut in 0..BUILT_IN.len() {
        let complete = ends.partition_point(|end| *end <= cut).checked_sub(1);
        match (Capture::parse("cut.pcap", &BUILT_IN[..cut]), complete) {
            (Ok(capture), Some(packets)) => {
                assert_eq!(ends[packets], cut, "only a cut between packets can pass");
                assert_eq!(capture.packets, whole.packets[..packets]);
            }
            (Err(error), complete) => {
                assert!(error.problem.is_truncation(), "cut at {cut}: {error}");
                assert_eq!(error.packet, complete.map(|packets| packets + 1), "cut at {cut}");
                let begin = complete.map_or(cut, |packets| ends[packets]);
                let header_is_whole = complete.is_some() && cut >= begin + 16;
                assert_eq!(error.position, begin + if header_is_whole { 16 } else { 0 }, "cut at {cut}");
                assert!(error.to_string().starts_with(&format!("cut.pcap: byte {}", error.position)));
            }
            (Ok(_), None) => panic!("a capture without a header was read: cut at {cut}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(0xcafe),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damage_never_panics_and_never_invents_bytes(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        head_hits in prop::collection::vec((0..64_usize, any::<u8>()), 0..3),
    ) {
        let mut bytes = BUILT_IN.to_vec();
        for (at, value) in hits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        for (at, value) in head_hits {
            bytes[at] = value;
        }
        match Capture::parse("damaged.pcap", &bytes) {
            Ok(capture) => {
                let held: usize = capture.packets.iter().map(|packet| 16 + packet.bytes.len()).sum();
                prop_assert_eq!(24 + held, bytes.len());
            }
            Err(error) => prop_assert!(error.position <= bytes.len(), "{}", error),
        }
    }
}
