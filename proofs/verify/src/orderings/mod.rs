//! `aqueduct verify --minimal`: the need for each ordering.
//!
//! The search weakens each ordering: a client fails, usually one that [`orderings`] names.

pub mod sites;

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use aqueduct_model::minimal::{self, Assignment, Effort, Minimizer, Part, Row, Site, Step, Table, Verdict, Weaker};
use aqueduct_model::{Config, Report};
use serde_json::json;

use self::sites::{Instead, Named};
use crate::clients::chase_lev;
use crate::clients::{self, Client};
use crate::tables::orderings;

/// Returns a client's queue: what precedes the slash in its name, without the suffix of a variant.
fn queue(client: &Client) -> &str {
    let name = client.name.split_once('/').map_or(&*client.name, |(queue, _)| queue);
    name.split_once('-').map_or(name, |(queue, _)| queue)
}

/// Returns the clients of the queue of this name, or of the queues whose name contains it; without
/// a name, all of the library's.
///
/// # Errors
/// [`io::Error`] if there is no such queue.
pub fn choose(name: Option<&str>, big: bool) -> io::Result<Vec<Client>> {
    let mut all = clients::all();
    let mut queues: Vec<String> = all.iter().map(|client| queue(client).to_owned()).collect();
    queues.sort();
    queues.dedup();
    queues.retain(|queue| match name {
        Some(name) => queue.contains(name),
        None => queue != chase_lev::NAME,
    });
    if let Some(exact) = queues.iter().find(|queue| Some(queue.as_str()) == name) {
        queues = vec![exact.clone()];
    }
    if queues.is_empty() {
        let mut known: Vec<&str> = all.iter().map(queue).collect();
        known.sort_unstable();
        known.dedup();
        let (name, known) = (name.unwrap_or_default(), known.join(", "));
        let error = format!("no queue has `{name}` in its name; there are {known}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    }
    all.retain(|client| (big || !client.big) && queues.iter().any(|chosen| chosen == queue(client)));
    Ok(all)
}

/// The prefix of a client's name if it forbids an ordering by load buffering alone.
pub const AGAINST_BUFFERING: &str = "buffering:";

/// The options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Whether to find orderings from `SeqCst` everywhere, too.
    pub from_sc: bool,
    /// Whether to write JSON.
    pub json: bool,
    /// Whether the clients must reach every ordering in the library's source.
    pub whole: bool,
    /// Whether any client may be the one that forbids an ordering by load buffering, and not only
    /// those that the table of orderings names for it.
    pub searches: bool,
    /// The only file whose orderings are weakened, below the library's `src`; all if there is none.
    pub file: Option<&'a str>,
    /// The lines whose orderings are not weakened.
    pub left_out: &'a [Named],
    /// Returns the report of a client of this name with nothing weakened, if it has been explored
    /// already.
    pub known: fn(&str) -> Option<Report>,
}

/// Weakens each ordering that the clients reach, and writes the results. Returns whether all are
/// needed.
///
/// # Errors
/// [`io::Error`] if `out` cannot be written, or a client fails with nothing weakened.
pub fn write(asked: Asked<'_>, config: Config, clients: &[Client], out: &mut dyn Write) -> io::Result<bool> {
    let oracle = |name: String, client: &Client| {
        let client = client.clone();
        minimal::Client::checked_by(name, move |config| client.check(config))
    };
    let against = |client: &Client| {
        let name = format!("{AGAINST_BUFFERING}{}", client.name);
        let is_asked = queue(client) != chase_lev::NAME && (asked.searches || orderings::is_named(&name));
        is_asked.then(|| oracle(name, client).against_load_buffering())
    };
    let oracles = clients.iter().map(|client| oracle(client.name.to_string(), client));
    let oracles: Vec<_> = oracles.chain(clients.iter().filter_map(against)).collect();
    let mut progress = Progress::default();
    let shown = progress.shown;
    let mut minimizer = Minimizer::new(config, oracles)
        .only(|site| {
            sites::has_queue(site.file)
                && asked.file.is_none_or(|file| file == sites::short(site.file))
                && !asked.left_out.iter().any(|named| named.is_at(site.file, site.line))
        })
        .first(|site| orderings::clients(site.file, site.line))
        .known(asked.known)
        .watch(|step| progress.show(step));
    let table = minimizer.table();
    clear(shown);
    let table = table.map_err(io::Error::other)?;
    let needed = write_table(asked, &table, clients.len(), out)?;
    if asked.from_sc {
        out.flush()?;
        let assignment = minimizer.from_sc();
        clear(shown);
        write_assignment(asked, &assignment.map_err(io::Error::other)?, out)?;
    }
    Ok(needed)
}

/// A line on the terminal that names the current check.
struct Progress {
    shown: bool,
    last: Option<Instant>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { shown: io::stderr().is_terminal(), last: None }
    }
}

