//! `aqueduct litmus` as a program of its own:
//! `cargo run --release -p aqueduct-litmus --example litmus -- FILE...`

use std::io;
use std::process::ExitCode;

use aqueduct_litmus::command::{LitmusArgs, write_answers};
use clap::Parser;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    litmus: LitmusArgs,
}

fn main() -> io::Result<ExitCode> {
    let failures = write_answers(&Arguments::parse().litmus, &mut io::stdout().lock())?;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
