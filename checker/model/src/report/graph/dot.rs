//! Executions in Graphviz's language.

use std::fmt::Write as _;

use super::{EdgeKind, ExecutionGraph, GraphEdge};

impl ExecutionGraph {
    /// Returns the graph in Graphviz's DOT language: a cluster for each thread, the events from top
    /// to bottom in their order.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from(
            "digraph execution {\n  \
             graph [rankdir=TB, fontname=\"monospace\", nodesep=0.5, ranksep=0.25];\n  \
             node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n  \
             edge [fontname=\"monospace\", fontsize=9];\n",
        );
        if !self.notes.is_empty() {
            let _ = writeln!(out, "  label={};\n  labelloc=t;\n  labeljust=l;", left(&self.notes.join("\n")));
        }
        for (index, event) in self.events.iter().enumerate().filter(|(_, event)| event.initial) {
            let _ = writeln!(out, "  e{index} [label={}, style=dashed];", quoted(&event.text));
        }
        for (thread, name) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{thread} {{\n    label={};\n    color=gray;", quoted(name));
            let own = |(_, event): &(usize, &super::GraphEvent)| event.thread == thread && !event.initial;
            for (index, event) in self.events.iter().enumerate().filter(own) {
                let label = left(&format!("{} {}\n{}", event.name, event.text, event.place));
                let red = if event.marked { ", color=red, fontcolor=red, penwidth=2" } else { "" };
                let _ = writeln!(out, "    e{index} [label={label}{red}];");
            }
            out.push_str("  }\n");
        }
        for edge in &self.edges {
            let _ = writeln!(out, "  e{} -> e{} [{}];", edge.from, edge.to, attributes(edge));
        }
        // Each rank follows the one before, in the order of the events.
        let ranked: Vec<usize> = (0..self.events.len()).filter(|&event| !self.events[event].initial).collect();
        for pair in ranked.windows(2) {
            let _ = writeln!(out, "  e{} -> e{} [style=invis, weight=0];", pair[0], pair[1]);
        }
        out.push_str("}\n");
        out
    }
}

fn attributes(edge: &GraphEdge) -> String {
    let (colour, style) = match edge.kind {
        EdgeKind::ProgramOrder => ("gray40", "solid"),
        EdgeKind::Thread => ("purple", "dashed"),
        EdgeKind::ReadsFrom => ("forestgreen", "solid"),
        EdgeKind::ModificationOrder => ("blue", "dashed"),
        EdgeKind::FromReads => ("darkorange", "dotted"),
        EdgeKind::Conflict => ("red", "bold"),
    };
    let (colour, width) = if edge.marked { ("red", ", penwidth=2") } else { (colour, "") };
    let name = edge.kind.name();
    let mut text = format!("label=\"{name}\", color={colour}, fontcolor={colour}, style={style}{width}");
    if edge.kind == EdgeKind::Conflict {
        text += ", dir=none";
    }
    if edge.kind != EdgeKind::ProgramOrder {
        text += ", constraint=false";
    }
    text
}

/// Returns a string of DOT.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a string of DOT whose lines begin at the left.
fn left(text: &str) -> String {
    let lines = text.trim_end().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{lines}\\l\"")
}
