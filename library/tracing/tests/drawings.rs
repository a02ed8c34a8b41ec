//! Drawings of a program that reports by `tracing`.

use aqueduct_recorder::{Builder, Trace};
use aqueduct_tracing::RecorderLayer;
use tracing_subscriber::layer::SubscriberExt as _;

/// Returns the titles of the marks and of the bars in a timeline.
fn titles(trace: &Trace) -> [Vec<String>; 2] {
    let mut picture = Vec::new();
    trace.write_timeline_svg(&mut picture, 800).expect("a vector takes all");
    let picture = String::from_utf8(picture).expect("UTF-8");
    let title =
        |shape: &str| Some(shape.split("/>").next()?.split_once("<title>")?.1.split_once("</title>")?.0.to_owned());
    ["<path ", "<rect "].map(|shape| picture.split(shape).filter_map(title).collect())
}

#[test]
fn a_span_has_its_fields_and_no_marks_of_its_beginning_and_end() {
    let recorder = Builder::new().install().expect("the first one");
    let subscriber = tracing_subscriber::registry().with(RecorderLayer::new());
    tracing::subscriber::with_default(subscriber, || {
        for number in 0..2_u64 {
            let outer = tracing::info_span!("answer", number, user = "ann");
            let _entered = outer.enter();
            tracing::info_span!("lock").in_scope(|| tracing::warn!("refused"));
        }
        drop(tracing::info_span!("never entered", number = 7_u64));
    });
    let trace = recorder.trace();
    let [marks, bars] = titles(&trace);
    let expected =
        ["WARN drawings message=", "WARN drawings message=", "new never entered id=", "close never entered id="];
    assert_eq!(marks.len(), expected.len(), "{marks:?}");
    assert!(marks.iter().zip(expected).all(|(mark, expected)| mark.starts_with(expected)), "{marks:?}");
    let answers: Vec<&String> = bars.iter().filter(|bar| bar.starts_with("answer ")).collect();
    assert_eq!((bars.len(), answers.len()), (4, 2), "{bars:?}");
    for (number, answer) in answers.into_iter().enumerate() {
        let fields = format!(" parent=0 number={number} user=\"ann\" (");
        assert!(answer.starts_with("answer id=") && answer.contains(&fields), "{answer}");
    }

    let mut json = Vec::new();
    trace.write_chrome_json(&mut json).expect("a vector takes all");
    let json = String::from_utf8(json).expect("UTF-8");
    let of =
        |phase: &str| json.lines().filter(|line| line.contains(&format!("\"ph\":\"{phase}\""))).collect::<Vec<_>>();
    assert_eq!([of("i").len(), of("B").len(), of("E").len()], [4, 4, 4], "{json}");
    assert!(of("B")[0].contains("\"name\":\"answer\"") && of("B")[0].contains("\"user\":\"ann\""), "{json}");

    let mut packets = Vec::new();
    trace.write_perfetto(&mut packets).expect("a vector takes all");
    let packets = String::from_utf8_lossy(&packets);
    let found =
        ["answer", "user", "new never entered", "new answer", "close answer"].map(|name| packets.contains(name));
    assert_eq!(found, [true, true, true, false, false]);
}
