//! Every ordering in the queues that is stronger than `Relaxed` is needed: with a weaker one, the client named in
//! expected/orderings.txt fails, and in the way that the table says.

use std::fs;
use std::path::Path;

use aqueduct_verify::clients::{self, Client};
use aqueduct_verify::orderings::{self, Weakened};
use aqueduct_verify::sites::{self, SOURCES, Site};

/// For a new table: the first small client that fails, in the list's order.
fn first_that_fails(clients: &[Client], site: &Site, weaker: std::sync::atomic::Ordering) -> String {
    for client in clients.iter().filter(|client| !client.big) {
        if let Weakened::Fails(failure) = orderings::weaken(client, site, weaker) {
            return format!("{} | {} | {weaker:?} | {} | {:?}", site.file, site.code, client.name, failure.kind);
        }
    }
    format!("{site} -> {weaker:?}: no client fails, so it is not needed, or a client is missing")
}

#[test]
fn every_ordering_is_needed() {
    let (clients, needs) = (clients::all(), orderings::needs());
    let mut wrong = String::new();
    let mut rows = 0;
    for site in sites::all() {
        for &weaker in sites::weaker(site.ordering) {
            let of_site: Vec<_> = needs.iter().filter(|need| need.is_of(&site, weaker)).collect();
            if of_site.is_empty() {
                wrong += &format!("no row for {site}\nadd: {}\n", first_that_fails(&clients, &site, weaker));
            }
            for need in of_site {
                rows += 1;
                let Some(client) = clients.iter().find(|client| client.name == need.client) else {
                    wrong += &format!("no client {}\n", need.client);
                    continue;
                };
                match orderings::weaken(client, &site, weaker) {
                    Weakened::Fails(failure) if format!("{:?}", failure.kind) == need.failure => {}
                    other => wrong += &format!("{site} -> {weaker:?}, {}: {other:?}\n", need.client),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert_eq!(rows, needs.len(), "expected/orderings.txt has rows of no site");
}

/// The list of files is complete: no other file names an ordering stronger than `Relaxed`.
#[test]
fn no_other_file_names_strong_orderings() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aqueduct/src");
    for path in files(&src) {
        let file = path.strip_prefix(&src).expect("below src").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).expect("readable");
        if !SOURCES.iter().any(|&(known, _)| known == file) {
            assert_eq!(sites::named_in(&text).next(), None, "{file} is missing in sites.rs");
        }
    }
}

/// The seam is the only place that names atomics, cells, or the model; and no algorithm has a `cfg` of its own.
#[test]
fn only_the_seam_knows_the_worlds() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aqueduct/src");
    let mut seen = 0;
    for path in files(&src) {
        let text = fs::read_to_string(&path).expect("readable");
        let is_seam = path.starts_with(src.join("sync")) || path == src.join("sync.rs");
        for word in ["sync::atomic", "UnsafeCell", "aqueduct_model", "spin_loop", "alloc::alloc"] {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let names = code.filter(|line| line.contains(word)).count();
            assert!(is_seam || names == 0, "{} names {word}", path.display());
            seen += names;
        }
    }
    assert!(seen > 0, "the seam was not found");
}

fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
