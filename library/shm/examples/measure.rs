//! Round trips and throughput between two processes: the queues beside a pipe and a Unix socket.
//!
//! `cargo run --release -p aqueduct-shm --example measure [rounds [messages]]`. On a busy machine,
//! the minimum of many rounds is the most useful: a process that waits for the processor measures
//! the others.

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};
    use std::{env, hint, io, process, thread};

    use aqueduct_shm::{Memory, Place, Region, items, records};

    type Failure = Box<dyn std::error::Error>;

    /// A timeout that no operation reaches.
    const LONG: Duration = Duration::from_secs(60);
    const CAPACITY: usize = 1024;
    const BYTES: usize = 1 << 20;
    const LARGE: usize = 4096;

    /// A link that carries messages in both directions.
    trait Link {
        fn send(&mut self, message: &[u8]);
        fn receive(&mut self, message: &mut [u8]);
    }

    /// Repeats the attempt until it succeeds, and yields from time to time: there may be one
    /// processor only.
    fn spin(mut attempt: impl FnMut() -> bool) {
        for round in 1_u32.. {
            if attempt() {
                break;
            }
            if round % 4096 == 0 {
                thread::yield_now();
            }
            hint::spin_loop();
        }
    }

    struct Items<M: Memory> {
        out: items::Producer<u64, M>,
        back: items::Consumer<u64, M>,
        waits: bool,
    }

    impl<M: Memory> Link for Items<M> {
        fn send(&mut self, message: &[u8]) {
            let item = u64::from_ne_bytes(message.try_into().expect("8 bytes"));
            if self.waits {
                self.out.push_wait(item, LONG).expect("the other side pops");
            } else {
                spin(|| self.out.push(item).is_ok());
            }
        }

        fn receive(&mut self, message: &mut [u8]) {
            let mut item = 0;
            if self.waits {
                item = self.back.pop_wait(LONG).expect("the other side pushes");
            } else {
                spin(|| self.back.pop().map(|found| item = found).is_ok());
            }
            message.copy_from_slice(&item.to_ne_bytes());
        }
    }

    struct Records {
        out: records::Producer<Place>,
        back: records::Consumer<Place>,
        waits: bool,
    }

    impl Link for Records {
        fn send(&mut self, message: &[u8]) {
            if self.waits {
                self.out.push_wait(message, LONG).expect("the other side pops");
            } else {
                spin(|| self.out.push(message).is_ok());
            }
        }

        fn receive(&mut self, message: &mut [u8]) {
            if self.waits {
                self.back.pop_wait(message, LONG).expect("the other side pushes");
            } else {
                spin(|| self.back.pop(message).is_ok());
            }
        }
    }

    /// A pipe or a socket.
    struct Stream(File, File);

    impl Link for Stream {
        fn send(&mut self, message: &[u8]) {
            self.0.write_all(message).expect("the other side reads");
        }

        fn receive(&mut self, message: &mut [u8]) {
            self.1.read_exact(message).expect("the other side writes");
        }
    }

    /// A measured task.
    #[derive(Clone, Copy)]
    struct Task {
        /// Number of messages. Each of them is answered, or only the last one.
        count: u64,
        is_round_trip: bool,
        len: usize,
    }

    impl Task {
        fn arguments(&self) -> [String; 3] {
            [self.count.to_string(), u8::from(self.is_round_trip).to_string(), self.len.to_string()]
        }

        /// Runs the measuring side. Returns nanoseconds per message.
        fn lead(&self, link: &mut impl Link) -> f64 {
            let mut message = vec![7; self.len];
            // Wait for the other side.
            link.send(&message);
            link.receive(&mut message);
            let start = Instant::now();
            for _ in 0..self.count {
                link.send(&message);
                if self.is_round_trip {
                    link.receive(&mut message);
                }
            }
            if !self.is_round_trip {
                link.receive(&mut message);
            }
            start.elapsed().as_nanos() as f64 / self.count as f64
        }

        fn follow(&self, link: &mut impl Link) {
            let mut message = vec![0; self.len];
            link.receive(&mut message);
            link.send(&message);
            for _ in 0..self.count {
                link.receive(&mut message);
                if self.is_round_trip {
                    link.send(&message);
                }
            }
            if !self.is_round_trip {
                link.send(&message);
            }
        }
    }

    const WAYS: [&str; 7] =
        ["items, threads", "items", "items, asleep", "records", "records, asleep", "pipe", "socket"];

    /// The queues of a side, which pushes to the first one.
    fn items_of(name: &str, is_leader: bool, waits: bool) -> Result<Items<Place>, Failure> {
        let open = |end: &str| {
            let region = Region::named(&format!("{name}-{end}"), 1 << 16, 0o600)?;
            Ok::<_, Failure>(items::Queue::<u64, _>::in_region(region, CAPACITY, 0)?)
        };
        let [out, back] = if is_leader { ["a", "b"] } else { ["b", "a"] };
        Ok(Items { out: open(out)?.take_producer()?, back: open(back)?.take_consumer()?, waits })
    }

    fn records_of(name: &str, is_leader: bool, waits: bool) -> Result<Records, Failure> {
        let open = |end: &str| {
            let region = Region::named(&format!("{name}-{end}"), 4 * BYTES, 0o600)?;
            Ok::<_, Failure>(records::Queue::in_region(region, BYTES, 0)?)
        };
        let [out, back] = if is_leader { ["a", "b"] } else { ["b", "a"] };
        Ok(Records { out: open(out)?.take_producer()?, back: open(back)?.take_consumer()?, waits })
    }

    fn child(way: &str, name: &str, task: Task, input: Stdio, output: Stdio) -> io::Result<Child> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("child").arg(way).arg(name).args(task.arguments()).stdin(input).stdout(output).spawn()
    }

    /// Runs a child's side.
    fn follow(arguments: &[String]) -> Result<(), Failure> {
        let [way, name, count, is_round_trip, len] = arguments else { return Err("five arguments".into()) };
        let task = Task { count: count.parse()?, is_round_trip: is_round_trip == "1", len: len.parse()? };
        let waits = way.ends_with("asleep");
        match way.split(',').next() {
            Some("items") => task.follow(&mut items_of(name, false, waits)?),
            Some("records") => task.follow(&mut records_of(name, false, waits)?),
            _ => {
                use std::os::fd::AsFd;
                let copy = |file: OwnedFd| File::from(file);
                let input = copy(io::stdin().as_fd().try_clone_to_owned()?);
                // A socket is both input and output.
                let output =
                    if way == "pipe" { copy(io::stdout().as_fd().try_clone_to_owned()?) } else { input.try_clone()? };
                task.follow(&mut Stream(output, input));
            }
        }
        Ok(())
    }

    /// Measures one way once.
    fn measure(way: &str, task: Task) -> Result<f64, Failure> {
        let name = format!("/aqueduct-measure-{}", process::id());
        let waits = way.ends_with("asleep");
        let nothing = || (Stdio::null(), Stdio::null());
        let (time, child) = match way {
            "items, threads" => return threads(task),
            "pipe" => {
                let mut child = child(way, &name, task, Stdio::piped(), Stdio::piped())?;
                let (out, back) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
                let mut link = Stream(OwnedFd::from(out).into(), OwnedFd::from(back).into());
                (task.lead(&mut link), child)
            }
            "socket" => {
                let (ours, theirs) = UnixStream::pair()?;
                let child = child(way, &name, task, OwnedFd::from(theirs).into(), Stdio::null())?;
                let mut link = Stream(OwnedFd::from(ours.try_clone()?).into(), OwnedFd::from(ours).into());
                (task.lead(&mut link), child)
            }
            _ if way.starts_with("items") => {
                let mut link = items_of(&name, true, waits)?;
                let (input, output) = nothing();
                let child = child(way, &name, task, input, output)?;
                (task.lead(&mut link), child)
            }
            _ => {
                let mut link = records_of(&name, true, waits)?;
                let (input, output) = nothing();
                let child = child(way, &name, task, input, output)?;
                (task.lead(&mut link), child)
            }
        };
        let mut child = child;
        if !child.wait()?.success() {
            return Err("the other process failed".into());
        }
        Region::sweep(&name)?;
        Ok(time)
    }

    /// Two threads of this process, on queues on the heap.
    fn threads(task: Task) -> Result<f64, Failure> {
        let [there, back] = [items::Queue::<u64, _>::on_heap(CAPACITY, 0)?, items::Queue::on_heap(CAPACITY, 0)?];
        let mut ours = Items { out: there.producer()?, back: back.consumer()?, waits: false };
        let mut theirs = Items { out: back.producer()?, back: there.consumer()?, waits: false };
        Ok(thread::scope(|scope| {
            scope.spawn(move || task.follow(&mut theirs));
            task.lead(&mut ours)
        }))
    }

    pub(super) fn main() -> Result<(), Failure> {
        let arguments: Vec<String> = env::args().skip(1).collect();
        if arguments.first().is_some_and(|first| first == "child") {
            return follow(&arguments[1..]);
        }
        let rounds = arguments.first().map_or(Ok(15), |rounds| rounds.parse())?;
        let count: u64 = arguments.get(1).map_or(Ok(5_000), |count| count.parse())?;
        let tasks = [
            ("round trip of 8 bytes", Task { count, is_round_trip: true, len: 8 }),
            ("8 bytes, one by one", Task { count: 20 * count, is_round_trip: false, len: 8 }),
            ("4 KiB, one by one", Task { count, is_round_trip: false, len: LARGE }),
        ];
        println!("nanoseconds a message: median of {rounds} rounds (least to greatest)");
        for (title, task) in tasks {
            let ways: Vec<&str> = WAYS.into_iter().filter(|way| task.len == 8 || !way.starts_with("items")).collect();
            let mut times = vec![Vec::new(); ways.len()];
            // Alternating, so that a slow minute affects all of them.
            for _ in 0..rounds {
                for (way, times) in ways.iter().zip(&mut times) {
                    times.push(measure(way, task)?);
                }
            }
            println!("\n{title}");
            for (way, times) in ways.iter().zip(&mut times) {
                times.sort_by(f64::total_cmp);
                let (least, median, greatest) = (times[0], times[times.len() / 2], times[times.len() - 1]);
                println!("  {way:16} {median:9.1}  ({least:.1} to {greatest:.1})");
            }
        }
        Ok(())
    }
}
