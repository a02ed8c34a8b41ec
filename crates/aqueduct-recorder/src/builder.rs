//! Makes the recorder of the process.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;
use std::{fmt, io, process};

use crate::clock::Clock;
use crate::filter::Filter;
use crate::memory;
use crate::recorder::{Recorder, SHARED, Shared, State};
use crate::region::{Geometry, Region};

/// Settings of a [`Recorder`].
///
/// # Examples
/// ```
/// use aqueduct_recorder::{Builder, event};
///
/// let recorder = Builder::new().rings(8).ring_bytes(64 << 10).install()?;
/// event!("started", threads = 4);
/// let trace = recorder.trace();
/// assert_eq!(trace.events().len(), 1);
/// println!("{}", trace.text());
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    rings: usize,
    ring_bytes: usize,
    block_bytes: usize,
    table_bytes: usize,
    file: Option<PathBuf>,
    filter: Filter,
    redacted: HashSet<String>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns settings for 64 rings of 256 KiB on the heap.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rings: 64,
            ring_bytes: 256 << 10,
            block_bytes: 8 << 10,
            table_bytes: 1 << 20,
            file: None,
            filter: Filter::new(),
            redacted: HashSet::new(),
        }
    }

    /// Sets the number of threads that can record at the same time.
    #[must_use]
    pub fn rings(mut self, rings: usize) -> Self {
        self.rings = rings;
        self
    }

    /// Sets the size of a thread's ring. It is rounded up to whole blocks, at least two.
    #[must_use]
    pub fn ring_bytes(mut self, bytes: usize) -> Self {
        self.ring_bytes = bytes;
        self
    }

    /// Sets the size of a block. A thread overwrites its ring block by block, and no record is longer than a
    /// block.
    #[must_use]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets the room for the names of all places that record.
    #[must_use]
    pub fn table_bytes(mut self, bytes: usize) -> Self {
        self.table_bytes = bytes;
        self
    }

    /// Records into a new file, which outlives the process. An existing file of this name is removed first.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Sets which places record. A place that does not record costs a load and two comparisons, and its records
    /// are not counted.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Adds names of fields whose values are never written, at any place.
    ///
    /// A record of a place with such a field costs some nanoseconds more.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_recorder::{Builder, event};
    ///
    /// let recorder = Builder::new().redact(["password"]).install()?;
    /// event!("login", user = "ann", password = "secret");
    /// let text = recorder.trace().text().to_string();
    /// assert!(text.contains("ann") && !text.contains("secret"));
    /// # Ok::<(), aqueduct_recorder::InstallError>(())
    /// ```
    #[must_use]
    pub fn redact<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.redacted.extend(names.into_iter().map(Into::into));
        self
    }

    /// Makes the recorder of this process. Measures the clock for some milliseconds.
    ///
    /// The memory is never freed.
    ///
    /// # Errors
    /// [`InstallError`] if the process has a recorder already, or the sizes are impossible, or the file cannot
    /// be made.
    pub fn install(self) -> Result<Recorder, InstallError> {
        if SHARED.get().is_some() {
            return Err(InstallError::Installed);
        }
        let block_words = self.block_bytes / 8;
        let blocks = self.ring_bytes.div_ceil(self.block_bytes.max(1)).max(2);
        let geometry = Geometry { rings: self.rings, blocks, block_words, table_words: self.table_bytes / 8 };
        let words = geometry.words().filter(|_| self.rings > 0 && block_words > 0).ok_or(InstallError::Sizes)?;
        let memory = match &self.file {
            Some(path) => memory::in_new_file(path, words).map_err(InstallError::File)?,
            None => memory::on_heap(words),
        };
        let clock = Clock::choose();
        let rate = clock.rate();
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let head = [rate, clock.now(), unix, u64::from(process::id())];
        let region = Region::create(memory, geometry, &head).map_err(|_| InstallError::Sizes)?;
        let rings = region.rings().collect::<Result<Vec<_>, _>>().map_err(|_| InstallError::Sizes)?;
        let state = Mutex::new(State::new(rings.len()));
        let Self { filter, redacted, .. } = self;
        let shared = Shared { region, rings, clock, filter, redacted, dump_on: OnceLock::new(), state };
        SHARED.set(shared).map_err(|_| InstallError::Installed)?;
        Ok(Recorder(()))
    }
}

/// The reason for which a recorder cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// The process has a recorder already.
    Installed,
    /// The sizes leave no room for two blocks with a record each, or exceed the address space.
    Sizes,
    /// The file cannot be made or mapped.
    File(io::Error),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installed => f.write_str("the process has a recorder already"),
            Self::Sizes => f.write_str("the sizes make no ring"),
            Self::File(error) => write!(f, "the recorder's file cannot be made: {error}"),
        }
    }
}

impl std::error::Error for InstallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}
