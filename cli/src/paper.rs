//! `aqueduct paper`: the experiments of a paper, and a page with each of its claims beside our
//! figure.

mod bbq;
mod bwos;
mod cnq;
mod exhibit;
mod figures;
mod nblfq;
mod page;
mod run;
mod spsc;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use aqueduct_measure::machine;
use aqueduct_measure::report::json;
use aqueduct_measure::topology::{self, Cpu};
use clap::ValueEnum;

use self::exhibit::Exhibit;
use self::figures::Figures;
use self::run::{FIGURES, Line, RUN};
use crate::job::Job;
use crate::{FAILURE, INTERRUPTED, Misuse, SUCCESS, input, interrupt, output};

/// Options of `aqueduct paper`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PaperArgs {
    /// The papers, by their queues
    #[arg(required = true, value_name = "PAPER")]
    papers: Vec<Paper>,
    /// Shorter and fewer runs: a minute or two for each paper
    #[arg(long)]
    quick: bool,
    /// The folder of the results: each paper has one of its own in it, with figures, pictures and a
    /// page
    #[arg(long, value_name = "DIR", default_value = "papers")]
    out: PathBuf,
    /// Measure nothing: draw the figures that are in the folder again
    #[arg(long)]
    redraw: bool,
}

const AFTER_HELP: &str = "\
Each experiment is a line of `aqueduct bench` or `aqueduct vswitch`; the page quotes it. --dry-run shows all of them.
A build with --features published,rivals,workloads has all of them.

Examples:
  aqueduct paper spsc --quick
  aqueduct paper bbq nblfq --out results/today
  aqueduct paper bbq --out results/today --redraw";

/// A paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Paper {
    /// BBQ: A Block-based Bounded Queue (USENIX ATC 2022)
    Bbq,
    /// J. Wang's thesis (TU Dresden 2024), chapter 3: CNQ and FAAQ
    Cnq,
    /// BWoS: Block-based Work Stealing (OSDI 2023)
    Bwos,
    /// NBLFQ: a lock-free MPMC queue optimized for low contention (IPDPS 2025)
    Nblfq,
    /// Cache-aware design of general-purpose Single-Producer-Single-Consumer queues (Maffione,
    /// Lettieri, Rizzo 2019)
    Spsc,
}

impl Paper {
    /// Returns the name of its folder.
    fn name(self) -> &'static str {
        match self {
            Self::Bbq => "bbq",
            Self::Cnq => "cnq",
            Self::Bwos => "bwos",
            Self::Nblfq => "nblfq",
            Self::Spsc => "spsc",
        }
    }

    /// Returns the heading of its page.
    fn title(self) -> &'static str {
        match self {
            Self::Bbq => {
                "BBQ: A Block-based Bounded Queue for Exchanging Data and Profiling (Wang et al., USENIX ATC 2022)"
            }
            Self::Cnq => "CNQ and FAAQ (J. Wang's thesis, TU Dresden 2024, chapter 3)",
            Self::Bwos => {
                "BWoS: Formally Verified Block-based Work Stealing for Parallel Processing (Wang et al., OSDI 2023)"
            }
            Self::Nblfq => "NBLFQ: a lock-free MPMC queue optimized for low contention (Denis, Goedefroit, IPDPS 2025)",
            Self::Spsc => {
                "Cache-aware design of general-purpose Single-Producer-Single-Consumer queues (Maffione, Lettieri, Rizzo, 2019)"
            }
        }
    }

    /// Returns the command lines of its experiments, without the program's name.
    fn lines(self, cores: usize, quick: bool) -> Vec<String> {
        match self {
            Self::Bbq => bbq::lines(cores, quick),
            Self::Cnq => cnq::lines(cores, quick),
            Self::Bwos => bwos::lines(cores, quick),
            Self::Nblfq => nblfq::lines(cores, quick),
            Self::Spsc => spsc::lines(cores, quick),
        }
    }

    /// Returns the experiments that are repeated where the machine has further placements of two
    /// threads.
    fn placed(self, quick: bool) -> Vec<String> {
        match self {
            Self::Bwos => bwos::placed(quick),
            Self::Spsc => spsc::placed(quick),
            Self::Bbq | Self::Cnq | Self::Nblfq => Vec::new(),
        }
    }

    /// Returns all experiments on a machine with these processors.
    fn experiments(self, cpus: &[Cpu], quick: bool) -> Vec<Line> {
        let usual = self.lines(cpus.len(), quick).into_iter().map(|words| Line { words, placement: None });
        let further = topology::further_pairs(cpus).into_iter().flat_map(|(placement, [one, other])| {
            let lines = self.placed(quick).into_iter();
            lines.map(move |line| Line { words: format!("{line} --cores {one},{other}"), placement: Some(placement) })
        });
        usual.chain(further).collect()
    }

    fn exhibits(self, figures: &Figures<'_>) -> Vec<Exhibit> {
        match self {
            Self::Bbq => bbq::exhibits(figures),
            Self::Cnq => cnq::exhibits(figures),
            Self::Bwos => bwos::exhibits(figures),
            Self::Nblfq => nblfq::exhibits(figures),
            Self::Spsc => spsc::exhibits(figures),
        }
    }

    /// Writes page and pictures of the figures in `folder`. Returns the exhibits.
    fn draw(self, folder: &Path) -> Result<Vec<Exhibit>> {
        let path = folder.join(FIGURES);
        input::check(&path)?;
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        let records = json::read(&mut BufReader::new(file)).with_context(|| path.display().to_string())?;
        let run = fs::read_to_string(folder.join(RUN)).with_context(|| folder.join(RUN).display().to_string())?;
        if records.is_empty() {
            bail!("{} holds no figure", path.display());
        }
        let exhibits = self.exhibits(&Figures::all(&records));
        page::write(folder, self.title(), &run, &exhibits)?;
        Ok(exhibits)
    }
}

