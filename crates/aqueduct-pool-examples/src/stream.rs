//! What hyper needs of a runtime: sockets, of async-io here; and tasks and timers, of the pool.

use std::future::Future;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use aqueduct_pool::{task, time};
use async_io::Async;
use hyper::rt::{Executor, Read, ReadBufCursor, Timer, Write};

/// A socket.
#[derive(Debug)]
pub struct Stream(pub Async<TcpStream>);

impl Stream {
    /// Repeats an operation until the socket is ready for it.
    fn drive<T>(
        &self,
        context: &mut Context<'_>,
        ready: fn(&Async<TcpStream>, &mut Context<'_>) -> Poll<io::Result<()>>,
        mut operation: impl FnMut(&TcpStream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        loop {
            match operation(self.0.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready!(ready(&self.0, context))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return Poll::Ready(result),
            }
        }
    }
}

impl Read for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, mut to: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut buffer = [0; 8192];
        let room = buffer.len().min(to.remaining());
        let read = |mut socket: &TcpStream| io::Read::read(&mut socket, &mut buffer[..room]);
        let count = ready!(self.drive(context, Async::poll_readable, read))?;
        to.put_slice(&buffer[..count]);
        Poll::Ready(Ok(()))
    }
}

impl Write for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.drive(context, Async::poll_writable, |mut socket| io::Write::write(&mut socket, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.drive(context, Async::poll_writable, |mut socket| io::Write::write_vectored(&mut socket, slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.get_ref().shutdown(Shutdown::Write))
    }
}

/// The pool of the caller, as hyper's executor.
#[derive(Clone, Copy, Debug)]
pub struct Tasks;

impl<F: Future<Output: Send + 'static> + Send + 'static> Executor<F> for Tasks {
    fn execute(&self, future: F) {
        task::spawn(future).detach();
    }
}

/// The pool's timers, as hyper's.
#[derive(Clone, Copy, Debug)]
pub struct Timers;

impl Timer for Timers {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Sleep(time::sleep(duration)))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Sleep(time::sleep_until(deadline)))
    }
}

/// A timer.
#[derive(Debug)]
struct Sleep(time::Sleep);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl hyper::rt::Sleep for Sleep {}
