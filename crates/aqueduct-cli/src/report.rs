//! `aqueduct report`: records of earlier runs, shown again.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use aqueduct_bench::record::Record;
use aqueduct_bench::report::html::About;
use aqueduct_bench::report::{json, table};

use crate::SUCCESS;
use crate::job::Job;
use crate::output::{self, Files};

/// Options of `aqueduct report`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Files of JSON lines as `--json` writes them; `-` is the standard input
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    files: Files,
}

impl Job for ReportArgs {
    fn outlook(&self) -> Result<String> {
        self.files.check()?;
        Ok(format!("tables of the records in {}", names(&self.inputs)))
    }

    /// Reads the files, prints the tables, writes what was asked for.
    fn run(&self) -> Result<u8> {
        self.files.check()?;
        let mut records = Vec::new();
        for input in &self.inputs {
            records.extend(read(input).with_context(|| input.display().to_string())?);
        }
        if records.is_empty() {
            bail!("the files hold no record; each line must be one as `aqueduct bench --json` writes it");
        }
        output::print(&table::render(&records))?;
        self.files.write(&records, &about(&self.inputs))?;
        Ok(SUCCESS)
    }
}

fn read(path: &Path) -> Result<Vec<Record>> {
    let mut input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path)?))
    };
    Ok(json::read(&mut input)?)
}

fn about(inputs: &[PathBuf]) -> About {
    About { facts: vec![("Read from".to_owned(), names(inputs))], ..About::default() }
}

fn names(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
    names.join(", ")
}
