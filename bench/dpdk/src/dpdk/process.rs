//! The clients' processes, as the tester sees them.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::setup::{Board, CLIENTS, OVER};
use super::stop::Stopped;

/// The time limit of a client to start, or to turn to another task.
const PATIENCE: Duration = Duration::from_secs(20);

/// The clients, which end with this.
pub(crate) struct Clients {
    board: &'static Board,
    children: Vec<Child>,
}

impl Clients {
    /// Starts them: this program, with `--client`.
    pub(crate) fn start(board: &'static Board, cores: &[usize], prefix: &str, more: &[String]) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|why| why.to_string())?;
        let mut clients = Self { board, children: Vec::new() };
        for client in 0..CLIENTS {
            // The tester has the first core.
            let core = cores.get(client + 1).or(cores.get(1)).or(cores.first()).copied().unwrap_or(0);
            let mut command = Command::new(&program);
            command.args(["--client", &client.to_string(), "--core", &core.to_string(), "--prefix", prefix, "--"]);
            let child = command.args(more).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
            clients.children.push(child.map_err(|why| why.to_string())?);
        }
        Ok(clients)
    }

    /// Gives the first `count` clients a task, and waits until they have begun it.
    pub(crate) fn turn_to(&mut self, task: u32, count: usize) -> Result<(), String> {
        let begin = Instant::now();
        for client in 0..count {
            self.board.task[client].store(task, Ordering::Release);
        }
        for client in 0..count {
            while self.board.at[client].load(Ordering::Acquire) != task {
                if let Some(status) = self.children[client].try_wait().map_err(|why| why.to_string())? {
                    return Err(format!("client {client} has ended: {status}"));
                }
                if begin.elapsed() > PATIENCE {
                    return Err(format!("client {client} does not answer"));
                }
                sleep(Duration::from_micros(20));
            }
        }
        Ok(())
    }

    /// Returns a count that grows while the client's calls of ports come back.
    pub(crate) fn beats(&self, client: usize) -> u64 {
        // Ordering: Relaxed, it is a number.
        self.board.beats[client].0.load(Ordering::Relaxed)
    }

    /// Lets the client execute `instructions` more, and stops it until the result is dropped.
    pub(crate) fn stop(&self, client: usize, instructions: u64) -> Result<Stopped, String> {
        Stopped::after(self.children[client].id(), instructions)
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        for client in 0..self.children.len() {
            self.board.task[client].store(OVER, Ordering::Release);
        }
        let begin = Instant::now();
        for child in &mut self.children {
            while begin.elapsed() < Duration::from_secs(2) && matches!(child.try_wait(), Ok(None)) {
                sleep(Duration::from_millis(1));
            }
            // A client that has ended cannot be killed, which is not an error.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