impl Progress {
    const PAUSE: Duration = Duration::from_millis(100);
    /// The width of a narrow terminal: a line that wraps cannot be erased.
    const WIDTH: usize = 79;

    fn show(&mut self, step: Step<'_>) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < Self::PAUSE) {
            return;
        }
        self.last = Some(Instant::now());
        let what = match step.weakened {
            Some((site, weaker)) => format!("{}/{} {} {weaker:?}", step.done + 1, step.of, place(site)),
            None => "nothing weakened yet".to_owned(),
        };
        let Effort { checks, executions, .. } = step.effort;
        let line = format!("{checks} checks, {executions} executions; {what}, {}", step.client);
        let line: String = line.chars().take(Self::WIDTH).collect();
        // A failure to show progress is ignored.
        let _ = write!(io::stderr(), "\r\x1b[K{line}").and_then(|()| io::stderr().flush());
    }
}

/// Erases the line of progress.
fn clear(shown: bool) {
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Formats a site as `FILE:LINE:COLUMN`, as `--ordering` takes it.
fn place(site: &Site) -> String {
    format!("{}:{}:{}", sites::short(site.file), site.line, site.column)
}

/// Returns the command that replays a counterexample.
fn replay(row: &Row, weaker: &Weaker, client: &str, replay: &str) -> String {
    let instead = Instead(row.site.instead(weaker.ordering));
    if let Some(client) = client.strip_prefix(AGAINST_BUFFERING) {
        return format!("aqueduct verify {client} --ordering {instead} --load-buffering");
    }
    format!("aqueduct verify {client} --ordering {instead} --replay '{replay}'")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a line for each weaker ordering, and those that are too strong. Returns whether there are
/// none.
fn write_table(asked: Asked<'_>, table: &Table, clients: usize, out: &mut dyn Write) -> io::Result<bool> {
    let strong: Vec<&Row> = table.rows.iter().filter(|row| !row.weaker.is_empty()).collect();
    let too_strong: Vec<&Row> = table.too_strong().collect();
    let reached: Vec<_> = table.rows.iter().map(|row| (row.site.file, row.site.line)).collect();
    let mut unreached = if asked.whole { sites::unreached(&reached) } else { Vec::new() };
    unreached.retain(|named| asked.file.is_none_or(|file| file == named.file) && !asked.left_out.contains(named));
    if asked.json {
        for row in &strong {
            writeln!(out, "{}", json_row(row))?;
        }
        let unreached: Vec<String> = unreached.iter().map(ToString::to_string).collect();
        let Effort { checks, executions, seconds, .. } = table.effort;
        let (orderings, too_strong) = (strong.len(), too_strong.len());
        writeln!(
            out,
            "{}",
            json!({ "clients": clients, "orderings": orderings, "too_strong": too_strong, "unreached": unreached,
                "checks": checks, "executions": executions, "seconds": seconds })
        )?;
    } else {
        write_rows(&strong, out)?;
        let relaxed = table.rows.len() - strong.len();
        writeln!(
            out,
            "\n{clients} clients, {} orderings of which {relaxed} are Relaxed; {}",
            table.rows.len(),
            table.effort
        )?;
        for row in &too_strong {
            let site = &row.site;
            writeln!(out, "NOT NEEDED: {} {} {:?}{}", place(site), site.what(), site.ordering, advice(row))?;
        }
        for named in &unreached {
            writeln!(out, "NO CLIENT COMES TO {named}")?;
        }
        if too_strong.is_empty() && unreached.is_empty() {
            writeln!(
                out,
                "all of them are needed: whatever is stronger than Relaxed, a client forbids anything weaker, by a failure or by load \
                 buffering"
            )?;
        }
    }
    Ok(too_strong.is_empty() && unreached.is_empty())
}

/// Returns the ordering that suffices, and the reason.
fn advice(row: &Row) -> String {
    let allowed: Vec<String> = row.allowed().map(|ordering| format!("{ordering:?}")).collect();
    let why = match (row.site.applies, row.site.part) {
        (true, _) => "",
        (false, Part::Access) => " (no client's ever succeeds)",
        (false, Part::Failure) => " (no client's ever fails)",
    };
    match allowed.is_empty() {
        true => ": a check was cut short".to_owned(),
        false => format!(": all clients pass with {}{why}", allowed.join(", or ")),
    }
}

fn write_rows(rows: &[&Row], out: &mut dyn Write) -> io::Result<()> {
    let width = |cell: &dyn Fn(&Row) -> usize| rows.iter().map(|row| cell(row)).max().unwrap_or(0).max(9);
    let (places, operations) = (width(&|row| place(&row.site).len()), width(&|row| row.site.what().len()));
    writeln!(out, "{:places$}  {:operations$}  {:8}  {:8}  forbidden by", "site", "operation", "ordering", "weaker")?;
    for row in rows {
        let (mut site, mut operation) = (place(&row.site), row.site.what());
        let mut ordering = format!("{:?}", row.site.ordering);
        for weaker in &row.weaker {
            let instead = format!("{:?}", weaker.ordering);
            write!(out, "{site:places$}  {operation:operations$}  {ordering:8}  {instead:8}  ")?;
            match &weaker.verdict {
                Verdict::Forbidden { client, failure, .. } => {
                    writeln!(out, "{client}: {}", one_line(&failure.message))?;
                    let again = replay(row, weaker, client, &failure.replay);
                    writeln!(out, "{:indent$}{again}", "", indent = places + operations + 24)?;
                }
                Verdict::Undecided { client, .. } => writeln!(out, "NOT DECIDED: {client} was cut short")?,
                _ => writeln!(out, "NO CLIENT")?,
            }
            [&mut site, &mut operation, &mut ordering].into_iter().for_each(String::clear);
        }
    }
    Ok(())
}

fn json_row(row: &Row) -> serde_json::Value {
    let weaker = row.weaker.iter().map(|weaker| {
        let ordering = format!("{:?}", weaker.ordering);
        match &weaker.verdict {
            Verdict::Forbidden { client, failure, .. } => json!({
                "ordering": ordering, "one_step": weaker.one_step, "verdict": "forbidden", "client": client,
                "failure": failure.message, "replay": replay(row, weaker, client, &failure.replay) }),
            Verdict::Undecided { client, .. } => {
                json!({ "ordering": ordering, "one_step": weaker.one_step, "verdict": "undecided", "client": client })
            }
            _ => json!({ "ordering": ordering, "one_step": weaker.one_step, "verdict": "allowed" }),
        }
    });
    let weaker: Vec<_> = weaker.collect();
    let site = &row.site;
    json!({ "site": place(site), "operation": site.what(), "ordering": format!("{:?}", site.ordering),
        "needed": row.is_needed(), "weaker": weaker })
}

/// Writes the orderings found from `SeqCst` everywhere, beside those of the source.
fn write_assignment(asked: Asked<'_>, assignment: &Assignment, out: &mut dyn Write) -> io::Result<()> {
    let places: Vec<String> = assignment.found.iter().map(|found| place(&found.site)).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let mut others = 0;
    if !asked.json {
        writeln!(out, "\nfrom SeqCst everywhere; Relaxed where nothing is said:")?;
    }
    for (found, place) in assignment.found.iter().zip(&places) {
        let (operation, written) = (found.site.what(), format!("{:?}", found.site.ordering));
        let ordering = format!("{:?}", found.ordering);
        let differs = written != ordering;
        others += usize::from(differs);
        if asked.json {
            let row = json!({ "site": place, "operation": operation, "ordering": written, "from_sc": ordering,
                "undecided": found.undecided });
            writeln!(out, "{row}")?;
        } else if differs || ordering != "Relaxed" {
            let note = if differs { format!(", where the source says {written}") } else { String::new() };
            let cut = found.undecided.as_ref().map_or(String::new(), |client| format!("; {client} was cut short"));
            writeln!(out, "{place:width$}  {operation} {ordering}{note}{cut}")?;
        }
    }
    let Effort { checks, executions, seconds, .. } = assignment.effort;
    if asked.json {
        return writeln!(
            out,
            "{}",
            json!({ "from_sc": true, "orderings": places.len(), "others": others, "checks": checks,
                "executions": executions, "seconds": seconds })
        );
    }
    let other = if others == 0 { "all as in the source".to_owned() } else { format!("{others} not as in the source") };
    writeln!(out, "{} orderings, {other}; it took {}", places.len(), assignment.effort)
}
