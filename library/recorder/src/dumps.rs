//! Dump files, and the removal of old ones.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, panic, process};

use crate::recorder::Recorder;
use crate::sync::{AtomicU64, Ordering};

/// The beginning of a dump's file name.
const PREFIX: &str = "dump-";
const SUFFIX: &str = ".aqueduct";

/// The number of dumps that the process has begun. It distinguishes dumps of the same nanosecond.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// A directory of dumps, which keeps the newest dumps.
///
/// # Examples
/// ```no_run
/// use aqueduct_recorder::{Builder, Dumps};
///
/// let recorder = Builder::new().install()?;
/// Dumps::new("/var/log/server").keep_files(10).keep_bytes(1 << 30).on_panic(recorder);
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dumps {
    directory: PathBuf,
    files: usize,
    bytes: u64,
    last: Option<Duration>,
}

impl Dumps {
    /// Returns settings that keep all dumps in a directory.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), files: usize::MAX, bytes: u64::MAX, last: None }
    }

    /// Sets the number of dumps that are kept. The newest dump is always kept.
    #[must_use]
    pub fn keep_files(mut self, files: usize) -> Self {
        self.files = files;
        self
    }

    /// Sets the greatest number of bytes that all kept dumps take. The newest dump is kept even if
    /// it is larger.
    #[must_use]
    pub fn keep_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Limits each dump to the records of the last `time` before its request.
    ///
    /// The dump also has the records between the request and the dump itself.
    #[must_use]
    pub fn last(mut self, time: Duration) -> Self {
        self.last = Some(time);
        self
    }

    /// Writes a dump, removes old ones, and returns the new dump's path.
    ///
    /// The file gets its name when it is complete. Dumps of other processes in the directory count
    /// as well.
    ///
    /// # Errors
    /// The errors of making the directory, and of writing, listing and removing files. The dump may
    /// be written nevertheless.
    pub fn write(&self, recorder: Recorder) -> io::Result<PathBuf> {
        self.write_requested(recorder, recorder.ticks())
    }

    /// Writes a dump of a window of time, in nanoseconds [since recording
    /// began](Recorder::elapsed), as [`write`](Self::write) does.
    ///
    /// # Errors
    /// The errors of [`write`](Self::write).
    pub fn write_window(&self, recorder: Recorder, nanos: Range<u64>) -> io::Result<PathBuf> {
        self.write_file(|path| recorder.dump_window(path, nanos))
    }

    /// Writes a dump that was requested at this tick.
    pub(crate) fn write_requested(&self, recorder: Recorder, ticks: u64) -> io::Result<PathBuf> {
        self.write_file(|path| match self.last {
            None => recorder.dump(path),
            Some(last) => {
                let last = u64::try_from(last.as_nanos()).unwrap_or(u64::MAX);
                recorder.dump_window(path, recorder.nanos_of(ticks).saturating_sub(last)..u64::MAX)
            }
        })
    }

    fn write_file(&self, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.directory)?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let begun = BEGUN.fetch_add(1, Ordering::Relaxed);
        // The width is fixed, so that the order of names is the order of time.
        let name = format!("{PREFIX}{now:020}-{}-{begun:010}{SUFFIX}", process::id());
        let path = self.directory.join(&name);
        let partial = self.directory.join(format!("{name}.partial"));
        let written = write(&partial).and_then(|()| fs::rename(&partial, &path));
        if let Err(error) = written {
            // The first error is the one to report.
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        self.remove_old()?;
        Ok(path)
    }

    /// Writes a dump whenever a thread panics, after the present panic hook has run.
    ///
    /// The path, or the error, goes to the standard error.
    pub fn on_panic(self, recorder: Recorder) {
        let earlier = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            earlier(info);
            // A panic in the hook would abort the process, so errors of the standard error are
            // ignored.
            let _ = match self.write(recorder) {
                Ok(path) => writeln!(io::stderr(), "the flight recorder's dump is in {}", path.display()),
                Err(error) => writeln!(io::stderr(), "the flight recorder's dump failed: {error}"),
            };
        }));
    }

    /// Removes the oldest dumps, beyond the number or size to be kept.
    fn remove_old(&self) -> io::Result<()> {
        let mut dumps = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if is_dump(&path) {
                dumps.push(path);
            }
        }
        dumps.sort_unstable_by(|one, other| other.file_name().cmp(&one.file_name()));
        let mut bytes = 0_u64;
        let mut is_full = false;
        for (newer, path) in dumps.iter().enumerate() {
            // Another thread or process may have removed it.
            let Some(len) = unless_absent(fs::metadata(path))?.map(|it| it.len()) else { continue };
            bytes = bytes.saturating_add(len);
            is_full |= newer >= self.files || bytes > self.bytes;
            if is_full && newer > 0 {
                unless_absent(fs::remove_file(path))?;
            }
        }
        Ok(())
    }
}

fn is_dump(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

fn unless_absent<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
