//! The layout of a picture of an execution.
//!
//! Each thread is a column of boxes, each event has a row of its own. Edges between boxes run in
//! the gutters beside the columns and in the gaps between the rows, each in a lane that it shares
//! with no other there, so no edge crosses a box.

use std::collections::BTreeMap;

use super::{EdgeKind, ExecutionGraph, GraphEdge};

/// If there are more than twice as many events, only this number at the beginning and at the end is
/// drawn.
const LONG: usize = 100;
/// The most characters of a line in a box.
pub(super) const LETTERS: usize = 64;
/// The width of a letter of the first line of a box, and of the second one.
const LETTER: [f64; 2] = [7.3, 6.1];
pub(super) const BOX_HEIGHT: f64 = 38.0;
const HEADER: f64 = 34.0;
const LANE: f64 = 8.0;
const GUTTER: f64 = 30.0;
const GAP: f64 = 14.0;

/// A box of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
}

/// A picture, in pixels.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The middle of each column.
    pub(super) columns: Vec<f64>,
    /// The box of each event, or `None` if it is left out.
    pub(super) frames: Vec<Option<Frame>>,
    /// The corners of each edge; empty if it is left out.
    pub(super) routes: Vec<Vec<(f64, f64)>>,
    /// The number of events that are left out, and their place.
    pub(super) left_out: Option<(usize, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Left,
    Right,
}

/// The way of an edge: the sides where it leaves and arrives, the gutters and the gap in which it
/// runs.
#[derive(Clone, Copy, Debug)]
struct Way {
    sides: [Side; 2],
    gutters: [usize; 2],
    /// The row below the gap in which the edge changes gutters.
    gap: Option<usize>,
    lanes: [usize; 2],
    gap_lane: usize,
}

/// The point where an edge meets a box: the end of the edge, and the height of its other end.
#[derive(Clone, Copy, Debug)]
struct Port {
    far: f64,
    edge: usize,
    end: usize,
}

/// Rows and lanes, before they have coordinates.
struct Plan<'a> {
    graph: &'a ExecutionGraph,
    /// The row of each event.
    rows: Vec<Option<usize>>,
    row_count: usize,
    /// The way of each edge.
    ways: Vec<Option<Way>>,
    break_row: Option<(usize, usize)>,
}

/// Lanes that are taken, each up to some point.
#[derive(Clone, Debug, Default)]
struct Lanes(Vec<usize>);

impl Lanes {
    /// Returns the first lane that is free from `from` on, and takes it up to `to`.
    fn take(&mut self, from: usize, to: usize) -> usize {
        let lane = self.0.iter().position(|&end| end < from).unwrap_or(self.0.len());
        match self.0.get_mut(lane) {
            Some(end) => *end = to,
            None => self.0.push(to),
        }
        lane
    }
}

/// Returns the width that a line takes.
fn width(text: &str, line: usize) -> f64 {
    text.chars().count().min(LETTERS) as f64 * LETTER[line]
}

impl Layout {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let mut plan = Plan::new(graph);
        let gutters = plan.assign_gutter_lanes();
        let gaps = plan.assign_gap_lanes();
        plan.place(&gutters, &gaps)
    }
}

impl<'a> Plan<'a> {
    fn new(graph: &'a ExecutionGraph) -> Self {
        let mut plan = Self {
            graph,
            rows: vec![None; graph.events.len()],
            row_count: 0,
            ways: Vec::with_capacity(graph.edges.len()),
            break_row: None,
        };
        plan.assign_rows();
        plan.ways = graph.edges.iter().map(|edge| plan.way(edge)).collect();
        plan
    }

    /// Assigns rows: initial values on top, side by side, then a row for each event.
    fn assign_rows(&mut self) {
        let events = &self.graph.events;
        let count = events.iter().filter(|event| !event.initial).count();
        let left_out = count.saturating_sub(2 * LONG);
        let skipped = if left_out > 1 { LONG..LONG + left_out } else { 0..0 };
        let mut heights = vec![0; self.graph.threads.len()];
        for (index, event) in events.iter().enumerate().filter(|(_, event)| event.initial) {
            self.rows[index] = Some(heights[event.thread]);
            heights[event.thread] += 1;
        }
        self.row_count = heights.into_iter().max().unwrap_or(0);
        let others = (0..events.len()).filter(|&index| !events[index].initial);
        for (at, index) in others.enumerate() {
            if skipped.contains(&at) {
                if at == skipped.start {
                    self.break_row = Some((self.row_count, left_out));
                    self.row_count += 1;
                }
                continue;
            }
            self.rows[index] = Some(self.row_count);
            self.row_count += 1;
        }
    }

