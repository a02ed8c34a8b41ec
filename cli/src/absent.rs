//! Stand-ins for commands that a build lacks: an error that names the feature to build with.

/// Declares commands that a build without the feature `$feature` lacks.
macro_rules! absent {
    ($feature:literal, $lack:literal: $($args:ident = $command:literal;)*) => {$(
        /// Accepts any options: this build has no list of them.
        #[derive(Debug, clap::Args)]
        pub(crate) struct $args {
            #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
            rest: Vec<String>,
        }

        impl crate::job::Job for $args {
            fn outlook(&self) -> anyhow::Result<String> {
                let command = [&[$command.to_owned()], &self.rest[..]].concat().join(" ");
                let text = format!(
                    concat!($lack, "; one that has: cargo run --release --features ", $feature, " -- {}"),
                    command
                );
                Err(crate::Misuse(text).into())
            }

            fn run(&self) -> anyhow::Result<u8> {
                self.outlook().map(|_| crate::SUCCESS)
            }
        }
    )*};
}

pub(crate) use absent;
