//! `aqueduct report`: shows records of earlier runs again.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use aqueduct_measure::record::Record;
use aqueduct_measure::report::html::About;
use aqueduct_measure::report::svg::{self, Picture};
use aqueduct_measure::report::{json, table};

use crate::guides::GUIDES;
use crate::job::Job;
use crate::output::{self, Files};
use crate::{SUCCESS, input};

/// Options of `aqueduct report`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Files of JSON lines as `--json` writes them; `-` is the standard input
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    files: Files,
    /// Draw throughput over threads, of as many producers as consumers, to this file, and print no
    /// tables
    #[arg(long, value_name = "FILE", requires = "queues")]
    svg: Option<PathBuf>,
    /// The queues to draw, each as NAME or NAME=CAPTION, such as `aqueduct/bbq_mpmc=aqueduct`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "svg")]
    queues: Vec<String>,
    /// The bench to draw
    #[arg(long, value_name = "NAME", default_value = "mpmc.throughput", requires = "svg")]
    bench: String,
    /// The number of items per call to draw
    #[arg(long, value_name = "N", default_value = "1", value_parser = batch, requires = "svg")]
    batch: NonZeroUsize,
    /// The picture's heading
    #[arg(long, value_name = "TEXT", default_value = "", requires = "svg")]
    title: String,
}

impl Job for ReportArgs {
    fn outlook(&self) -> Result<String> {
        self.check()?;
        Ok(format!("tables of the records in {}", names(&self.inputs)))
    }

    /// Reads the files, prints the tables, and writes the requested files.
    fn run(&self) -> Result<u8> {
        self.check()?;
        let mut records = Vec::new();
        for input in &self.inputs {
            records.extend(read(input).with_context(|| input.display().to_string())?);
        }
        if records.is_empty() {
            bail!("the files hold no record; each line must be one as `aqueduct bench --json` writes it");
        }
        if self.svg.is_none() {
            output::print(&table::render(&records, GUIDES))?;
        }
        self.files.write(&records, &about(&self.inputs))?;
        if let Some(path) = &self.svg {
            let drawn = svg::by_threads(&records, &self.picture()).map_err(anyhow::Error::msg)?;
            fs::write(path, drawn).with_context(|| format!("cannot write {}", path.display()))?;
            output::print(&format!("Picture: {}\n", path.display()))?;
        }
        Ok(SUCCESS)
    }
}

impl ReportArgs {
    fn check(&self) -> Result<()> {
        for path in self.inputs.iter().filter(|path| !is_standard_input(path)) {
            input::check(path).context("`-` reads the standard input")?;
        }
        self.files.check()
    }

    fn picture(&self) -> Picture {
        let caption = |text: &String| {
            let (queue, caption) =
                text.rsplit_once('=').filter(|(queue, _)| !queue.ends_with("[k")).unwrap_or((text, text));
            let Ok(queue) = queue.parse();
            (queue, caption.to_owned())
        };
        let Ok(bench) = self.bench.parse();
        Picture {
            bench,
            batch: self.batch.get(),
            queues: self.queues.iter().map(caption).collect(),
            title: self.title.clone(),
        }
    }
}

/// Parses the value of `--batch`.
fn batch(text: &str) -> std::result::Result<NonZeroUsize, String> {
    text.trim().parse().map_err(|_| "at least 1 item per call is possible".to_owned())
}

fn read(path: &Path) -> Result<Vec<Record>> {
    let mut input: Box<dyn BufRead> = if is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path)?))
    };
    Ok(json::read(&mut input)?)
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn about(inputs: &[PathBuf]) -> About {
    About { facts: vec![("Read from".to_owned(), names(inputs))], ..About::default() }
}

fn names(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
    names.join(", ")
}
