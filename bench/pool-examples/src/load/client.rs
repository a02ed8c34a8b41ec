//! A client on the calling thread, with many connections.
//!
//! In a *closed loop*, each connection has a number of open requests all the time: this measures
//! how many the server answers. In an *open loop*, requests become due at a given rate, whatever
//! the server does, and each time counts from when its request was due, also if no connection was
//! free then: this measures how long a user waits.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::times::Times;
use polling::{Event, Events, PollMode, Poller};
use quanta::Clock;

use super::wire::{Protocol, Wire};

/// A client's workload.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The protocol of all connections.
    pub protocol: Protocol,
    /// The number of connections.
    pub connections: usize,
    /// The greatest number of open requests on a connection.
    pub streams: usize,
    /// Requests a second in an open loop; a closed loop has none.
    pub rate: Option<f64>,
    /// The time for which the client sends requests.
    pub time: Duration,
}

/// A client's observations.
#[derive(Debug)]
pub(super) struct Seen {
    /// The times of the answers.
    pub(super) times: Times,
    /// From the first request to the last answer.
    pub(super) elapsed: Duration,
    /// The client's own processor time.
    pub(super) processor: Duration,
}

/// A socket and its bytes to be written.
#[derive(Debug)]
struct Connection {
    socket: TcpStream,
    wire: Wire,
    out: Vec<u8>,
}

impl Connection {
    fn flush(&mut self) -> io::Result<()> {
        // A socket's buffer has room for all requests that can be open.
        self.socket.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

/// The times at which requests become due, with gaps as they are between independent users.
struct Schedule {
    random: fastrand::Rng,
    mean_gap: f64,
    next: f64,
}

impl Schedule {
    /// Returns the next due time if it is not after `now`.
    fn due(&mut self, now: u64) -> Option<u64> {
        let due = self.next as u64;
        if due > now {
            return None;
        }
        self.next -= self.mean_gap * (1.0 - self.random.f64()).ln();
        Some(due)
    }
}

/// Puts load on a server.
///
/// # Errors
/// If a connection fails, or an answer is wrong.
pub(super) fn run(address: SocketAddr, load: Load) -> io::Result<Seen> {
    let (clock, poller) = (Clock::new(), Poller::new()?);
    let mut connections = Vec::new();
    for key in 0..load.connections {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        // SAFETY: the poller is dropped after `poll` below has ended, and the sockets are deleted
        // before that.
        unsafe { poller.add_with_mode(&socket, Event::readable(key), PollMode::Level)? };
        let mut out = Vec::new();
        let wire = Wire::new(load.protocol, &mut out);
        connections.push(Connection { socket, wire, out });
    }
    let seen = drive(&clock, &poller, &mut connections, load);
    connections.iter().try_for_each(|connection| poller.delete(&connection.socket))?;
    seen
}

fn drive(clock: &Clock, poller: &Poller, connections: &mut [Connection], load: Load) -> io::Result<Seen> {
    let mut times = Times::new(clock);
    let (began, ran_before) = (Instant::now(), machine::time_on_core().unwrap_or_default());
    let start = clock.raw();
    let ticks = |rate: f64| 1e9 / rate / clock.delta_as_nanos(0, 1 << 20) as f64 * f64::from(1 << 20);
    let mut schedule = load.rate.map(|rate| Schedule {
        random: fastrand::Rng::with_seed(1),
        mean_gap: ticks(rate),
        next: start as f64,
    });
    let mut waiting = VecDeque::new();
    let (mut events, mut buffer, mut turn) = (Events::new(), vec![0; 1 << 16], 0);
    loop {
        let now = clock.raw();
        let is_over = began.elapsed() >= load.time;
        if is_over && connections.iter().all(|connection| connection.wire.open() == 0) {
            break;
        }
        match &mut schedule {
            _ if is_over => {}
            None => {
                for connection in &mut *connections {
                    while connection.wire.open() < load.streams {
                        connection.wire.add_request(now, &mut connection.out);
                    }
                }
            }
            Some(schedule) => {
                waiting.extend(std::iter::from_fn(|| schedule.due(now)));
                for _ in 0..connections.len() {
                    turn = (turn + 1) % connections.len();
                    let connection = &mut connections[turn];
                    if connection.wire.open() < load.streams
                        && let Some(due) = waiting.pop_front()
                    {
                        connection.wire.add_request(due, &mut connection.out);
                    }
                }
            }
        }
        for connection in connections.iter_mut().filter(|connection| !connection.out.is_empty()) {
            connection.flush()?;
        }
        let gap = schedule
            .as_ref()
            .filter(|_| !is_over && waiting.is_empty())
            .map(|schedule| Duration::from_nanos(clock.delta_as_nanos(clock.raw(), schedule.next as u64)));
        events.clear();
        poller.wait(&mut events, Some(gap.unwrap_or(Duration::from_millis(100))))?;
        for event in events.iter() {
            let connection = &mut connections[event.key];
            let count = match connection.socket.read(&mut buffer) {
                Ok(0) => return Err(io::Error::other("the server has closed the connection")),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            };
            let now = clock.raw();
            let answered = |since: u64| times.add(now.saturating_sub(since));
            connection.wire.receive(&buffer[..count], &mut connection.out, answered).map_err(io::Error::other)?;
        }
        if began.elapsed() > load.time + Duration::from_secs(10) {
            return Err(io::Error::other("an answer is missing"));
        }
    }
    let processor = machine::time_on_core().unwrap_or_default().saturating_sub(ran_before);
    Ok(Seen { times, elapsed: began.elapsed(), processor })
}
