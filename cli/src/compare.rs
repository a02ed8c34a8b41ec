//! `aqueduct compare`: how our queues of all families do on this machine, within 90 s, and which to
//! use.

mod families;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anstyle::Style;
use anyhow::{Context, Result};
use aqueduct_measure::machine::{self, Machine};
use aqueduct_measure::record::WORD;
use aqueduct_measure::report::html::About;
use aqueduct_measure::report::{advice, brief, recommend};
use aqueduct_measure::rounds::Findings;

use aqueduct_vswitch::placement::Placement;
use aqueduct_vswitch::ports::Kind;
use aqueduct_vswitch::replay::{BUILT_IN_NAME, replay_builtin};

use crate::bench::{self, code, facts};
use crate::cores::Cores;
use crate::guides::GUIDES;
use crate::job::Job;
use crate::output::{self, Files};
use crate::progress::Bar;
use crate::{Misuse, interrupt};
use families::{FAMILIES, FEWEST_ROUNDS, Setup};

/// Options of `aqueduct compare`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CompareArgs {
    /// Seconds to spend on measuring; three rounds of each family are always done [default: 80]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(1..))]
    seconds: Option<u16>,
    /// Bytes of an item in the families of single items and batches: 8, 16, 64, 256 or 4096
    /// [default: 8]
    #[arg(long, value_name = "BYTES", value_parser = bench::item_bytes)]
    item_bytes: Option<usize>,
    #[command(flatten)]
    cores: Cores,
    /// Where to write the page [default: aqueduct-report.html]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write every record as one line of JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every record as one line of comma-separated values to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const HEADING: Style = Style::new().bold().underline();
const PAGE: &str = "aqueduct-report.html";
const SECONDS: u16 = 80;
/// The time that is left for the capture and the page.
const BESIDES: Duration = Duration::from_secs(2);
const SWITCH: &str = "A recorded capture, forwarded by a virtual switch on our queues";

impl CompareArgs {
    fn files(&self) -> Files {
        let html = Some(self.html.clone().unwrap_or_else(|| PAGE.into()));
        Files { json: self.json.clone(), csv: self.csv.clone(), html }
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(SECONDS).into())
    }

    fn setup(&self) -> Result<Setup, Misuse> {
        let cores = machine::cores(&self.cores.cores).map_err(Misuse)?.len();
        Ok(Setup { wanted: self.cores.cores.clone(), cores, item_bytes: self.item_bytes.unwrap_or(WORD) })
    }
}

impl Job for CompareArgs {
    fn outlook(&self) -> Result<String> {
        let files = self.files();
        files.check()?;
        let (setup, time) = (self.setup()?, self.time());
        let mut measurements = 0;
        for family in &FAMILIES {
            let plan = family.plan(&setup, time).map_err(Misuse)?;
            measurements += plan.outlook().map_err(Misuse)?.measurements;
        }
        Ok(format!(
            "{measurements} measurements of {} families in each of at least {FEWEST_ROUNDS} rounds; {} s in all, and a page in {}",
            FAMILIES.len(),
            time.as_secs(),
            files.html.unwrap_or_default().display()
        ))
    }

    /// Measures, recommends, writes the page.
    fn run(&self) -> Result<u8> {
        let files = self.files();
        files.check()?;
        let setup = self.setup()?;
        let stop = interrupt::listen()?;
        output::print(&format!("{}\n", Machine::here()))?;
        self.cores.tell()?;
        output::print(&format!(
            "{} families in about {} s: a table after each, then which queue to use for what.\n\n",
            FAMILIES.len(),
            self.time().as_secs()
        ))?;
        let until = Instant::now() + self.time().saturating_sub(BESIDES);
        let mut all = All::default();
        for at in 0..FAMILIES.len() {
            if !interrupt::interrupted() {
                all.measure(at, &setup, until, stop)?;
            }
        }
        let mut about = all.about(self.cores.words().map_err(Misuse)?);
        if !interrupt::interrupted() {
            let switch = self.forward_capture()?;
            output::print(&format!("{SWITCH}\n{switch}\n"))?;
            about.sections.push((SWITCH.to_owned(), switch.lines().map(str::to_owned).collect()));
        }
        output::print(&advice::render(&recommend::recommend(&all.findings.records, GUIDES)))?;
        output::print(&all.ending())?;
        files.write(&all.findings.records, &about)?;
        Ok(code(&all.findings))
    }
}