    fn ends(&self, edge: &GraphEdge) -> Option<[(usize, usize); 2]> {
        let end = |event: usize| Some((self.graph.events[event].thread, self.rows[event]?));
        Some([end(edge.from)?, end(edge.to)?])
    }

    /// Returns the way of an edge. Edges of the program order go straight down and have none.
    fn way(&self, edge: &GraphEdge) -> Option<Way> {
        if edge.kind == EdgeKind::ProgramOrder {
            return None;
        }
        let [(from, from_row), (to, to_row)] = self.ends(edge)?;
        let sides = match from.cmp(&to) {
            std::cmp::Ordering::Less => [Side::Right, Side::Left],
            std::cmp::Ordering::Greater => [Side::Left, Side::Right],
            std::cmp::Ordering::Equal if edge.kind == EdgeKind::ModificationOrder => [Side::Left; 2],
            std::cmp::Ordering::Equal => [Side::Right; 2],
        };
        let gutter = |column: usize, side: Side| if side == Side::Left { column } else { column + 1 };
        let gutters = [gutter(from, sides[0]), gutter(to, sides[1])];
        let gap = if to_row > from_row { from_row + 1 } else { from_row };
        Some(Way { sides, gutters, gap: (gutters[0] != gutters[1]).then_some(gap), lanes: [0; 2], gap_lane: 0 })
    }

    /// Gives every run along a gutter a lane there. Returns the number of lanes of each gutter.
    fn assign_gutter_lanes(&mut self) -> Vec<usize> {
        // The runs: gutter, first and last half row, edge, and which of its two lanes.
        let mut runs = Vec::new();
        for (index, edge) in self.graph.edges.iter().enumerate() {
            let (Some(way), Some([(_, from), (_, to)])) = (&self.ways[index], self.ends(edge)) else { continue };
            let (from, to) = (2 * from + 1, 2 * to + 1);
            let mut run = |which: usize, a: usize, b: usize| {
                runs.push((way.gutters[which], a.min(b), a.max(b), index, which));
            };
            match way.gap {
                None => run(0, from, to),
                Some(gap) => {
                    run(0, from, 2 * gap);
                    run(1, 2 * gap, to);
                }
            }
        }
        runs.sort_unstable();
        let mut lanes = vec![Lanes::default(); self.graph.threads.len() + 1];
        for (gutter, first, last, index, which) in runs {
            let lane = lanes[gutter].take(first, last);
            if let Some(way) = &mut self.ways[index] {
                way.lanes[which] = lane;
            }
        }
        lanes.into_iter().map(|lanes| lanes.0.len()).collect()
    }

    /// Gives every run along a gap a lane there. Returns the number of lanes of each gap.
    fn assign_gap_lanes(&mut self) -> Vec<usize> {
        let mut lanes = vec![Lanes::default(); self.row_count + 1];
        let mut ways: Vec<&mut Way> = self.ways.iter_mut().flatten().collect();
        ways.sort_by_key(|way| way.gutters.iter().min().copied());
        for way in ways {
            if let Some(gap) = way.gap {
                let [a, b] = way.gutters;
                way.gap_lane = lanes[gap].take(a.min(b), a.max(b));
            }
        }
        lanes.into_iter().map(|lanes| lanes.0.len()).collect()
    }

