//! Every kind of page and picture that the program writes, opened in a browser: nothing fails
//! there, and the marks are drawn. Without a browser, these tests print a note and pass.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aqueduct_recorder::{Builder, counter, event, span};

use crate::{aqueduct, end, err, folder};

/// A page as a browser shows it.
struct Shown {
    /// The page's elements, after its scripts have run.
    dom: String,
    /// The page's messages on the browser's console: errors, warnings, and files that it lacks.
    console: Vec<String>,
}

/// Measures a page from within: the painted pixels of its canvases, and the texts that leave their
/// drawing.
const PROBE: &str = r#"<script type="module">
let painted = 0;
for (const canvas of document.querySelectorAll("canvas")) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4) {
    const [least, most] = [Math.min(...data.subarray(at, at + 3)), Math.max(...data.subarray(at, at + 3))];
    painted += data[at + 3] > 0 && most - least > 20;
  }
}
const leaves = text => {
  const [box, own] = [text.ownerSVGElement.viewBox.baseVal, text.getBBox()];
  return own.x < box.x - 1 || own.x + own.width > box.x + box.width + 1;
};
const cut = [...document.querySelectorAll("svg[viewBox] text:not([transform])")].filter(leaves);
document.documentElement.dataset.painted = painted;
document.documentElement.dataset.cut = cut.map(text => text.textContent).join("; ");
document.documentElement.dataset.sideways = document.documentElement.scrollWidth > innerWidth;
</script>"#;

/// Operates a timeline as a user does: zooms, moves, points, and searches.
const HAND: &str = r#"<script type="module">
const canvas = document.getElementById("canvas"), search = document.getElementById("search");
const at = { bubbles: true, cancelable: true, clientX: 400, clientY: 80 };
canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: -100 }));
canvas.dispatchEvent(new MouseEvent("mousemove", { ...at, buttons: 1, movementX: 5, movementY: -3 }));
for (let y = 40; y < 400; y += 5) canvas.dispatchEvent(new MouseEvent("mousemove", { ...at, clientY: y }));
search.value = "step";
search.dispatchEvent(new Event("input"));
</script>"#;

/// Hides a kind of edges of an execution by its box.
const CHOICE: &str = r#"<script type="module">
const shown = () => getComputedStyle(document.querySelector(".picture path.rf")).display;
const told = document.documentElement.dataset;
told.before = shown();
document.getElementById("show-rf").click();
told.after = shown();
const boxes = [...document.querySelectorAll("input")].map(box => [box, document.querySelector(`label[for="${box.id}"]`) ?? box.parentElement]);
told.apart = boxes.filter(([box, words]) => {
  const [own, line] = [box, words.querySelector("span")].map(it => it.getBoundingClientRect());
  return own.bottom < line.top || line.bottom < own.top;
}).length;
</script>"#;

/// Returns the browser, if the machine has one.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).flat_map(|path| names.map(|name| path.join(name))).find(|path| path.exists())
}

/// Opens a page, or a picture, in a window of this width. Returns `None` without a browser.
fn open(folder: &Path, page: &str, width: u32) -> Option<Shown> {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium, chromium-browser or google-chrome in the PATH");
        return None;
    };
    let file = |name: &str| File::create(folder.join(name)).unwrap();
    let profile = folder.join("profile");
    let _ = fs::remove_dir_all(&profile);
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom", &format!("--window-size={width},800")])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", folder.join(page).display()))
        .stdin(Stdio::null())
        .stdout(file("dom"))
        .stderr(file("log"))
        .spawn()
        .unwrap();
    end(child, page);
    let text = |name: &str| String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap()).into_owned();
    let console = text("log").lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
    Some(Shown { dom: text("dom"), console })
}

/// Opens a page with scripts at its end.
fn probe(folder: &Path, page: &str, width: u32, scripts: &[&str]) -> Option<Shown> {
    let text = fs::read_to_string(folder.join(page)).unwrap() + &scripts.concat();
    fs::write(folder.join("probed.html"), text).unwrap();
    open(folder, "probed.html", width)
}

