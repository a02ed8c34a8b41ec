//! `aqueduct vswitch`: the virtual switch, measured or fed with a capture.

use anyhow::Result;
use aqueduct_vswitch::command::{self, VswitchArgs};

use crate::output;
use crate::progress::Bar;
use crate::{INTERRUPTED, Misuse, SUCCESS, interrupt};

/// Runs the switch and prints what came of it.
pub(crate) fn run(args: &VswitchArgs) -> Result<u8> {
    let stop = interrupt::listen()?;
    let mut text = Vec::new();
    let outcome = command::run(args, stop, &mut Bar::new("measuring"), &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    outcome.map_err(
        |error| {
            if error.is_misuse() { anyhow::Error::new(Misuse(error.to_string())) } else { error.into() }
        },
    )?;
    if interrupt::interrupted() {
        output::print("Stopped by Ctrl-C.\n")?;
        return Ok(INTERRUPTED);
    }
    Ok(SUCCESS)
}
