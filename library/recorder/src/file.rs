//! The recorder's file. It is made and filled under another name, and then put in the place of an
//! earlier process's file, which is kept.
//!
//! For `FILE`, the new file is `FILE.new` first. Until the new file is complete, an error or a kill
//! leaves `FILE` as it is. Then `FILE` becomes `FILE.1`, that one `FILE.2`, and so on, up to the
//! number of kept files.
//!
//! A lock on the file (`flock`) shows whether its process lives: the system releases it when the
//! process ends for any reason. A starting process locks the earlier file before it renames it. So
//! of two processes that start at once, one finds the other's lock.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{mem, thread};

use rustix::fs::{FlockOperation, flock};

use crate::builder::InstallError;
use crate::memory;
use crate::region::head;
use crate::ring::Word;

/// Number of attempts at a step while another process has a lock or renames a file. A starting
/// process has a lock only for a moment, so this waits for 0.1 s at most.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// A file that is not in its place yet. If it is dropped before, the file is removed.
pub(crate) struct NewFile {
    path: PathBuf,
    /// Its name until it is in its place.
    new: PathBuf,
    /// The locked file. `None` when it is in its place.
    file: Option<File>,
}

impl NewFile {
    /// Makes a file of zeroed words for `path`, and maps it.
    pub(crate) fn make(path: &Path, words: usize) -> Result<(Self, &'static [Word]), InstallError> {
        let new = named(path, "new");
        let file = Self::open(&new)?;
        let made = Self { path: path.to_owned(), new, file: Some(file) };
        let mapped = made.file.as_ref().map_or(Ok(&[][..]), |file| Self::fill(file, words));
        Ok((made, mapped.map_err(InstallError::File)?))
    }

    /// Opens an empty file of this name, which this process has locked.
    fn open(new: &Path) -> Result<File, InstallError> {
        for _ in 0..TRIES {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(new);
            let file = file.map_err(InstallError::File)?;
            if !lock(&file) || !is_named(&file, new) {
                thread::sleep(PAUSE);
                continue;
            }
            if file.metadata().map_err(InstallError::File)?.len() == 0 {
                return Ok(file);
            }
            // A process that was killed here has left this file.
            fs::remove_file(new).map_err(InstallError::File)?;
        }
        Err(InstallError::InUse { process: 0 })
    }

    fn fill(file: &File, words: usize) -> io::Result<&'static [Word]> {
        let bytes = 8 * words as u64;
        file.set_len(bytes)?;
        // Without this, a write to a page would kill the process if the disk is full.
        #[cfg(target_os = "linux")]
        rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes)?;
        memory::map(file, words, true)
    }

    /// Puts the file in its place, and keeps `kept` earlier ones. The file stays locked until the
    /// process ends.
    pub(crate) fn put(mut self, kept: usize) -> Result<(), InstallError> {
        let mut process = 0;
        for _ in 0..TRIES {
            match self.try_to_put(kept).map_err(InstallError::File)? {
                None => {
                    // Closing the file would release the lock.
                    self.file.take().into_iter().for_each(mem::forget);
                    return Ok(());
                }
                Some(other) => process = other,
            }
            thread::sleep(PAUSE);
        }
        Err(InstallError::InUse { process })
    }

    /// Puts the file in its place. If another process has the place, returns that process's number.
    fn try_to_put(&self, kept: usize) -> io::Result<Option<u64>> {
        if fs::symlink_metadata(&self.path).is_ok() {
            match fs::metadata(&self.path) {
                // Opening a pipe would wait for its writer.
                Ok(found) if !found.is_file() => {
                    return Err(io::Error::new(
                        ErrorKind::InvalidInput,
                        "the name belongs to something other than a regular file",
                    ));
                }
                Ok(_) => {
                    let earlier = File::open(&self.path)?;
                    // The lock is held while the file is renamed.
                    if !lock(&earlier) || !is_named(&earlier, &self.path) {
                        return Ok(Some(process_of(&earlier)));
                    }
                    keep(&self.path, kept)?;
                }
                // A dangling link.
                Err(_) => keep(&self.path, kept)?,
            }
        }
        match fs::hard_link(&self.new, &self.path) {
            Ok(()) => fs::remove_file(&self.new)?,
            // Another process has put its file there.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(Some(0)),
            // Some file systems have no links.
            Err(_) => fs::rename(&self.new, &self.path)?,
        }
        Ok(None)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            // The first error is the one to report.
            let _ = fs::remove_file(&self.new);
        }
    }
}

/// Locks a file. `false` if another process has locked it. A file system without locks counts as
/// unlocked.
fn lock(file: &File) -> bool {
    !matches!(flock(file, FlockOperation::NonBlockingLockExclusive), Err(rustix::io::Errno::WOULDBLOCK))
}

/// Whether a path leads to this file.
fn is_named(file: &File, path: &Path) -> bool {
    let key = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(own), Ok(named)) if key(&own) == key(&named))
}

/// Returns the number of the process in a file's head; 0 if it has none.
fn process_of(file: &File) -> u64 {
    let mut word = [0; 8];
    file.read_exact_at(&mut word, 8 * head::PROCESS as u64).map_or(0, |()| u64::from_ne_bytes(word))
}

/// Renames a file to `PATH.1`, and before that each kept file in the way to the next number. The
/// last one is replaced.
fn keep(path: &Path, kept: usize) -> io::Result<()> {
    if kept == 0 {
        return fs::remove_file(path);
    }
    let numbered = |number: usize| named(path, &number.to_string());
    let free = (1..kept).find(|number| fs::symlink_metadata(numbered(*number)).is_err()).unwrap_or(kept);
    for number in (1..free).rev() {
        fs::rename(numbered(number), numbered(number + 1))?;
    }
    fs::rename(path, numbered(1))
}

/// Returns a path with a dot and a suffix.
fn named(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(suffix);
    name.into()
}
