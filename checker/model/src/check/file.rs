//! Files of a head, pieces, and a checksum, a line of JSON each.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sum::{Checksum, Lines};

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Io(io::Error),
    /// No check has written the file, or it was not written to its end.
    Damaged,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(_: serde_json::Error) -> Self {
        Self::Damaged
    }
}

/// The contents of a file.
pub(super) struct Content<H, P> {
    pub(super) head: H,
    pub(super) pieces: Vec<P>,
    /// The checksum of head and pieces.
    pub(super) sum: u64,
}

/// Reads a whole file.
pub(super) fn read<H: DeserializeOwned, P: DeserializeOwned>(file: &Path) -> Result<Content<H, P>, ReadError> {
    let mut lines = Lines::new(BufReader::new(File::open(file)?));
    let head = serde_json::from_slice(lines.next()?.ok_or(ReadError::Damaged)?)?;
    let mut pieces = Vec::new();
    while let Some(line) = lines.next()? {
        pieces.push(serde_json::from_slice(line)?);
    }
    if !lines.are_whole() {
        return Err(ReadError::Damaged);
    }
    Ok(Content { head, pieces, sum: lines.sum() })
}

/// Writes a new file, which then replaces an old one: a reader sees either of them as a whole.
/// Returns the checksum.
pub(super) fn write(file: &Path, head: &impl Serialize, pieces: &[impl Serialize]) -> io::Result<u64> {
    // Another process may write the file, too: a task that was taken for lost and assigned again.
    let new = PathBuf::from(format!("{}.{}.new", file.display(), std::process::id()));
    let mut out = BufWriter::new(File::create(&new)?);
    let mut sum = Checksum::default();
    let mut line = serde_json::to_vec(head)?;
    for piece in pieces.iter().map(Some).chain([None]) {
        line.push(b'\n');
        sum.add(&line);
        out.write_all(&line)?;
        line.clear();
        if let Some(piece) = piece {
            serde_json::to_writer(&mut line, piece)?;
        }
    }
    out.write_all(sum.line().as_bytes())?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&new, file)?;
    Ok(sum.value())
}
