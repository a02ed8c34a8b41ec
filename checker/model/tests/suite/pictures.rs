//! Executions as pictures: their parts and marks, and that pages and DOT files are well-formed.

use std::collections::BTreeSet;
use std::sync::Arc;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, EdgeKind, ExecutionGraph, GraphEvent, thread};

use crate::failures::Shared;
use crate::support::failure;

fn race() -> ExecutionGraph {
    let found = failure(|| {
        let (cell, flag) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
        let (other, theirs) = (cell.clone(), Arc::clone(&flag));
        thread::spawn(move || {
            other.set(1);
            theirs.store(1, Relaxed);
        });
        if flag.load(Acquire) == 1 {
            cell.get();
        }
    });
    found.expect("nothing orders the two").graph
}

/// Returns store buffering: two threads that each do not see the other's store.
fn buffering() -> ExecutionGraph {
    let found = failure(|| {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (a, b) = (Arc::clone(&x), Arc::clone(&y));
        let other = thread::spawn(move || {
            a.store(1, Release);
            b.load(Acquire)
        });
        y.store(1, Release);
        let mine = x.load(Acquire);
        assert!(other.join().unwrap() + mine > 0, "none < one");
    });
    found.expect("stores wait in buffers").graph
}

/// Returns the texts of the marked events.
fn marked(graph: &ExecutionGraph) -> BTreeSet<&str> {
    graph.events.iter().filter(|event| event.marked).map(|event| event.text.as_str()).collect()
}

fn edges(graph: &ExecutionGraph, kind: EdgeKind) -> Vec<(&str, &str)> {
    let text = |event: usize| graph.events[event].text.as_str();
    graph.edges.iter().filter(|edge| edge.kind == kind).map(|edge| (text(edge.from), text(edge.to))).collect()
}

#[test]
fn a_race_names_both_accesses_and_marks_them() {
    let graph = race();
    assert_eq!(graph.threads, ["main", "thread 1"]);
    assert_eq!(marked(&graph), BTreeSet::from(["read a", "write a"]));
    assert_eq!(edges(&graph, EdgeKind::Conflict).len(), 1);
    assert_eq!(edges(&graph, EdgeKind::ReadsFrom), [("b.store(1, Relaxed)", "b.load(Acquire) = 1")]);
    let page = graph.to_html("a race");
    for access in ["read a", "write a"] {
        let boxed = page.lines().find(|line| line.starts_with("<g ") && line.contains(&format!("{access}<")));
        let boxed = boxed.unwrap_or_else(|| panic!("{access} has a box in\n{page}"));
        assert!(boxed.contains("class=\"event marked\" id=") && boxed.contains("failures.rs:"), "{boxed}");
    }
    assert!(page.contains("class=\"edge conflict marked\""), "{page}");
    // The page begins with links to both.
    for index in (0..graph.events.len()).filter(|&index| graph.events[index].marked) {
        let link = format!("<a href=\"#event-{index}\">{}</a>", graph.events[index].name);
        assert!(page.contains(&link) && page.contains(&format!("id=\"event-{index}\"")), "{link} in\n{page}");
    }
    assert!(page.contains("data race, nothing orders"), "{page}");
}

#[test]
fn a_cycle_shows_what_no_interleaving_does() {
    let graph = buffering();
    let cycle: Vec<EdgeKind> = graph.edges.iter().filter(|edge| edge.marked).map(|edge| edge.kind).collect();
    assert_eq!(cycle.iter().filter(|&&kind| kind == EdgeKind::FromReads).count(), 2, "{cycle:?}");
    assert_eq!(cycle.iter().filter(|&&kind| kind == EdgeKind::ProgramOrder).count(), 2, "{cycle:?}");
    assert!(graph.notes.iter().any(|note| note.starts_with("No interleaving")), "{:?}", graph.notes);
    assert_eq!(graph.events.iter().filter(|event| event.initial).count(), 2);
    assert!(marked(&graph).contains("a.load(Acquire) = 0") || marked(&graph).contains("b.load(Acquire) = 0"));
    // The failure's message has a sign that has a meaning in a page.
    let page = graph.to_html("0 < 1 & \"2\"");
    assert!(page.contains("none &lt; one") && page.contains("<h1>0 &lt; 1 &amp; &quot;2&quot;</h1>"), "{page}");
}

#[test]
fn an_interleaving_has_no_cycle() {
    assert_eq!(edges(&race(), EdgeKind::ModificationOrder), []);
    let mut plain = race();
    assert!(!plain.mark_cycle());
}

/// Two threads write one location, in an order that contradicts one of them: mo and sb.
#[test]
fn a_cycle_may_go_through_several_writes_of_a_location() {
    let event = |thread: usize, text: &str| GraphEvent { thread, text: text.to_owned(), ..GraphEvent::default() };
    let mut graph = ExecutionGraph { threads: vec!["one".to_owned(), "two".to_owned()], ..ExecutionGraph::default() };
    graph.events = vec![
        event(0, "write x"),
        event(0, "read y"),
        event(1, "write y"),
        event(1, "write y again"),
        event(1, "write x late"),
    ];
    graph.connect(&[], &[vec![4, 0], vec![2, 3]]);
    assert!(!graph.clone().mark_cycle());
    // The read of y reads a value that both writes of y overwrite.
    graph.add(1, 2, EdgeKind::FromReads);
    assert!(graph.mark_cycle());
    let marked: Vec<(usize, usize)> =
        graph.edges.iter().filter(|edge| edge.marked).map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(marked, [(0, 1), (3, 4), (4, 0), (1, 3)], "straight to the last write: {:?}", graph.edges);
}