    fn place(&self, gutters: &[usize], gaps: &[usize]) -> Layout {
        let mut layout = Layout::default();
        let (mut x, mut gutter_x, mut widths, mut lefts) = (0.0, Vec::new(), Vec::new(), Vec::new());
        for (column, name) in self.graph.threads.iter().enumerate() {
            gutter_x.push(x);
            x += GUTTER + gutters[column] as f64 * LANE;
            let own = self.graph.events.iter().filter(|event| event.thread == column);
            let longest = own.map(|event| width(&event.title(), 0).max(width(&event.place, 1)));
            let width = longest.fold(width(name, 0), f64::max) + 18.0;
            lefts.push(x);
            widths.push(width);
            layout.columns.push(x + width / 2.0);
            x += width;
        }
        gutter_x.push(x);
        layout.width = x + GUTTER + gutters.last().map_or(0.0, |&lanes| lanes as f64 * LANE);
        let (mut y, mut gap_y, mut tops) = (HEADER, Vec::new(), Vec::new());
        for &lanes in gaps {
            gap_y.push(y);
            y += GAP + lanes as f64 * LANE;
            tops.push(y);
            y += BOX_HEIGHT;
        }
        layout.height = y - BOX_HEIGHT;
        layout.left_out = self.break_row.map(|(row, count)| (count, tops[row] + BOX_HEIGHT / 2.0));
        let frame = |(event, row): (&super::GraphEvent, &Option<usize>)| {
            row.map(|row| Frame { x: lefts[event.thread], y: tops[row], width: widths[event.thread] })
        };
        layout.frames = self.graph.events.iter().zip(&self.rows).map(frame).collect();
        let ports = self.ports(&layout.frames);
        let lane_x = |gutter: usize, lane: usize| gutter_x[gutter] + GUTTER / 2.0 + (lane as f64 + 0.5) * LANE;
        let lane_y = |gap: usize, lane: usize| gap_y[gap] + GAP / 2.0 + (lane as f64 + 0.5) * LANE;
        layout.routes =
            (0..self.ways.len()).map(|edge| self.route(edge, &layout.frames, &ports, lane_x, lane_y)).collect();
        layout
    }

    /// Returns the heights at which edges leave and reach boxes, by edge and end. Those on one side
    /// of a box share it.
    fn ports(&self, frames: &[Option<Frame>]) -> BTreeMap<(usize, usize), f64> {
        let mut sides: BTreeMap<(usize, Side), Vec<Port>> = BTreeMap::new();
        for (index, edge) in self.graph.edges.iter().enumerate() {
            let Some(way) = &self.ways[index] else { continue };
            for (end, event, other) in [(0, edge.from, edge.to), (1, edge.to, edge.from)] {
                let far = frames[other].map_or(0.0, |frame| frame.y);
                sides.entry((event, way.sides[end])).or_default().push(Port { far, edge: index, end });
            }
        }
        let mut ports = BTreeMap::new();
        for ((event, _), mut edges) in sides {
            edges.sort_by(|a, b| a.far.total_cmp(&b.far).then(a.edge.cmp(&b.edge)));
            let step = (BOX_HEIGHT - 8.0) / (edges.len() + 1) as f64;
            let top = frames[event].map_or(0.0, |frame| frame.y) + 4.0;
            for (at, port) in edges.into_iter().enumerate() {
                ports.insert((port.edge, port.end), top + step * (at + 1) as f64);
            }
        }
        ports
    }

    /// Returns the corners of an edge.
    fn route(
        &self,
        index: usize,
        frames: &[Option<Frame>],
        ports: &BTreeMap<(usize, usize), f64>,
        lane_x: impl Fn(usize, usize) -> f64,
        lane_y: impl Fn(usize, usize) -> f64,
    ) -> Vec<(f64, f64)> {
        let edge = &self.graph.edges[index];
        let (Some(from), Some(to)) = (frames[edge.from], frames[edge.to]) else { return Vec::new() };
        let Some(way) = &self.ways[index] else {
            let x = from.x + from.width / 2.0;
            return vec![(x, from.y + BOX_HEIGHT), (x, to.y)];
        };
        let side = |frame: Frame, side: Side| if side == Side::Left { frame.x } else { frame.x + frame.width };
        let (leave, arrive) = (ports[&(index, 0)], ports[&(index, 1)]);
        let first = lane_x(way.gutters[0], way.lanes[0]);
        let mut corners = vec![(side(from, way.sides[0]), leave), (first, leave)];
        let last = match way.gap {
            None => first,
            Some(gap) => {
                let (y, last) = (lane_y(gap, way.gap_lane), lane_x(way.gutters[1], way.lanes[1]));
                corners.extend([(first, y), (last, y)]);
                last
            }
        };
        corners.extend([(last, arrive), (side(to, way.sides[1]), arrive)]);
        corners
    }
}