impl PaperArgs {
    fn folder(&self, paper: Paper) -> PathBuf {
        self.out.join(paper.name())
    }

    /// Checks that this build has the experiments, before a minute of measuring.
    fn check(&self) -> Result<(), Misuse> {
        let needs_published = self.papers.iter().any(|paper| *paper != Paper::Spsc);
        let is_built = cfg!(feature = "workloads") && (cfg!(feature = "published") || !needs_published);
        if is_built || self.redraw {
            return Ok(());
        }
        let papers: Vec<&str> = self.papers.iter().map(|paper| paper.name()).collect();
        Err(Misuse(format!(
            "this build lacks some experiments of the papers; one that has all: cargo run --release --features published,rivals,workloads -- paper {}",
            papers.join(" ")
        )))
    }

    /// Writes the page that lists the pages of the papers.
    fn index(&self) -> Result<PathBuf> {
        let mut pages = Vec::new();
        for paper in Paper::value_variants() {
            if self.folder(*paper).join(FIGURES).exists() {
                pages.push((paper.name(), paper.title(), paper.draw(&self.folder(*paper))?));
            }
        }
        let path = self.out.join("README.md");
        fs::write(&path, page::index(&pages)).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

impl Job for PaperArgs {
    fn outlook(&self) -> Result<String> {
        self.check()?;
        let cpus = topology::here(&machine::usable_cores());
        let lines = self.papers.iter().flat_map(|paper| paper.experiments(&cpus, self.quick));
        for line in lines.clone() {
            run::parse(&line.words)?;
        }
        Ok(lines.map(|line| format!("aqueduct {}", line.words)).collect::<Vec<_>>().join("\n"))
    }

    /// Measures, and writes figures, pictures and pages.
    fn run(&self) -> Result<u8> {
        self.check()?;
        let cpus = topology::here(&machine::usable_cores());
        let mut has_failed = false;
        if !self.redraw {
            let stop = interrupt::listen()?;
            for &paper in &self.papers {
                has_failed |= run::measure(&self.folder(paper), &paper.experiments(&cpus, self.quick), stop)?;
            }
        }
        for &paper in &self.papers {
            if !self.folder(paper).join(FIGURES).exists() {
                return Err(Misuse(format!("{} has no {FIGURES}", self.folder(paper).display())).into());
            }
            let exhibits = paper.draw(&self.folder(paper))?;
            output::print(&page::summary(paper.name(), &exhibits))?;
        }
        output::print(&format!("Pages: {}\n", self.index()?.display()))?;
        Ok(if interrupt::interrupted() {
            INTERRUPTED
        } else if has_failed {
            FAILURE
        } else {
            SUCCESS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_each_paper_is_a_command_that_measures() {
        for paper in Paper::value_variants() {
            for (cores, quick) in [(1, true), (2, false), (16, true), (96, false)] {
                let cpus: Vec<Cpu> = (0..cores).map(|id| Cpu { id, core: id / 2, node: id / 8 }).collect();
                for Line { words, .. } in paper.experiments(&cpus, quick) {
                    run::parse(&words).unwrap_or_else(|error| panic!("{words}: {error}"));
                }
            }
        }
    }

    #[test]
    fn without_figures_nothing_is_said_to_hold() {
        for paper in Paper::value_variants() {
            let exhibits = paper.exhibits(&Figures::all(&[]));
            assert!(!exhibits.is_empty());
            for exhibit in exhibits {
                assert_eq!(exhibit.verdict(), exhibit::Verdict::NotMeasured, "{}", exhibit.name);
            }
        }
    }

    #[test]
    fn pictures_have_names_of_their_own() {
        for paper in Paper::value_variants() {
            let exhibits = paper.exhibits(&Figures::all(&[]));
            let mut files: Vec<&str> = exhibits.iter().map(|exhibit| exhibit.file).collect();
            files.sort_unstable();
            let all = files.len();
            files.dedup();
            assert_eq!(files.len(), all, "{paper:?}");
        }
    }
}
