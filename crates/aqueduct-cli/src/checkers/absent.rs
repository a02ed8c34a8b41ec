//! Stand-ins for the model checker's commands in a build without them, which say how to get them.

use anyhow::Result;

use crate::Misuse;
use crate::job::Job;

macro_rules! absent {
    ($($args:ident = $command:literal;)*) => {$(
        /// Any options, because this build does not know them.
        #[derive(Debug, clap::Args)]
        pub(crate) struct $args {
            #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
            rest: Vec<String>,
        }

        impl Job for $args {
            fn outlook(&self) -> Result<String> {
                let command = [&[$command.to_owned()], &self.rest[..]].concat().join(" ");
                let text = format!(
                    "this build has no model checker; one that has: cargo run --release --features checkers -- {command}"
                );
                Err(Misuse(text).into())
            }

            fn run(&self) -> Result<u8> {
                self.outlook().map(|_| crate::SUCCESS)
            }
        }
    )*};
}

absent! {
    LitmusArgs = "litmus";
    ModelArgs = "bench model";
    VerifyArgs = "verify";
    ZooArgs = "zoo";
}
