//! Requests for dumps, from code that cannot write a dump itself: a signal handler, or a thread
//! that must not wait.

use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use crate::dumps::Dumps;
use crate::pending::Pending;
use crate::recorder::Recorder;

/// A handle that requests dumps, also from a signal handler. [`Dumps::on_request`] makes it.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    pending: Arc<Pending>,
    pipe: Arc<PipeWriter>,
    recorder: Recorder,
}

impl DumpRequest {
    /// Requests a dump, without waiting for it.
    ///
    /// The dump has all records that the calling thread wrote before. Calls before the start of a
    /// dump share that dump.
    ///
    /// Safe in a signal handler: it changes an atomic, and writes 8 bytes into a pipe that has
    /// room. It takes no lock and allocates nothing. The handler must not drop the last request. A
    /// write that fails sets `errno`, so a handler has to restore it.
    pub fn dump(&self) {
        // The dump has the last moments before this tick, however late the serving thread is.
        let now = self.recorder.ticks();
        if self.pending.request() {
            // The write fails if the serving thread has panicked: then no more dumps are written.
            // Eight bytes are written atomically.
            let _ = (&*self.pipe).write(&now.to_ne_bytes());
        }
    }
}

impl Dumps {
    /// Starts a thread that writes each requested dump, and calls `done` with its path or the
    /// error.
    ///
    /// The thread ends when the request and all its clones are dropped.
    ///
    /// # Examples
    /// ```no_run
    /// use std::sync::OnceLock;
    /// use aqueduct_recorder::{Builder, DumpRequest, Dumps};
    ///
    /// static REQUEST: OnceLock<DumpRequest> = OnceLock::new();
    ///
    /// /// The handler of a signal, for `sigaction`.
    /// extern "C" fn handle(_signal: i32) {
    ///     if let Some(request) = REQUEST.get() {
    ///         request.dump();
    ///     }
    /// }
    ///
    /// let recorder = Builder::new().install()?;
    /// let request = Dumps::new("/var/log/server").keep_files(10).on_request(recorder, |_| ())?;
    /// REQUEST.set(request).expect("it is set once");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of making a pipe and a thread.
    pub fn on_request(
        self,
        recorder: Recorder,
        done: impl FnMut(io::Result<PathBuf>) + Send + 'static,
    ) -> io::Result<DumpRequest> {
        let (reader, writer) = io::pipe()?;
        let pending = Arc::new(Pending::new());
        let request = DumpRequest { pending: Arc::clone(&pending), pipe: Arc::new(writer), recorder };
        thread::Builder::new().name("dumps".to_owned()).spawn(move || self.serve(recorder, &pending, reader, done))?;
        Ok(request)
    }

    fn serve(
        &self,
        recorder: Recorder,
        pending: &Pending,
        mut pipe: PipeReader,
        mut done: impl FnMut(io::Result<PathBuf>),
    ) {
        let mut ticks = [0; 8];
        while pipe.read_exact(&mut ticks).is_ok() {
            pending.begin();
            done(self.write_requested(recorder, u64::from_ne_bytes(ticks)));
        }
    }
}
