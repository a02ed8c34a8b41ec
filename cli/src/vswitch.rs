//! `aqueduct vswitch`: measures the virtual switch, or forwards a capture through it.

use anyhow::Result;
use aqueduct_vswitch::command::{self, VswitchArgs, VswitchError};

use crate::job::Job;
use crate::output;
use crate::progress::Bar;
use crate::{INTERRUPTED, Misuse, SUCCESS, input, interrupt};

impl Job for VswitchArgs {
    fn outlook(&self) -> Result<String> {
        self.pcap.as_deref().map_or(Ok(()), input::check)?;
        command::outlook(self).map_err(told)
    }

    /// Runs the switch and prints the result.
    fn run(&self) -> Result<u8> {
        self.pcap.as_deref().map_or(Ok(()), input::check)?;
        let stop = interrupt::listen()?;
        let mut text = Vec::new();
        let outcome = command::run(self, stop, &mut Bar::new("measuring"), &mut text);
        output::print(&String::from_utf8_lossy(&text))?;
        outcome.map_err(told)?;
        if interrupt::interrupted() {
            output::print("Stopped by Ctrl-C.\n")?;
            return Ok(INTERRUPTED);
        }
        Ok(SUCCESS)
    }
}

fn told(error: VswitchError) -> anyhow::Error {
    if error.is_misuse() { Misuse(error.to_string()).into() } else { error.into() }
}
