//! `aqueduct report`: records of earlier runs, shown again.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use aqueduct_bench::record::Record;
use aqueduct_bench::report::html::About;
use aqueduct_bench::report::{json, table};

use crate::SUCCESS;
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

/// Reads the files, prints the tables, writes what was asked for.
pub(crate) fn run(args: &ReportArgs) -> Result<u8> {
    args.files.check()?;
    let mut records = Vec::new();
    for input in &args.inputs {
        records.extend(read(input).with_context(|| input.display().to_string())?);
    }
    if records.is_empty() {
        bail!("the files hold no record; each line must be one as `aqueduct bench --json` writes it");
    }
    output::print(&table::render(&records))?;
    args.files.write(&records, &about(&args.inputs))?;
    Ok(SUCCESS)
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
    let names: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
    About { facts: vec![("Read from".to_owned(), names.join(", "))], ..About::default() }
}
