//! The invariants of absence besides the seam's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::lexer::{Piece, imported, pieces};
use crate::{files, root};

/// Returns the sources of the library outside of the seam: their names, from the sources' folder
/// on, and their words.
fn sources() -> BTreeMap<String, Vec<Piece>> {
    let read = |path: &Path| {
        let name = path.strip_prefix(root()).expect("inside").display().to_string();
        (name, pieces(&fs::read_to_string(path).expect("a source can be read")))
    };
    let seam = |name: &str| name == "sync.rs" || name.starts_with("sync/");
    files().iter().map(|path| read(path)).filter(|(name, _)| !seam(name)).collect()
}

fn texts(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().map(|piece| &*piece.text).collect()
}

/// Returns the modules that a file names by a path from the crate on, up to the depth:
/// `["tube", "raw"]` of `crate::tube::raw::Ticket` with 2.
fn named(pieces: &[Piece], depth: usize) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let words = texts(pieces);
    for at in (0..words.len()).filter(|&at| words[at..].starts_with(&["crate", ":", ":"])) {
        let paths = if at > 0 && words[at - 1] == "use" { imported(pieces, at).0 } else { vec![path(&words[at..])] };
        found.extend(paths.into_iter().map(|path| path.into_iter().skip(1).take(depth).collect::<Vec<_>>()));
    }
    found
}

/// Returns the path with which the words begin.
fn path(words: &[&str]) -> Vec<String> {
    let links = words[1..].chunks_exact(3).take_while(|chunk| chunk[..2] == [":", ":"]);
    [words[0]].into_iter().chain(links.map(|chunk| chunk[2])).map(str::to_owned).collect()
}

/// Returns the queue of a file of the crate, by its folder.
fn folder(name: &str) -> &str {
    name.split(['/', '.']).next().unwrap_or(name)
}

#[test]
fn no_algorithm_has_a_cfg() {
    // Traits of other crates, which have no part in an algorithm.
    let may = ["lib.rs", "bwos/policy/topology.rs", "plain.rs", "spsc/mirror.rs"];
    for (name, pieces) in sources() {
        let is_test = |words: &[&str]| words[1..4] == ["(", "test", ")"];
        let words = texts(&pieces);
        let cfgs = words.windows(4).filter(|words| ["cfg", "cfg_attr"].contains(&words[0]) && !is_test(words)).count();
        assert!(cfgs == 0 || may.contains(&&*name), "src/{name} has a cfg");
        assert!(cfgs > 0 || !may.contains(&&*name), "src/{name} has none any more, and need not be listed");
    }
}

/// The folders with queues, each with the queues that it is composed of.
const QUEUES: [(&str, &[&str]); 10] = [
    ("spsc", &[]),
    ("bbq", &[]),
    ("faaq", &["bbq"]),
    ("bwos", &[]),
    // The injector is a queue of BBQ, and its tasks go to owners.
    ("deque", &["bbq", "bwos"]),
    ("exact", &[]),
    ("nblfq", &[]),
    ("tube", &["bbq"]),
    ("cnq", &["tube"]),
    ("unbounded", &[]),
];

#[test]
fn one_queue_never_imports_another_that_it_is_not_composed_of() {
    let mut seen = BTreeSet::new();
    for (name, pieces) in sources() {
        let Some((own, composed_of)) = QUEUES.iter().find(|(queue, _)| *queue == folder(&name)) else { continue };
        for (other, _) in QUEUES.iter().filter(|(other, _)| other != own) {
            if named(&pieces, 1).contains(&vec![(*other).to_owned()]) {
                assert!(composed_of.contains(other), "src/{name}: {own} imports {other}");
                seen.insert((*own, *other));
            }
        }
    }
    let allowed = QUEUES.iter().flat_map(|(own, others)| others.iter().map(move |other| (*own, *other))).collect();
    assert_eq!(seen, allowed, "what is listed is imported");
}

/// Each of the eight queues of one producer and one consumer, with the queues that it is composed
/// of.
#[test]
fn one_queue_of_a_pair_never_imports_another_that_it_is_not_composed_of() {
    let queues = [
        "batched_improved_fast_forward",
        "batched_lamport",
        "duplex",
        "fast_forward",
        "improved_fast_forward",
        "lamport",
        "lazy_lamport",
        "stamped_line",
    ];
    let sources = sources();
    for own in queues {
        let source = texts(&sources[&format!("spsc/{own}.rs")]).join(" ");
        for other in queues.into_iter().filter(|&other| other != own) {
            let imports = source.contains(&format!("super : : {other} "));
            assert_eq!(imports, (own, other) == ("duplex", "stamped_line"), "{own} imports {other}");
        }
    }
}

