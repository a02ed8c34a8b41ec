//! Executions as pages: one file, an inline drawing, no script.

use std::fmt::Write as _;

use super::layout::{BOX_HEIGHT, LETTERS, Layout};
use super::{EdgeKind, ExecutionGraph, GraphEvent};

/// The radius of the corners of edges.
const ROUND: f64 = 5.0;

/// The style: colours for light and dark, and the parts that each checkbox shows and hides.
const STYLE: &str = include_str!("page.css");

impl GraphEvent {
    /// Returns the first line of its box.
    pub(super) fn title(&self) -> String {
        if self.initial { self.text.clone() } else { format!("{} {}", self.name, self.text) }
    }
}

impl ExecutionGraph {
    /// Returns a page with the graph drawn in it: a column for each thread, a row for each event.
    ///
    /// It is one file without a script, in light or dark colours as the reader's system has them.
    /// Each kind of edges can be hidden there. Edges of fr are hidden at first, unless they are
    /// marked.
    #[must_use]
    pub fn to_html(&self, title: &str) -> String {
        let mut page = String::with_capacity(16 * 1024);
        let title = escaped(title);
        let _ = write!(
            page,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for note in &self.notes {
            let _ = writeln!(page, "<p class=\"note\">{}</p>", escaped(note));
        }
        let layout = Layout::new(self);
        self.write_marked(&mut page, &layout);
        self.write_legend(&mut page);
        page.push_str("<div class=\"picture\">\n");
        self.write_drawing(&mut page, &layout);
        page.push_str("</div>\n");
        self.write_table(&mut page);
        page.push_str("</body>\n</html>\n");
        page
    }

    /// Writes links to the marked events, which lie far down in a long execution.
    fn write_marked(&self, page: &mut String, layout: &Layout) {
        let shown = |&index: &usize| self.events[index].marked && layout.frames[index].is_some();
        let marked: Vec<usize> = (0..self.events.len()).filter(shown).collect();
        if marked.is_empty() {
            return;
        }
        page.push_str("<p>In red:");
        for index in marked {
            let _ = write!(page, " <a href=\"#event-{index}\">{}</a>", escaped(&self.events[index].name));
        }
        page.push_str("</p>\n");
    }

    /// Writes the kinds of edges, each with a checkbox.
    fn write_legend(&self, page: &mut String) {
        page.push_str("<p class=\"legend\">Edges:</p>\n");
        for kind in EdgeKind::ALL.into_iter().filter(|kind| self.edges.iter().any(|edge| edge.kind == *kind)) {
            let name = kind.name();
            let checked = if kind == EdgeKind::FromReads { "" } else { " checked" };
            let _ = writeln!(
                page,
                "<label><input type=\"checkbox\" id=\"show-{name}\"{checked}>\
                 <svg class=\"swatch\" width=\"34\" height=\"10\" aria-hidden=\"true\">\
                 <path class=\"edge {name}\" d=\"M1 5H33\"/></svg>{name} <span>{}</span></label>",
                kind.meaning()
            );
        }
    }

    fn write_drawing(&self, page: &mut String, layout: &Layout) {
        let (width, height) = (layout.width, layout.height);
        let _ = writeln!(
            page,
            "<svg class=\"graph\" role=\"img\" aria-label=\"execution graph\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n<defs>"
        );
        for class in EdgeKind::ALL.map(EdgeKind::name).into_iter().chain(["marked"]) {
            let _ = writeln!(
                page,
                "<marker id=\"head-{class}\" class=\"head {class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
                 markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path d=\"M0 0.5L8 4L0 7.5z\"/></marker>"
            );
        }
        page.push_str("</defs>\n");
        for (name, x) in self.threads.iter().zip(&layout.columns) {
            let _ = writeln!(page, "<text class=\"thread-name\" x=\"{x:.1}\" y=\"20\">{}</text>", escaped(name));
        }
        self.write_edges(page, layout, false);
        self.write_boxes(page, layout);
        self.write_edges(page, layout, true);
        if let Some((count, y)) = layout.left_out {
            let _ = writeln!(page, "<text class=\"left-out\" x=\"20\" y=\"{y:.1}\">... {count} more ...</text>");
        }
        page.push_str("</svg>\n");
    }

    /// Writes the marked edges, or the others. Marked edges lie on top of everything.
    fn write_edges(&self, page: &mut String, layout: &Layout, marked: bool) {
        for (edge, corners) in self.edges.iter().zip(&layout.routes) {
            if edge.marked != marked || corners.is_empty() {
                continue;
            }
            let name = edge.kind.name();
            let class = if marked { format!("edge {name} marked") } else { format!("edge {name}") };
            let head = match (edge.kind, marked) {
                (EdgeKind::Conflict, _) => String::new(),
                (_, true) => " marker-end=\"url(#head-marked)\"".to_owned(),
                (_, false) => format!(" marker-end=\"url(#head-{name})\""),
            };
            let (from, to) = (&self.events[edge.from].name, &self.events[edge.to].name);
            let tip = escaped(&format!("{from} {name} {to}: {from} {} {to}", edge.kind.meaning()));
            let _ = writeln!(page, "<path class=\"{class}\" d=\"{}\"{head}><title>{tip}</title></path>", path(corners));
            if marked {
                let (x, y) = label_place(corners);
                let _ = writeln!(page, "<text class=\"edge-name\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
            }
        }
    }

    fn write_boxes(&self, page: &mut String, layout: &Layout) {
        for (index, (event, frame)) in self.events.iter().zip(&layout.frames).enumerate() {
            let Some(frame) = frame else { continue };
            let class = match (event.marked, event.initial) {
                (true, _) => "event marked",
                (false, true) => "event initial",
                (false, false) => "event",
            };
            let title = event.title();
            let place = if event.initial { "initial value".to_owned() } else { tail(&event.place, LETTERS) };
            let (x, y, width) = (frame.x, frame.y, frame.width);
            let _ = writeln!(
                page,
                "<g class=\"{class}\" id=\"event-{index}\"><title>{} {}</title>\
                 <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>\
                 <text class=\"place\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
                escaped(&title),
                escaped(&event.place),
                x + 9.0,
                y + 16.0,
                escaped(&head(&title, LETTERS)),
                x + 9.0,
                y + 30.0,
                escaped(&place)
            );
        }
    }

    /// Writes the events as text, for readers that cannot see the drawing, or want to copy from it.
    fn write_table(&self, page: &mut String) {
        page.push_str(
            "<details>\n<summary>All events as a table</summary>\n<table>\n\
             <tr><th>event</th><th>thread</th><th>what it does</th><th>where</th></tr>\n",
        );
        for event in self.events.iter().filter(|event| !event.initial) {
            let class = if event.marked { " class=\"marked\"" } else { "" };
            let _ = writeln!(
                page,
                "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&event.name),
                escaped(&self.threads[event.thread]),
                escaped(&event.text),
                escaped(&event.place)
            );
        }
        page.push_str("</table>\n</details>\n");
    }
}

/// Escapes a text for a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the start of a text that is longer than `most`.
fn head(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Returns the end of a text that is longer than `most`.
fn tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - most)).collect()
}

