//! Messages that overwrite the oldest ones: one process writes as fast as it can, and another one
//! reads.
//!
//! The reader checks each message's bytes, and that numbers grow. A queue that counts what the
//! reader has lost is checked: read and lost messages add up to the written ones.

use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Threads};
use aqueduct_shm::drop_old::{self, records};
use aqueduct_shm::{Place, PopError, Region};

use crate::control::{Control, refused};
use crate::kinds::iceoryx2::Overflow;
use crate::link::{Came, receive_by_spinning};
use crate::message::{Large, Line, Message, Small};
use crate::plan::{Follower, Plan};
use crate::process::{Cores, OVER, Other, READY, expect};
use crate::work::{Led, Task, now};

/// A transport in which a message overwrites the oldest one.
pub(crate) trait Overwrites: 'static {
    const NAME: &'static str;
    const ROLE: Role;
    type Writer<M: Message>;
    type Reader<M: Message>;

    /// Makes the queue, and sends the other process its location.
    fn writer<M: Message>(task: &Task, control: &Control) -> Result<Self::Writer<M>, Fault>;

    /// Opens the queue, before the first message is written.
    fn reader<M: Message>(task: &Task, control: &Control) -> Result<Self::Reader<M>, Fault>;

    fn write<M: Message>(writer: &mut Self::Writer<M>, message: M) -> Result<(), Fault>;

    fn read<M: Message>(reader: &mut Self::Reader<M>) -> Result<Option<M>, Fault>;

    /// Returns the number of messages that the reader has lost, if it counts them.
    fn lost<M: Message>(reader: &Self::Reader<M>) -> Option<u64>;
}

/// The queue of `aqueduct-shm`.
struct DropOld;

impl DropOld {
    fn open<M: Message>(task: &Task, region: Option<Region>) -> Result<drop_old::Queue<M, Region>, Fault> {
        let geometry = drop_old::Geometry::new::<M>(1, task.capacity).map_err(refused)?;
        let region = match region {
            Some(region) => region,
            None => Region::anonymous("aqueduct bench", geometry.bytes()).map_err(refused)?,
        };
        drop_old::Queue::in_region(region, geometry, 0).map_err(refused)
    }
}

impl Overwrites for DropOld {
    const NAME: &'static str = "aqueduct/drop_old";
    const ROLE: Role = Role::Ours;
    type Writer<M: Message> = drop_old::Producer<M, Place>;
    type Reader<M: Message> = drop_old::Reader<M, Region>;

    fn writer<M: Message>(task: &Task, control: &Control) -> Result<Self::Writer<M>, Fault> {
        let queue = Self::open(task, None)?;
        queue.memory().send(control.socket()).map_err(refused)?;
        queue.take_producer().map_err(refused)
    }

    fn reader<M: Message>(task: &Task, control: &Control) -> Result<Self::Reader<M>, Fault> {
        let region = Region::receive(control.socket()).map_err(refused)?;
        Self::open(task, Some(region))?.reader().map_err(refused)
    }

    #[inline(always)]
    fn write<M: Message>(writer: &mut Self::Writer<M>, message: M) -> Result<(), Fault> {
        writer.push(message).map_err(refused)
    }

    #[inline(always)]
    fn read<M: Message>(reader: &mut Self::Reader<M>) -> Result<Option<M>, Fault> {
        match reader.read() {
            Ok(message) => Ok(Some(message)),
            Err(PopError::Empty | PopError::Contended) => Ok(None),
            Err(why) => Err(refused(why)),
        }
    }

    fn lost<M: Message>(reader: &Self::Reader<M>) -> Option<u64> {
        Some(reader.lost())
    }
}

/// The queue of records of `aqueduct-shm`.
struct DropOldRecords;

impl DropOldRecords {
    /// The bytes of the task's records, with the words before them.
    fn room<M>(task: &Task) -> usize {
        task.capacity.saturating_mul(size_of::<M>() + 16)
    }

    fn open<M>(task: &Task, region: Region) -> Result<records::Queue<Region>, Fault> {
        records::Queue::in_region(region, Self::room::<M>(task), 0).map_err(refused)
    }
}

impl Overwrites for DropOldRecords {
    const NAME: &'static str = "aqueduct/drop_old_records";
    const ROLE: Role = Role::Ours;
    type Writer<M: Message> = records::Producer<Place>;
    type Reader<M: Message> = records::Reader<Region>;

    fn writer<M: Message>(task: &Task, control: &Control) -> Result<Self::Writer<M>, Fault> {
        let geometry = records::Geometry::new(Self::room::<M>(task)).map_err(refused)?;
        let region = Region::anonymous("aqueduct bench", geometry.bytes()).map_err(refused)?;
        region.send(control.socket()).map_err(refused)?;
        Self::open::<M>(task, region)?.take_producer().map_err(refused)
    }

    fn reader<M: Message>(task: &Task, control: &Control) -> Result<Self::Reader<M>, Fault> {
        let region = Region::receive(control.socket()).map_err(refused)?;
        Self::open::<M>(task, region)?.reader().map_err(refused)
    }

    #[inline(always)]
    fn write<M: Message>(writer: &mut Self::Writer<M>, message: M) -> Result<(), Fault> {
        writer.push(message.as_bytes()).map_err(refused)
    }

    #[inline(always)]
    fn read<M: Message>(reader: &mut Self::Reader<M>) -> Result<Option<M>, Fault> {
        let mut message = M::default();
        match reader.read(message.as_bytes_mut()) {
            Ok(len) if len == size_of::<M>() => Ok(Some(message)),
            Ok(_) => Err(Fault::WrongAnswer("a record has another length")),
            Err(PopError::Empty | PopError::Contended) => Ok(None),
            Err(why) => Err(refused(why)),
        }
    }

