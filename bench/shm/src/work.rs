//! The work of each of the two sides.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use aqueduct_measure::rounds::Fault;
use aqueduct_measure::times::Times;
use quanta::Clock;
use rustix::time::{ClockId, clock_gettime};

use crate::link::{Came, Link, receive_by_spinning, spin};
use crate::plan::{Experiment, Wait};

/// Round trips before the first one that counts.
const WARM: u64 = 100;

/// The work with one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) experiment: Experiment,
    pub(crate) wait: Wait,
    pub(crate) bytes: usize,
    pub(crate) capacity: usize,
    /// Messages that count.
    pub(crate) amount: u64,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { experiment, wait, bytes, capacity, amount } = self;
        write!(f, "{} {} {bytes} {capacity} {amount}", experiment.name(), wait.name())
    }
}

impl FromStr for Task {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[experiment, wait, bytes, capacity, amount] = &words[..] else { return Err(format!("no task: {text}")) };
        let number = |text: &str| text.parse::<u64>().map_err(|why| why.to_string());
        Ok(Self {
            experiment: experiment.parse()?,
            wait: wait.parse()?,
            bytes: number(bytes)? as usize,
            capacity: number(capacity)? as usize,
            amount: number(amount)?,
        })
    }
}

/// The result of the leading side.
#[derive(Debug)]
pub(crate) struct Led {
    /// The time at which the first message that counts was sent.
    pub(crate) began: Duration,
    /// The time at which the last one came back.
    pub(crate) over: Duration,
    /// Each round trip's time.
    pub(crate) times: Option<Times>,
    /// The number of messages that the other side has read, if the rest was overwritten.
    pub(crate) read: Option<u64>,
}

/// Returns the time since the machine started, which is equal for all of its processes.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

// A link is moved into the loop that uses it, and comes back: its state can live in registers.
impl Task {
    /// Runs the side that begins.
    pub(crate) fn lead<M, L: Link<M>>(&self, link: L) -> Result<(Led, L), Fault> {
        match (self.experiment, self.wait) {
            (Experiment::Throughput, Wait::Spin) => self.send_all::<M, L, false>(link),
            (Experiment::Throughput, Wait::Sleep) => self.send_all::<M, L, true>(link),
            (_, Wait::Spin) => self.send_and_receive::<M, L, false>(link),
            (_, Wait::Sleep) => self.send_and_receive::<M, L, true>(link),
        }
    }

    /// Runs the other side. Returns the time at which it had received the last message.
    pub(crate) fn follow<M, L: Link<M>>(&self, link: L) -> Result<(Duration, L), Fault> {
        match (self.experiment, self.wait) {
            (Experiment::Throughput, Wait::Spin) => self.receive_all::<M, L, false>(link),
            (Experiment::Throughput, Wait::Sleep) => self.receive_all::<M, L, true>(link),
            (_, Wait::Spin) => self.send_back::<M, L, false>(link),
            (_, Wait::Sleep) => self.send_back::<M, L, true>(link),
        }
    }

    fn send_all<M, L: Link<M>, const SLEEPS: bool>(&self, mut link: L) -> Result<(Led, L), Fault> {
        let began = now();
        for number in 0..self.amount {
            send::<M, SLEEPS>(&mut link, number)?;
        }
        Ok((Led { began, over: began, times: None, read: None }, link))
    }

    fn receive_all<M, L: Link<M>, const SLEEPS: bool>(&self, mut link: L) -> Result<(Duration, L), Fault> {
        for number in 0..self.amount {
            receive::<M, SLEEPS>(&mut link, number)?;
        }
        Ok((now(), link))
    }

    fn send_and_receive<M, L: Link<M>, const SLEEPS: bool>(&self, mut link: L) -> Result<(Led, L), Fault> {
        let clock = Clock::new();
        let mut times = Times::new(&clock);
        let mut trip = |number| {
            let start = clock.raw();
            send::<M, SLEEPS>(&mut link, number)?;
            receive::<M, SLEEPS>(&mut link, number)?;
            Ok(clock.raw().saturating_sub(start))
        };
        for number in 0..WARM {
            trip(number)?;
        }
        let began = now();
        for number in WARM..WARM + self.amount {
            times.add(trip(number)?);
        }
        Ok((Led { began, over: now(), times: Some(times), read: None }, link))
    }

    fn send_back<M, L: Link<M>, const SLEEPS: bool>(&self, mut link: L) -> Result<(Duration, L), Fault> {
        for number in 0..WARM + self.amount {
            receive::<M, SLEEPS>(&mut link, number)?;
            send::<M, SLEEPS>(&mut link, number)?;
        }
        Ok((now(), link))
    }
}

#[inline(always)]
fn send<M, const SLEEPS: bool>(link: &mut impl Link<M>, number: u64) -> Result<(), Fault> {
    if SLEEPS { link.send(number) } else { spin(|| link.try_send(number)) }
}

#[inline(always)]
fn receive<M, const SLEEPS: bool>(link: &mut impl Link<M>, number: u64) -> Result<(), Fault> {
    let came = if SLEEPS { link.receive(number)? } else { receive_by_spinning(|| link.try_receive(number))? };
    if came == Came::Right { Ok(()) } else { Err(Fault::WrongAnswer("another message came than was sent")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Line, Message};

    /// A link whose messages have the numbers that a function returns for the expected ones.
    struct Scripted(fn(u64) -> u64);

    impl Link<Line> for Scripted {
        fn try_send(&mut self, _: u64) -> Result<bool, Fault> {
            Ok(true)
        }

        fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
            Ok(Came::is_right(Line::numbered((self.0)(number)).has(number)))
        }
    }

    fn task(experiment: Experiment, wait: Wait) -> Task {
        Task { experiment, wait, bytes: 64, capacity: 8, amount: 50 }
    }

    #[test]
    fn another_message_than_the_one_that_is_due_is_a_fault() {
        for wait in Wait::ALL {
            for experiment in [Experiment::RoundTrip, Experiment::Throughput] {
                let task = task(experiment, wait);
                assert!(task.follow::<Line, _>(Scripted(|number| number)).is_ok());
                // One is lost, and one comes twice.
                for script in [|number| number + u64::from(number >= 30), |number| number - u64::from(number >= 30)] {
                    let fault = task.follow::<Line, _>(Scripted(script)).map(|_| ()).expect_err("it is another one");
                    assert!(matches!(fault, Fault::WrongAnswer(_)), "{fault}");
                }
            }
            let (led, _) = task(Experiment::RoundTrip, wait).lead::<Line, _>(Scripted(|number| number)).expect("right");
            assert_eq!(led.times.map(|times| times.count()), Some(50));
        }
    }

    #[test]
    fn a_task_is_read_as_it_is_written() {
        let task = task(Experiment::RoundTrip, Wait::Sleep);
        assert_eq!(task.to_string().parse(), Ok(task));
        assert!("round_trip sleep 8".parse::<Task>().is_err());
    }
}