/// Returns lines from corner to corner, with rounded corners.
fn path(corners: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (at, &(x, y)) in corners.iter().enumerate() {
        let towards = |(other_x, other_y): (f64, f64)| {
            let (dx, dy) = (other_x - x, other_y - y);
            let length = dx.hypot(dy).max(0.1);
            let share = ROUND.min(length / 2.0) / length;
            (x + dx * share, y + dy * share)
        };
        let neighbours = (at.checked_sub(1).map(|before| corners[before]), corners.get(at + 1).copied());
        let _ = match neighbours {
            (None, _) => write!(text, "M{x:.1} {y:.1}"),
            (_, None) => write!(text, "L{x:.1} {y:.1}"),
            (Some(before), Some(after)) => {
                let ((ax, ay), (bx, by)) = (towards(before), towards(after));
                write!(text, "L{ax:.1} {ay:.1}Q{x:.1} {y:.1} {bx:.1} {by:.1}")
            }
        };
    }
    text
}

/// Returns the middle of the longest line, where a label is out of the way of others.
fn label_place(corners: &[(f64, f64)]) -> (f64, f64) {
    let length = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
    let longest = corners.windows(2).max_by(|a, b| length(a).total_cmp(&length(b)));
    let middle = longest.map(|pair| ((pair[0].0 + pair[1].0) / 2.0, (pair[0].1 + pair[1].1) / 2.0));
    middle.map_or((0.0, 0.0), |(x, y)| (x + 3.0, y + 3.0))
}
