//! `aqueduct paper`: the page is made of figures, and of nothing else.

use std::fs;

use crate::{aqueduct, err, folder, out};

/// Returns a line of a file of figures.
fn line(queue: &str, runs: [f64; 3]) -> String {
    line_of("nblfq.pairs", queue, runs)
}

fn line_of(bench: &str, queue: &str, runs: [f64; 3]) -> String {
    let [low, median, high] = runs;
    format!(
        r#"{{"bench":"{bench}","queue":"{queue}","role":"ours","producers":1,"consumers":1,"capacity":1024,"batch":1,"payload":"embedded","producer_load_ns":0,"consumer_load_ns":0,"unit":"Mitems/s","median":{median},"min":{low},"max":{high},"runs":[{low},{median},{high}]}}"#
    )
}

#[test]
fn figures_decide_what_holds() {
    let folder = folder("paper");
    let place = folder.join("nblfq");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("run.txt"), "- Processor: none\n").unwrap();
    let ours = line("aqueduct/nblfq", [20.0, 40.0, 60.0]);
    let verdict_beside = |rival: [f64; 3]| {
        fs::write(place.join("figures.jsonl"), format!("{ours}\n{}\n", line("published/lcrq", rival))).unwrap();
        let output = aqueduct(&folder, "paper nblfq --redraw --out .");
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(out(&output).starts_with("nblfq: of 4 figures and tables"), "{}", out(&output));
        let page = fs::read_to_string(place.join("README.md")).unwrap();
        let row = page.lines().find(|line| line.starts_with("| NBLFQ over the best of the paper's others, 1x1 |"));
        row.unwrap_or_else(|| panic!("{page}")).split(" | ").skip(2).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(verdict_beside([5.0, 10.0, 30.0]), "4.00 times, holds, 3 of 3 |");
    assert_eq!(verdict_beside([5.0, 10.0, 31.0]), "4.00 times, undecided, 2 of 3 |");
    assert_eq!(verdict_beside([5.0, 32.0, 50.0]), "1.25 times, less than claimed, same direction, 1 of 3 |");
    assert_eq!(verdict_beside([5.0, 32.0, 60.0]), "1.25 times, undecided, 1 of 3 |");
    assert_eq!(verdict_beside([50.0, 80.0, 90.0]), "0.50 times, does not hold, 0 of 3 |");
    let page = fs::read_to_string(place.join("README.md")).unwrap();
    assert!(
        page.contains("- Processor: none\n") && page.contains("![Figures 4 to 7: producers and consumers](fig-4.svg)"),
        "{page}"
    );
    assert!(page.contains("**Not measured here.**"), "figures without a record: {page}");
    let picture = fs::read_to_string(place.join("fig-4.svg")).unwrap();
    assert!(picture.contains(">NBLFQ<") && picture.contains(">LCRQ<") && !picture.contains("SCQD"), "{picture}");
    assert!(!place.join("fig-8.svg").exists(), "a picture without a figure");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    // NBLFQ is not twice as fast as LCRQ, but LCRQ is ahead with most threads.
    assert!(index.contains("](nblfq/README.md) | 4 | 0 | 1 | 0 | 0 | 3 |"), "{index}");
}

#[test]
fn a_figure_of_one_side_of_a_bench_is_found() {
    let folder = folder("paper_side");
    let place = folder.join("nblfq");
    fs::create_dir_all(&place).unwrap();
    let median_of = |queue: &str, runs: [f64; 3]| line_of("nblfq.single.p50", queue, runs);
    let lines = [median_of("aqueduct/nblfq", [4.0; 3]), median_of("aqueduct/nblfq_wide", [2.0; 3])];
    fs::write(place.join("run.txt"), "- Processor: none\n").unwrap();
    fs::write(place.join("figures.jsonl"), lines.join("\n")).unwrap();
    let output = aqueduct(&folder, "paper nblfq --redraw --out .");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let page = fs::read_to_string(place.join("README.md")).unwrap();
    assert!(page.contains("| NBLFQ over NBLFQ 2 | 1 times | 2.00 times | undecided |"), "{page}");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = folder("no_paper");
    let output = aqueduct(&folder, "paper bbq --redraw --out .");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("./bbq has no figures.jsonl"), "{}", err(&output));
    let output = aqueduct(&folder, "paper abp");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("[possible values: bbq, cnq, bwos, nblfq, spsc]"), "{}", err(&output));
    let output = aqueduct(&folder, "paper spsc --quick --dry-run");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let lines = out(&output);
    assert!(lines.lines().all(|line| line.starts_with("aqueduct ")), "a line for each command: {lines}");
    for command in ["bench spsc ", "vswitch "] {
        assert!(lines.lines().any(|line| line.starts_with(&format!("aqueduct {command}"))), "{command}: {lines}");
    }
    assert!(!folder.join("papers").exists(), "nothing was written");
}
