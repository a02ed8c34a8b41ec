//! The `aqueduct` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    aqueduct_cli::main()
}