#[test]
fn the_orders_of_work_stealing_know_nothing_of_each_other() {
    for (name, pieces) in sources() {
        for (own, other) in [("bwos/lifo/", "fifo"), ("bwos/fifo/", "lifo")] {
            assert!(!name.starts_with(own) || !texts(&pieces).contains(&other), "src/{name} names {other}");
        }
    }
}

#[test]
fn the_library_depends_on_nothing_that_is_not_asked_for() {
    let manifest = fs::read_to_string(root().join("../Cargo.toml")).expect("the manifest can be read");
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]") && !section.contains("dev-dependencies") {
            // The dependency needs a feature, or the flag that puts the library on the model
            // checker's atomics.
            let is_asked_for = line.contains("optional = true") || section.contains("cfg(aqueduct_model)");
            assert!(is_asked_for, "{line}");
            found.push(line.split([' ', '.']).next().unwrap_or(line));
        } else if let Some(default) = line.strip_prefix("default = ") {
            assert_eq!((section, default), ("[features]", "[\"std\"]"));
        } else if line.contains("dep:") {
            let features = ["mirrored = ", "derive = ", "bytemuck = ", "zerocopy = "];
            assert!(features.iter().any(|feature| line.starts_with(feature)), "{line}");
        }
    }
    assert_eq!(found, ["aqueduct-derive", "bytemuck", "zerocopy", "rustix", "aqueduct-model"]);
}

/// Returns the files that import the seam's `name`.
fn importers(name: &str) -> Vec<String> {
    let has = |pieces: &[Piece]| named(pieces, 2).contains(&vec!["sync".to_owned(), name.to_owned()]);
    sources().into_iter().filter(|(_, pieces)| has(pieces)).map(|(name, _)| name).collect()
}

#[test]
fn no_operation_waits_and_the_modules_that_pause_are_known() {
    assert_eq!(
        importers("pause"),
        ["backoff/contention.rs", "backoff/patience.rs", "backoff/shared_distance.rs", "backoff/turns.rs"]
    );
    assert_eq!(importers("pause_while"), ["cnq/capsule.rs", "unbounded/block.rs", "unbounded/chain.rs"]);
    // Each of these files pauses for a constant, or for a time that grows up to one.
    let sources = sources();
    for (file, function, argument) in [
        ("backoff/contention.rs", "pause", "self . moments )"),
        ("backoff/distance.rs", "back_off", "STEP )"),
        ("backoff/patience.rs", "pause", "hints )"),
        ("backoff/shared_distance.rs", "pause", "STEP )"),
        ("backoff/turns.rs", "pause", "hints )"),
        ("cnq/capsule.rs", "pause_while", "patience ,"),
        ("cnq/consumer.rs", "back_off", "BACKOFF )"),
        ("unbounded/block.rs", "pause_while", "PATIENCE ,"),
        ("unbounded/chain.rs", "pause_while", "PATIENCE ,"),
    ] {
        let source = texts(&sources[file]).join(" ");
        let calls =
            source.matches(&format!(" {function} (")).count() - source.matches(&format!("fn {function} (")).count();
        assert_eq!(calls, source.matches(&format!(" {function} ( {argument}")).count(), "{file}");
        assert!(calls > 0, "{file}");
    }
}

#[test]
fn two_queues_call_the_operating_system() {
    assert_eq!(importers("heavy_fence"), ["bwos/seize.rs", "cnq/capsule.rs"]);
    assert_eq!(importers("light_fence"), ["bwos/fifo/position.rs", "bwos/lifo/position.rs", "cnq/capsule.rs"]);
    assert_eq!(importers("free_light_fence"), ["bwos/fifo/position.rs", "bwos/lifo/position.rs"]);
}

#[test]
fn imports_are_found_however_they_are_written() {
    let of = |source: &str, depth| named(&pieces(source), depth);
    let path = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert!(of("use crate::tube::raw::{Ticket, Reserved};", 1).contains(&path(&["tube"])));
    assert!(of("use crate::tube::raw::{Ticket, Reserved};", 2).contains(&path(&["tube", "raw"])));
    assert!(
        of("use crate::{bbq, sync::{pause, Cell}};", 2).is_superset(&[path(&["sync", "pause"]), path(&["bbq"])].into())
    );
    assert!(of("pub type Bbq = crate::bbq::Slots<crate::cnq::Multi>;", 1).contains(&path(&["bbq"])));
    assert!(of("pub type Bbq = crate::bbq::Slots<crate::cnq::Multi>;", 1).contains(&path(&["cnq"])));
    assert!(of("// crate::bbq\nconst S: &str = \"crate::bbq\";", 1).is_empty());
}