    fn lost<M: Message>(reader: &Self::Reader<M>) -> Option<u64> {
        Some(reader.lost())
    }
}

/// An action on each transport.
trait VisitOverwriting {
    fn visit<K: Overwrites>(&mut self);
}

fn visit(visitor: &mut impl VisitOverwriting) {
    visitor.visit::<DropOld>();
    visitor.visit::<DropOldRecords>();
    visitor.visit::<Overflow>();
}

/// Returns the names of the transports.
pub(crate) fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);

    impl VisitOverwriting for Names {
        fn visit<K: Overwrites>(&mut self) {
            self.0.push(K::NAME);
        }
    }

    let mut names = Names(Vec::new());
    visit(&mut names);
    names.0
}

/// Adds the cells of a task.
pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, task: Task, cores: Cores) {
    struct Adding<'a> {
        cells: &'a mut Vec<Cell<'static>>,
        plan: &'a Plan,
        task: Task,
        cores: Cores,
    }

    impl VisitOverwriting for Adding<'_> {
        fn visit<K: Overwrites>(&mut self) {
            let Self { cells, plan, task, cores } = self;
            if crate::is_asked(plan, K::NAME) && (K::ROLE != Role::Peer || plan.peers) {
                let (follower, cores) = (plan.follower.clone(), *cores);
                let run = move |task| measure::<K>(task, cores, &follower);
                cells.push(crate::cell(K::NAME, K::ROLE, *task, Threads::PAIR, cores.placement(), run));
            }
        }
    }

    visit(&mut Adding { cells, plan, task, cores });
}

/// The word that the other process receives in place of a transport's name.
pub(crate) const WORD: &str = "drop_old";

fn measure<K: Overwrites>(task: Task, cores: Cores, follower: &Follower) -> Result<Led, Fault> {
    use aqueduct_measure::crew::{apart, task as part};
    apart(part(move || {
        machine::pin(cores.ours);
        match task.bytes {
            bytes if bytes == size_of::<Small>() => lead::<K, Small>(task, cores, follower),
            bytes if bytes == size_of::<Line>() => lead::<K, Line>(task, cores, follower),
            _ => lead::<K, Large>(task, cores, follower),
        }
    }))
}

fn lead<K: Overwrites, M: Message>(task: Task, cores: Cores, follower: &Follower) -> Result<Led, Fault> {
    let (other, control) = Other::start(follower)?;
    let core = cores.theirs.map_or_else(String::new, |core| core.to_string());
    for text in [WORD, K::NAME, &task.to_string(), &core] {
        control.send_text(text)?;
    }
    let mut writer = K::writer::<M>(&task, &control)?;
    expect(&control, READY)?;
    let began = now();
    for number in 0..task.amount {
        K::write(&mut writer, M::numbered(number))?;
    }
    let over = now();
    let text = expect(&control, OVER)?;
    let counts: Vec<u64> = text.split_whitespace().filter_map(|count| count.parse().ok()).collect();
    control.send_text(READY)?;
    other.join()?;
    drop(writer);
    match counts[..] {
        [read] => Ok(Led { began, over, times: None, read: Some(read) }),
        [read, lost] if read + lost == task.amount => Ok(Led { began, over, times: None, read: Some(read) }),
        _ => Err(Fault::WrongAnswer("what was read and what was lost is not what was written")),
    }
}

/// Reads, as the measuring process requests.
pub(crate) fn follow(control: &Control) -> Result<(), Fault> {
    struct Following<'a> {
        control: &'a Control,
        name: &'a str,
        task: Task,
        outcome: Result<(), Fault>,
    }

    impl VisitOverwriting for Following<'_> {
        fn visit<K: Overwrites>(&mut self) {
            if K::NAME == self.name {
                self.outcome = match self.task.bytes {
                    bytes if bytes == size_of::<Small>() => read_all::<K, Small>(self.task, self.control),
                    bytes if bytes == size_of::<Line>() => read_all::<K, Line>(self.task, self.control),
                    _ => read_all::<K, Large>(self.task, self.control),
                };
            }
        }
    }

    let (name, task) = (control.receive_text()?, control.receive_text()?.parse().map_err(Fault::Refused)?);
    machine::pin(control.receive_text()?.parse().ok());
    let outcome = Err(Fault::Refused(format!("nothing is overwritten by `{name}`")));
    let mut following = Following { control, name: &name, task, outcome };
    visit(&mut following);
    following.outcome
}

fn read_all<K: Overwrites, M: Message>(task: Task, control: &Control) -> Result<(), Fault> {
    let mut reader = K::reader::<M>(&task, control)?;
    control.send_text(READY)?;
    let (mut next, mut count) = (0, 0_u64);
    // No message overwrites the last one.
    while next < task.amount {
        let came = receive_by_spinning(|| {
            Ok(K::read::<M>(&mut reader)?.map_or(Came::Nothing, |message| {
                let number = message.number();
                let is_right = number >= next && number < task.amount && message.has(number);
                next = number.saturating_add(1);
                Came::is_right(is_right)
            }))
        })?;
        if came == Came::Wrong {
            return Err(Fault::WrongAnswer("a message came that was not written, or out of order"));
        }
        count += 1;
    }
    let lost = K::lost(&reader).map_or_else(String::new, |lost| lost.to_string());
    control.send_text(&format!("{OVER} {count} {lost}"))?;
    control.receive_text().map(drop)
}
