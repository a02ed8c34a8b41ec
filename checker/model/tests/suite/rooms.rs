//! The imports between the folders of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folders of the exploration, each with the others that it may import.
const ROOMS: [(&str, &[&str]); 7] = [
    ("graph", &[]),
    ("explore", &["graph"]),
    ("config", &["graph"]),
    ("runtime", &["graph", "explore", "config"]),
    ("buffering", &["graph"]),
    ("report", &["graph", "explore", "runtime", "buffering"]),
    ("check", &["graph", "explore", "config", "runtime", "report", "buffering"]),
];

/// The folders that use reports, each with those that it may import.
const READERS: [(&str, &[&str]); 2] =
    [("minimal", &["config", "report"]), ("model", &["graph", "config", "runtime", "report"])];

/// The folders that programs use. Each may import the others, and `graph` and `runtime`.
const PROGRAMS: [&str; 10] =
    ["alloc", "allocator", "cell", "future", "hint", "interrupt", "lazy_static", "linearizability", "sync", "thread"];

/// Returns the folders and modules that one of them may import, besides itself.
fn known_by(name: &str) -> Vec<&'static str> {
    match ROOMS.iter().chain(&READERS).find(|(room, _)| *room == name) {
        Some((_, known)) => known.to_vec(),
        None if PROGRAMS.contains(&name) => [&["graph", "runtime"][..], &PROGRAMS].concat(),
        None => panic!("{name} is no room that this test knows"),
    }
}

/// Returns all sources but the crate's root: the path below `src`, in parts without `.rs` and
/// `mod`, and the code.
fn sources() -> Vec<(Vec<String>, String)> {
    fn add(folder: &Path, parts: &[String], found: &mut Vec<(Vec<String>, String)>) {
        for entry in fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("a folder can be listed").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let mut parts = parts.to_vec();
            if path.is_dir() {
                parts.push(name);
                add(&path, &parts, found);
                continue;
            }
            if name != "mod" {
                parts.push(name);
            }
            let text = fs::read_to_string(&path).expect("a source can be read");
            let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            found.push((parts, code.collect::<Vec<_>>().join("\n")));
        }
    }
    let mut found = Vec::new();
    add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[], &mut found);
    found.retain(|(parts, _)| parts != &["lib"]);
    found
}

/// Returns the first name of each path that begins with `start`, in code. A group in braces has
/// several first names.
fn heads<'a>(code: &'a str, start: &str) -> Vec<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        if code[..at].ends_with(|c: char| is_name(c) || c == '$' || c == ':') {
            continue;
        }
        let rest = &code[at + start.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.extend(rest.split(|c| !is_name(c)).next());
            continue;
        };
        let mut depth = 1;
        let mut is_head = true;
        for word in group.split_inclusive(|c| !is_name(c)) {
            let name = word.trim_end_matches(|c| !is_name(c));
            if is_head && depth == 1 && !name.is_empty() {
                found.push(name);
                is_head = false;
            }
            match word.chars().last() {
                Some('{') => depth += 1,
                Some('}') => depth -= 1,
                Some(',') if depth == 1 => is_head = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn imports_are_read() {
    let code = "use crate::graph::{a::B, c};\nuse crate::{one::{two, three}, four};\n$crate::five(crate::six::seven())";
    assert_eq!(heads(code, "crate::"), ["graph", "one", "four", "six"]);
    assert_eq!(
        heads("use super::engine::Engine;\nuse super::{kept, locals};", "super::"),
        ["engine", "kept", "locals"]
    );
}

#[test]
fn each_room_knows_only_those_below_it() {
    let sources = sources();
    let mut rooms = BTreeSet::new();
    for (parts, code) in &sources {
        let room = &*parts[0];
        rooms.insert(room);
        let known = known_by(room);
        for head in heads(code, "crate::") {
            assert!(head == room || known.contains(&head), "{parts:?} knows {head}");
        }
        // A module within a file is indented.
        let up = "super::".repeat(parts.len());
        let leaves = code.lines().any(|line| !line.starts_with(' ') && line.contains(&up));
        assert!(!leaves, "{parts:?} leaves its room by {up}");
    }
    let listed = ROOMS.iter().chain(&READERS).map(|(room, _)| *room).chain(PROGRAMS);
    assert_eq!(rooms, listed.collect(), "what is listed is there");
    for (at, (room, known)) in ROOMS.iter().enumerate() {
        assert!(known.iter().all(|known| ROOMS[..at].iter().any(|(below, _)| below == known)), "{room} is above those");
    }
}

/// The engine uses the state on which the files beside it act, and none of the files.
#[test]
fn the_files_of_the_runtime_know_each_other_in_one_direction() {
    let mut above: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (parts, code) in sources() {
        if let [room, file] = &*parts
            && room == "runtime"
        {
            let known = heads(&code, "super::").into_iter().chain(heads(&code, "crate::runtime::"));
            above.insert(file.clone(), known.filter(|known| known != file).map(str::to_owned).collect());
        }
    }
    assert!(above["engine"].contains("state") && above["halting"].contains("engine"), "{above:?}");
    while !above.is_empty() {
        let free: Vec<String> = above
            .iter()
            .filter(|(_, known)| !known.iter().any(|one| above.contains_key(one)))
            .map(|(file, _)| file.clone())
            .collect();
        assert!(!free.is_empty(), "these know each other in a circle: {above:?}");
        above.retain(|file, _| !free.contains(file));
    }
}
