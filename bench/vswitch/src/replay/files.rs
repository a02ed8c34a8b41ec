//! A replay from a file into a folder.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use super::run::{ReplayError, Setting, replay};
use super::summary::Summary;
use crate::mac::MacAddress;
use crate::pcap::{Capture, CaptureError, CaptureWriter, Problem};

/// Forwards the capture in `file`. With `folder`, writes each station's received frames into
/// `folder/MAC.pcap`.
///
/// The folder is made if it is missing; files of these names are replaced. The dashes in the names
/// stand for colons. A station that received nothing gets a capture without packets. The whole
/// capture is held in memory.
///
/// # Errors
/// [`ReplayError`]. Files may then be incomplete.
pub fn replay_into(file: &Path, folder: Option<&Path>, setting: &Setting) -> Result<Summary, ReplayError> {
    let name = file.display().to_string();
    let bytes = fs::read(file).map_err(|error| {
        let problem = Problem::Unreadable(error.to_string());
        CaptureError { file: name.clone(), position: 0, packet: None, problem }
    })?;
    let capture = Capture::parse(&name, &bytes)?;
    let Some(folder) = folder else {
        return Ok(replay(&capture, setting, |_station| Ok(super::client::Discard))?.0);
    };
    fs::create_dir_all(folder).map_err(|source| ReplayError::Output { path: folder.into(), source })?;
    let create = |station: MacAddress| {
        let path = folder.join(station.file_stem()).with_extension("pcap");
        if same_file(&path, file) {
            return Err(ReplayError::OverwritesInput(path));
        }
        File::create(&path)
            .and_then(|file| CaptureWriter::new(BufWriter::new(file), capture.format))
            .map_err(|source| ReplayError::Output { path, source })
    };
    let (summary, writers) = replay(&capture, setting, create)?;
    for (station, writer) in summary.stations.iter().zip(writers) {
        writer.finish().map_err(|source| ReplayError::Sink { station: station.address, source })?;
    }
    Ok(summary)
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
