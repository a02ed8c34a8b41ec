//! The experiments of a module, by the names of the command line.

/// Declares a module's `Experiment`: the module's name, then the experiments, each with its
/// documentation and its name, in the order of a run.
#[macro_export]
macro_rules! experiments {
    // A build without the caller's feature `workloads` has those before the colon alone.
    ($room:literal, $command:literal has $($plain:ident),+ without workloads: $($rest:tt)+) => {
        $crate::rounds::experiments! { $room: $($rest)+ }

        impl Experiment {
            /// Whether this build has it: some need the feature `workloads`.
            #[must_use]
            pub const fn is_built(self) -> bool {
                cfg!(feature = "workloads") || matches!(self, $(Self::$plain)|+)
            }

            /// The experiments of this build, in the order of a run.
            #[must_use]
            pub fn built() -> Vec<Self> {
                Self::ALL.into_iter().filter(|one| one.is_built()).collect()
            }

            /// Checks that this build has all of them.
            ///
            /// # Errors
            /// A sentence that names one that is missing, and the build that has it.
            pub fn check_built(all: &[Self]) -> Result<(), String> {
                all.iter().find(|one| !one.is_built()).map_or(Ok(()), |absent| {
                    let (command, absent) = ($command, absent.name());
                    Err(format!(
                        "this build has no `{absent}`; one that has: cargo run --release --features workloads -- {command} {absent}"
                    ))
                })
            }
        }
    };
    ($room:literal: $($(#[$about:meta])* $one:ident = $name:literal,)+) => {
        /// One experiment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Experiment {
            $($(#[$about])* $one,)+
        }

        impl Experiment {
            /// All experiments, in the order of a run.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$one),+];

            #[doc = concat!("The name by which the experiment is asked for, without `", $room, ".`.")]
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$one => $name,)+
                }
            }

            #[doc = concat!("The experiment of that name, with or without `", $room, ".` before it.")]
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                let bare = name.strip_prefix(concat!($room, ".")).unwrap_or(name);
                Self::ALL.into_iter().find(|one| one.name() == bare)
            }

            /// Returns the place in [`ALL`](Self::ALL) of the experiment whose bench begins these
            /// words.
            #[must_use]
            pub fn place_of(words: &str) -> usize {
                let bare = words.strip_prefix(concat!($room, "."));
                let is_of = |one: &Self| bare.is_some_and(|rest| rest.starts_with(one.name()));
                Self::ALL.iter().position(is_of).unwrap_or(Self::ALL.len())
            }
        }

        impl std::str::FromStr for Experiment {
            type Err = String;

            /// Finds the experiment by [`named`](Self::named); the error lists all names.
            fn from_str(name: &str) -> Result<Self, String> {
                Self::named(name).ok_or_else(|| {
                    let valid = Self::ALL.map(Self::name).join(", ");
                    format!("there is no experiment of that name; there are: {valid}")
                })
            }
        }
    };
}

pub use experiments;

#[cfg(test)]
#[expect(unreachable_pub, reason = "rooms are public, and this one is not")]
mod tests {
    experiments! {
        "tides":
        /// Water comes.
        Flow = "flow",
        /// Water goes.
        Ebb = "ebb",
    }

    #[test]
    fn an_experiment_is_found_by_its_name_and_with_its_room_before_it() {
        assert_eq!(Experiment::ALL, [Experiment::Flow, Experiment::Ebb]);
        assert_eq!(Experiment::Ebb.name(), "ebb");
        assert_eq!(Experiment::named("tides.ebb"), Some(Experiment::Ebb));
        assert_eq!("flow".parse(), Ok(Experiment::Flow));
        assert_eq!(Experiment::named("seas.ebb"), None);
        assert_eq!(["tides.flow 1x1", "tides.ebb.p99", "seas.ebb"].map(Experiment::place_of), [0, 1, 2]);
        let why = "stand".parse::<Experiment>().unwrap_err();
        assert_eq!(why, "there is no experiment of that name; there are: flow, ebb");
    }
}
