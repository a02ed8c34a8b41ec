//! The command line: what the program can be asked for.

use clap::{Parser, Subcommand};

use crate::report::ReportArgs;

/// Fast queues between cores, measured on your machine.
///
/// Without a command, `aqueduct compare` runs.
#[derive(Debug, Parser)]
#[command(name = "aqueduct", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What the program does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show JSON lines of earlier runs as tables or as a page
    Report(ReportArgs),
}

const EXIT_CODES: &str = "\
Exit codes:
    0  all went well
    1  a measurement, a check or a file failed; the message says which
    2  the command line was wrong; the message says what would be right
  130  stopped by Ctrl-C, after showing what was there";