impl CompareArgs {
    /// Forwards the capture that comes with the program, and describes the outcome of every frame.
    fn forward_capture(&self) -> Result<String> {
        let placement = Placement::choose(&self.cores.cores).map_err(Misuse)?;
        let summary = replay_builtin(Kind::Ring, &placement).context(BUILT_IN_NAME)?;
        Ok(format!("{BUILT_IN_NAME}:\n{summary}\n"))
    }
}

/// The findings of all families.
#[derive(Default)]
struct All {
    findings: Findings<String>,
    /// The families with their numbers of rounds.
    rounds: Vec<(&'static str, usize)>,
}

impl All {
    /// Measures a family in its part of the remaining time, and prints its tables.
    fn measure(&mut self, at: usize, setup: &Setup, until: Instant, stop: &AtomicBool) -> Result<()> {
        let family = &FAMILIES[at];
        let weights: u32 = FAMILIES[at..].iter().map(|family| family.weight).sum();
        let time = until.saturating_duration_since(Instant::now()) * family.weight / weights;
        let plan = family.plan(setup, time).map_err(Misuse)?;
        let what = format!("{}/{} {}", at + 1, FAMILIES.len(), family.name);
        if !std::io::stderr().is_terminal() {
            // On a terminal, the bar shows it.
            anstream::eprintln!("measuring {what}, {:.0} s", time.as_secs_f64());
        }
        let mut bar = Bar::new(what);
        let found = plan.run(stop, &mut bar).map_err(Misuse)?;
        let plural = if found.rounds == 1 { "" } else { "s" };
        output::print(&format!("{HEADING}{}{HEADING:#}, {} round{plural}\n\n", family.name, found.rounds))?;
        output::print(&brief::tables(&found.records, family.shows, GUIDES))?;
        self.rounds.push((family.name, found.rounds));
        self.findings.rounds = self.rounds.iter().map(|(_, rounds)| *rounds).min().unwrap_or(0);
        self.findings.records.extend(found.records);
        self.findings.faults.extend(found.faults);
        self.findings.notes.extend(found.notes.into_iter().map(|note| format!("{}: {note}", family.name)));
        Ok(())
    }

    /// Returns a sentence about the families that got fewer rounds than an advice needs.
    fn short_of_rounds(&self) -> Option<String> {
        let short = self.rounds.iter().filter(|(_, rounds)| *rounds < FEWEST_ROUNDS);
        let names: Vec<&str> = short.map(|(name, _)| *name).collect();
        let left_out = FAMILIES.len() - self.rounds.len();
        let mut sentences = Vec::new();
        if !names.is_empty() {
            sentences.push(format!("Fewer than {FEWEST_ROUNDS} rounds, so no advice: {}.", names.join(", ")));
        }
        if left_out > 0 {
            sentences.push(format!("Families that were not measured: {left_out} of {}.", FAMILIES.len()));
        }
        (!sentences.is_empty()).then(|| sentences.join("\n"))
    }

    /// Returns the last text on the terminal. The notes are on the page.
    fn ending(&self) -> String {
        let notes = Some(self.findings.notes.len()).filter(|&count| count > 0);
        let notes = notes.map(|count| format!("The page has {count} notes on these figures."));
        let faults = faults(&self.findings, "FAILED");
        notes.into_iter().chain(self.short_of_rounds()).chain(faults).map(|line| format!("{line}\n")).collect()
    }

    fn about(&self, cores: String) -> About {
        let rounds: Vec<String> = self.rounds.iter().map(|(name, rounds)| format!("{name} {rounds}")).collect();
        let method = [
            "The queues of a family are measured in one process, in turn: A B C, A B C, ... A round before the first warms up, finds \
             out how many items fill a measurement, and is not counted.",
            "While there are cores, each thread is pinned to one of its own, and producers and consumers alternate.",
            "Every run checks that each item came once; with one producer and one consumer also their order.",
            "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast.",
            "Bounds are not queues: they are the machine's limits for a queue that costs nothing.",
        ];
        let facts = facts([("Cores", cores), ("Rounds", rounds.join(", "))]);
        let method = method.iter().map(|&line| line.to_owned());
        let remarks =
            self.findings.notes.iter().cloned().chain(self.short_of_rounds()).chain(faults(&self.findings, "Failed"));
        About { facts, method: method.chain(remarks).collect(), sections: Vec::new() }
    }
}

/// Returns a sentence for each fault, and one if the run was interrupted.
fn faults(findings: &Findings<String>, failed: &str) -> Vec<String> {
    let faults = findings.faults.iter().map(|(bench, queue, fault)| format!("{failed}: {bench} of {queue}: {fault}"));
    faults.chain(interrupt::interrupted().then(|| "Stopped by Ctrl-C.".to_owned())).collect()
}
