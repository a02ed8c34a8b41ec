//! The timeline: spans in lines, events, and losses.

use std::thread;

use aqueduct_recorder::{Builder, Kind, counter, event, span};

#[test]
fn spans_lie_below_those_that_are_open_and_nothing_ends_the_page_early() {
    let recorder = Builder::new().rings(2).ring_bytes(512).block_bytes(256).install().expect("the first one");
    let open = span!("left open");
    {
        let _outer = span!("outer", number = 7);
        drop(span!("first </script><b>"));
        drop(span!("second", text = "a < \"b\" & c"));
        event!("step");
        counter!("level", 3);
    }
    thread::spawn(|| (0..100).for_each(|_| event!("tick"))).join().expect("its end");
    let trace = recorder.trace();
    drop(open);
    let [mut page, mut picture] = [Vec::new(), Vec::new()];
    trace.write_timeline(&mut page).expect("a vector takes all");
    trace.write_timeline_svg(&mut picture, 800).expect("a vector takes all");
    let [page, picture] = [page, picture].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));

    let bars = page.split("const bars = [").nth(1).and_then(|rest| rest.split("];\n").next()).expect("bars");
    let bars: Vec<Vec<&str>> =
        bars.lines().filter(|line| !line.is_empty()).map(|line| line.split(',').collect()).collect();
    let line_of = |name: &str| {
        let bar = bars.iter().find(|bar| bar[4].contains(name)).expect("it is drawn");
        (bar[0].trim_start_matches('['), bar[1])
    };
    assert_eq!([line_of("left open"), line_of("outer"), line_of("first")].map(|it| it.1), ["0", "1", "2"]);
    assert_eq!(line_of("second"), ("0", "2"), "below the outer one, where the first one was");
    assert_eq!(bars.len(), 4);
    assert_eq!(page.matches("</script>").count(), 1, "names cannot end it");
    let lost = trace.threads().iter().map(|thread| thread.overwritten.records).max().expect("two threads");
    assert!(lost > 0 && page.contains(&format!("lost:{lost}")) && picture.contains(&format!("{lost} overwritten")));
    for outside in ["http:", "https:", "src=", "@import"] {
        assert!(!page.contains(outside), "the page needs the network: {outside}");
    }
    assert!(picture.contains("first &lt;/script&gt;&lt;b&gt;") && picture.contains("number=7"), "{picture}");
    assert!(picture.contains("a &lt; \\\"b\\\" &amp; c"), "{picture}");
    // One line is the axis.
    let points = picture.matches("<path d=\"M").count() - 1;
    assert_eq!(points, trace.events().iter().filter(|event| event.place.kind != Kind::Span).count(), "{picture}");
}
