//! The cores on which the threads of a measurement run: the option, and its description.

use anyhow::Result;
use aqueduct_measure::machine;

use crate::{Misuse, output};

/// The option of cores.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Cores {
    /// Cores to place threads on, in this order [default: all, SMT siblings last, one NUMA node
    /// after the other]
    #[arg(long, value_delimiter = ',', value_name = "CORES")]
    pub(crate) cores: Vec<usize>,
}

impl Cores {
    /// Prints which cores the threads take, in which order.
    pub(crate) fn tell(&self) -> Result<()> {
        output::print(&format!("{}\n\n", self.words().map_err(Misuse)?))
    }

    /// Describes which cores the threads take, in which order.
    pub(crate) fn words(&self) -> Result<String, String> {
        let cores = machine::cores(&self.cores)?;
        let list: Vec<String> = cores.iter().map(ToString::to_string).collect();
        Ok(if cores.is_empty() {
            "Threads run where the system puts them.".to_owned()
        } else {
            format!("Threads take cores {}; producers and consumers alternate.", list.join(", "))
        })
    }
}