impl Shown {
    /// Asserts that nothing failed, and returns the page's elements.
    fn dom(&self) -> &str {
        assert_eq!(self.console, [""; 0], "the page fails");
        assert!(!self.dom.contains("parsererror"), "{}", self.dom);
        &self.dom
    }

    /// Returns a measure of the probe.
    fn measure(&self, name: &str) -> &str {
        let (_, rest) = self.dom().split_once(&format!("data-{name}=\"")).expect("the probe has run");
        rest.split('"').next().expect("its end")
    }

    fn count(&self, mark: &str) -> usize {
        self.dom().matches(mark).count()
    }

    /// Asserts that all texts lie in their drawings, and that the page is no wider than the window.
    fn fits(&self) {
        assert_eq!((self.measure("cut"), self.measure("sideways")), ("", "false"));
    }
}

#[test]
fn an_error_in_a_page_is_found() {
    let folder = folder("page-error");
    for (script, wanted) in [
        ("const [left, top] = [1, 2];", "'top' has already been declared"),
        ("undefined.x", "Cannot read properties of undefined"),
        ("Promise.reject(new Error('too late'))", "too late"),
    ] {
        fs::write(folder.join("wrong.html"), format!("<!DOCTYPE html><script>{script}</script>")).unwrap();
        let Some(shown) = open(&folder, "wrong.html", 800) else { return };
        assert!(shown.console.iter().any(|line| line.contains(wanted)), "{script}: {:?}", shown.console);
    }
}

/// The file of the child's records. It is set only in the child.
const DUMP: &str = "AQUEDUCT_TEST_DUMP";

/// Records spans, if the test below has started this process: a process has one recorder.
#[test]
fn child_that_records_spans() {
    let Some(file) = env::var_os(DUMP) else { return };
    let recorder = Builder::new().rings(2).ring_bytes(16 << 10).install().unwrap();
    for number in 0..7_u64 {
        let _outer = span!("outer", number);
        let _inner = span!("inner </script>", text = "<b>");
        event!("step", number);
        counter!("level", number);
    }
    recorder.dump(file).unwrap();
}

#[test]
fn a_timeline_is_drawn_and_can_be_moved_and_searched() {
    let folder = folder("page-timeline");
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "pages::child_that_records_spans"])
        .env(DUMP, folder.join("dump"))
        .stdout(Stdio::null())
        .status();
    assert!(child.unwrap().success());
    for (format, page) in [("html", "page.html"), ("svg", "picture.svg")] {
        let output = aqueduct(&folder, &format!("trace dump --to {format} --out {page}"));
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    }
    let Some(shown) = probe(&folder, "page.html", 1000, &[PROBE]) else { return };
    assert!(shown.dom().contains("14 spans, 14 events, 0 refused"), "{}", shown.dom);
    assert!(
        shown.measure("painted").parse::<u64>().unwrap() > 1000,
        "the spans' colours: {}",
        shown.measure("painted")
    );
    shown.fits();
    let moved = probe(&folder, "page.html", 1000, &[HAND, PROBE]).unwrap();
    assert!(moved.dom().contains("7 found; 14 spans"), "{}", moved.dom);
    assert!(moved.measure("painted").parse::<u64>().unwrap() > 1000, "the spans' colours");
    let picture = open(&folder, "picture.svg", 1000).unwrap();
    assert_eq!(picture.count("<title>outer number="), 7);
    assert_eq!(picture.count("<title>step number="), 7);
}

/// Returns a line of figures.
pub(crate) fn line(bench: &str, queue: &str, unit: &str, threads: u32, runs: &[f64]) -> String {
    let role = if queue.starts_with("aqueduct/") { "ours" } else { "peer" };
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (median, min, max) = (sorted[sorted.len() / 2], sorted[0], sorted[sorted.len() - 1]);
    format!(
        r#"{{"bench":"{bench}","queue":"{queue}","role":"{role}","producers":{threads},"consumers":{threads},"capacity":1024,"batch":1,"payload":"embedded","producer_load_ns":0,"consumer_load_ns":0,"unit":"{unit}","median":{median},"min":{min},"max":{max},"runs":{runs:?}}}"#
    )
}

