//! The hardware's prefetcher: after loads from adjacent lines, it requests the next lines early.

use super::lines::LINE;

/// The bytes of a page, beyond which a prefetcher does not look.
const PAGE: usize = 4096;
/// The number of streams that a core follows.
const STREAMS: usize = 16;

/// The memory of a core's prefetcher: the last line of each stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Streamer {
    /// The stream that was met last is last.
    lines: Vec<usize>,
}

impl Streamer {
    /// Records a load, and returns the addresses to request, at most `ahead` lines on.
    pub(super) fn loaded(&mut self, address: usize, ahead: usize) -> impl Iterator<Item = usize> + use<> {
        let line = address / LINE;
        let last = address / PAGE * (PAGE / LINE) + PAGE / LINE - 1;
        let until = if self.moves_on(line) { (line + ahead).min(last) } else { line };
        (line + 1..=until).map(|line| line * LINE)
    }

    /// Whether a stream continues with this line.
    fn moves_on(&mut self, line: usize) -> bool {
        let known = self.lines.iter().rposition(|&at| at == line || at + 1 == line);
        let before = known.map(|at| self.lines.remove(at));
        if self.lines.len() == STREAMS {
            self.lines.remove(0);
        }
        self.lines.push(line);
        before.is_some_and(|before| before != line)
    }
}