#[test]
fn spawns_and_joins_are_edges_between_threads() {
    let graph = buffering();
    let thread = edges(&graph, EdgeKind::Thread);
    assert_eq!(thread.len(), 2, "{thread:?}");
    assert!(thread[0].0.starts_with("spawn") && thread[1].1.starts_with("join"), "{thread:?}");
}

#[test]
fn a_replay_that_does_not_fail_has_a_graph() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(7));
        let other = Arc::clone(&x);
        let handle = thread::spawn(move || other.fetch_add(1, Relaxed));
        x.fetch_add(1, Relaxed);
        handle.join().unwrap();
    };
    assert_eq!(Config::new().check(program).graph, None);
    let graph = Config::new().replay("aq1:00").check(program).graph.expect("it was replayed");
    assert_eq!(graph.events.iter().filter(|event| event.text.contains("fetch_add")).count(), 2);
    assert_eq!(graph.events[0].text, "a = 7");
    let mo = edges(&graph, EdgeKind::ModificationOrder);
    assert_eq!(mo.len(), 2, "from 7 to 8 to 9: {mo:?}");
    assert_eq!(edges(&graph, EdgeKind::FromReads), [], "each overwrites what it reads");
}

/// Asserts that every tag of a page is closed in the right order.
fn assert_well_formed(page: &str) {
    let mut open = Vec::new();
    let body = page.split_once("</style>").expect("a style").1;
    for piece in body.split('<').skip(1) {
        let tag = piece.split_once('>').unwrap_or_else(|| panic!("<{piece} has no end")).0;
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.ends_with('/') || ["input", "meta"].contains(&name) {
            continue;
        }
        if tag.starts_with('/') {
            if ["head", "body", "html"].contains(&name) && open.is_empty() {
                continue;
            }
            assert_eq!(open.pop(), Some(name), "</{name}> closes something else");
        } else if name != "body" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are left open");
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    for graph in [race(), buffering(), ExecutionGraph::default()] {
        let page = graph.to_html("a page");
        assert_well_formed(&page);
        for foreign in ["<script", "<link", "@import", "src=", "http"] {
            assert!(!page.contains(foreign), "{foreign} in\n{page}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{page}");
    }
}

/// Asserts that braces, brackets and quotes are balanced, and that each edge joins two declared
/// nodes.
fn assert_dot(text: &str, edges: usize) {
    let (mut depth, mut quoted, mut escaped) = (Vec::new(), false, false);
    for sign in text.chars() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth.push(sign),
            '}' => assert_eq!(depth.pop(), Some('{'), "{text}"),
            ']' => assert_eq!(depth.pop(), Some('['), "{text}"),
            _ => {}
        }
    }
    assert!(depth.is_empty() && !quoted && !escaped, "{text}");
    let lines = || text.lines().map(str::trim);
    let nodes: BTreeSet<&str> = lines()
        .filter(|line| line.starts_with('e') && !line.contains("->"))
        .filter_map(|l| l.split(' ').next())
        .collect();
    let mut seen = 0;
    for line in lines().filter(|line| line.contains(" -> ")) {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(nodes.contains(words[0]) && nodes.contains(words[2]), "{line}");
        seen += usize::from(!line.contains("style=invis"));
    }
    assert_eq!(seen, edges, "{text}");
}

#[test]
fn dot_is_balanced_and_its_edges_have_ends() {
    for graph in [race(), buffering(), ExecutionGraph::default()] {
        let text = graph.to_dot();
        assert_dot(&text, graph.edges.len());
        let plain = graph.clone().without(EdgeKind::ReadsFrom);
        assert!(graph.edges.is_empty() || plain.edges.len() < graph.edges.len());
        assert_dot(&plain.to_dot(), plain.edges.len());
    }
    assert_eq!(race().to_dot().matches("fontcolor=red, penwidth=2").count(), 2);
}

/// Ten thousand rows would be no help, and thirteen threads need room.
#[test]
fn long_and_wide_executions_are_drawn_too() {
    let found = failure(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles: Vec<_> = (0..13)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || (0..30).for_each(|_| x.store(1, Release)))
            })
            .collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        panic!("so long");
    });
    let graph = found.expect("it panics").graph;
    assert_eq!(graph.events.len(), 13 * 32);
    let page = graph.to_html("long");
    assert_well_formed(&page);
    assert!(page.contains(&format!("... {} more ...", 13 * 32 - 200)), "{}", page.len());
    assert_eq!(page.lines().filter(|line| line.starts_with("<g ")).count(), 200);
}
