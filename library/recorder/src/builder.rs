//! Settings and installation of the process's recorder.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use std::{fmt, io, process};

use crate::clock::Clock;
#[cfg(unix)]
use crate::file::NewFile;
use crate::filter::Filter;
use crate::memory;
use crate::recorder::{Recorder, SHARED, Shared, State};
use crate::region::{Geometry, Region, SMALLEST_ENTRY};
use crate::site::MOST_SITES;

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
    kept: usize,
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
            kept: 3,
            filter: Filter::new(),
            redacted: HashSet::new(),
        }
    }

    /// Sets the number of rings, which is that of threads that can record at the same time: 65,536
    /// at most.
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

    /// Sets the size of a block. A thread overwrites its ring block by block, and no record is
    /// longer than a block.
    #[must_use]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets the size of the table of names, for all places that record.
    #[must_use]
    pub fn table_bytes(mut self, bytes: usize) -> Self {
        self.table_bytes = bytes;
        self
    }

    /// Records into a new file, which outlives the process.
    ///
    /// A file of this name that an earlier process has left is renamed: `FILE` to `FILE.1`,
    /// `FILE.1` to `FILE.2`, and so on. So a program that is restarted after a crash keeps the
    /// trace of the crash. Three files are kept, or the number set by
    /// [`keep_files`](Self::keep_files); the oldest one is replaced.
    ///
    /// The file of a live process is kept: a second process that names it is refused
    /// ([`InUse`](InstallError::InUse)). Processes that run at the same time need files of their
    /// own, for example with the process's number in the name. On a file system without locks, this
    /// is not detected.
    ///
    /// The new file is `FILE.new` until it is complete. If the disk is full, or the folder cannot
    /// be written, the earlier files stay as they are.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Sets the number of files of earlier processes that are kept: `FILE.1`, the newest one, to
    /// `FILE.N`. With 0, the earlier file is removed. Files of greater numbers are not touched.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_recorder::{Builder, Trace, event};
    ///
    /// # let folder = std::env::temp_dir().join(format!("aqueduct-recorder-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let file = folder.join("server.trace");
    /// # std::fs::write(&file, "an earlier process's")?;
    /// Builder::new().file(&file).keep_files(5).install()?;
    /// event!("started");
    /// assert_eq!(Trace::open(&file)?.events().len(), 1);
    /// assert!(folder.join("server.trace.1").exists());
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keep_files(mut self, files: usize) -> Self {
        self.kept = files;
        self
    }

    /// Sets which places record. A filtered place costs a load and two comparisons per call, and
    /// its records are not counted.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Adds names of fields whose values are never written, at any place.
    ///
    /// A record of a place with such a field takes a slower path.
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

    /// Installs the recorder of this process. This measures the clock for some milliseconds.
    ///
    /// The memory is never freed.
    ///
    /// # Errors
    /// [`InstallError`] if the process already has a recorder, the sizes are not valid, the file
    /// cannot be made, or another process records into it.
    pub fn install(self) -> Result<Recorder, InstallError> {
        /// Held by one call at a time, so that only the installed recorder's file is put in place.
        static INSTALLS: Mutex<()> = Mutex::new(());
        let _alone = INSTALLS.lock().unwrap_or_else(PoisonError::into_inner);
        if SHARED.get().is_some() {
            return Err(InstallError::Installed);
        }
        let block_words = self.block_bytes / 8;
        let blocks = self.ring_bytes.div_ceil(self.block_bytes.max(1)).max(2);
        let geometry = Geometry { rings: self.rings, blocks, block_words, table_words: self.table_bytes / 8 };
        let words = geometry.words().filter(|_| self.rings > 0 && block_words > 0).ok_or(InstallError::Sizes)?;
        let (file, memory) = match &self.file {
            Some(path) => NewFile::make(path, words).map(|(file, memory)| (Some(file), memory))?,
            None => (None, memory::on_heap(words)),
        };
        let clock = Clock::choose();
        let rate = clock.rate();
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let head = [rate, clock.now(), unix, u64::from(process::id())];
        let region = Region::create(memory, geometry, &head).map_err(|_| InstallError::Sizes)?;
        let rings = region.rings().collect::<Result<Vec<_>, _>>().map_err(|_| InstallError::Sizes)?;
        let places = (geometry.table_words / SMALLEST_ENTRY).min(MOST_SITES as usize);
        let state = Mutex::new(State::new(rings.len(), places));
        // On some systems, the first lock allocates.
        drop(state.lock());
        let Self { filter, redacted, kept, .. } = self;
        file.map_or(Ok(()), |file| file.put(kept))?;
        let shared = Shared { region, rings, clock, filter, redacted, dump_on: OnceLock::new(), state };
        SHARED.set(shared).map_err(|_| InstallError::Installed)?;
        Ok(Recorder(()))
    }
}

/// Why a recorder cannot be installed.
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// The process has a recorder already.
    Installed,
    /// The sizes leave no room for two blocks with a record each, or exceed the address space, or
    /// the rings are more than 65,536.
    Sizes,
    /// The file cannot be made or mapped.
    File(io::Error),
    /// A live process records into a file of this name.
    InUse {
        /// Number of that process, or 0 if it is still starting.
        process: u64,
    },
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installed => f.write_str("the process has a recorder already"),
            Self::Sizes => f.write_str("the sizes are not valid: 1 to 65,536 rings, each with two blocks and room for a record in each, must fit into memory"),
            Self::File(error) => write!(f, "the recorder's file cannot be made: {error}"),
            Self::InUse { process: 0 } => f.write_str("another process is making a recorder's file of this name"),
            Self::InUse { process } => {
                write!(f, "process {process} records into a file of this name: each process needs a file of its own")
            }
        }
    }
}

impl std::error::Error for InstallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The text has the error itself.
            Self::File(error) => error.source(),
            _ => None,
        }
    }
}

/// Files as memory need a Unix system.
#[cfg(not(unix))]
enum NewFile {}

#[cfg(not(unix))]
impl NewFile {
    fn make(_: &std::path::Path, _: usize) -> Result<(Self, &'static [crate::ring::Word]), InstallError> {
        Err(InstallError::File(io::ErrorKind::Unsupported.into()))
    }

    fn put(self, _: usize) -> Result<(), InstallError> {
        match self {}
    }
}