#[test]
fn a_report_is_drawn_in_windows_of_any_width() {
    let folder = folder("page-report");
    let long = "crossbeam-queue/array_queue_with_a_long_name";
    let lines = [
        line("mpmc.throughput", "aqueduct/bbq_mpmc", "Mitems/s", 1, &[20.0, 21.0, 22.0]),
        line("mpmc.throughput", "aqueduct/bbq_mpmc", "Mitems/s", 2, &[30.0, 31.0, 32.0]),
        line("mpmc.throughput", long, "Mitems/s", 1, &[10.0, 10.5, 20.0, 20.5]),
        line("mpmc.throughput", long, "Mitems/s", 2, &[5.0, 6.0, 7.0]),
        line("drop-old.penalty", "aqueduct/drop_old", "%", 1, &[-62.0, -44.0, -40.0]),
        line("drop-old.penalty", "peer/other", "%", 1, &[-5.0, 10.0, 12.0]),
        line("spsc.pingpong_distribution", "aqueduct/ring", "ns", 1, &[100.0, 120.0, 300.0, 310.0]),
    ];
    fs::write(folder.join("runs.jsonl"), lines.join("\n")).unwrap();
    let queues = format!("aqueduct/bbq_mpmc,{long}");
    let output = aqueduct(&folder, &format!("report runs.jsonl --html page.html --svg picture.svg --queues {queues}"));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for width in [1200, 500] {
        let Some(shown) = probe(&folder, "page.html", width, &[PROBE]) else { return };
        assert_eq!(
            shown.count("<rect class=\"ours\"") + shown.count("<rect class=\"peer\""),
            7,
            "a bar for each median"
        );
        assert!(shown.count("<circle") >= 20, "a dot for each run");
        shown.fits();
    }
    let picture = open(&folder, "picture.svg", 1000).unwrap();
    assert_eq!(picture.count("<polyline"), 2);
}

#[test]
fn an_execution_is_drawn() {
    let folder = folder("page-execution");
    let race = "C race\n{ x = 0; }\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (x=1)\n";
    fs::write(folder.join("race.litmus"), race).unwrap();
    let output = aqueduct(&folder, "litmus race.litmus --html page.html");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for width in [1000, 500] {
        let Some(shown) = probe(&folder, "page.html", width, &[PROBE, CHOICE]) else { return };
        assert_eq!(shown.count("<g class=\"event marked\""), 2, "{}", shown.dom);
        assert_eq!((shown.measure("before"), shown.measure("after")), ("inline", "none"), "edges can be hidden");
        assert_eq!(shown.measure("apart"), "0", "each box is in the line of its words");
        shown.fits();
    }
}

#[test]
fn the_pictures_of_a_paper_are_drawn() {
    let folder = folder("page-paper");
    let place = folder.join("nblfq");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("run.txt"), "- Processor: none\n").unwrap();
    let of = |queue: &str| [1, 2, 4].map(|threads| line("nblfq.pairs", queue, "Mitems/s", threads, &[1.0, 2.0, 3.0]));
    fs::write(place.join("figures.jsonl"), [of("aqueduct/nblfq"), of("published/lcrq")].concat().join("\n")).unwrap();
    let output = aqueduct(&folder, "paper nblfq --redraw --out .");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let pictures: Vec<PathBuf> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).collect();
    let pictures: Vec<&PathBuf> =
        pictures.iter().filter(|path| path.extension().is_some_and(|it| it == "svg")).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let name = format!("nblfq/{}", picture.file_name().unwrap().display());
        let Some(shown) = open(&folder, &name, 800) else { return };
        assert!(shown.count("<polyline") + shown.count("<rect") > 0, "{name}: {}", shown.dom);
    }
}
