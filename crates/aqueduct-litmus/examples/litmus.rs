//! `aqueduct litmus` as a program of its own: `cargo run --release -p aqueduct-litmus --example litmus -- FILE...`

use std::process::ExitCode;

use aqueduct_litmus::command::{LitmusArgs, run};
use clap::Parser;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    litmus: LitmusArgs,
}

fn main() -> ExitCode {
    run(&Arguments::parse().litmus)
}
