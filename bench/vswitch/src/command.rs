//! `aqueduct vswitch`: its options, and its run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_measure::rounds::Observer;
use clap::{Args, value_parser};
use thiserror::Error;

use crate::measure::{Figure, Plan, Tables, WorkloadName, check, measure};
use crate::placement::Placement;
use crate::ports::Kind;
use crate::replay::{self, ReplayError, Summary, replay_into};
use crate::workload::{WorkloadError, check_switch_batch};

/// Measures a virtual Ethernet switch on each kind of queue, or forwards a capture through it.
#[derive(Args, Clone, Debug)]
pub struct VswitchArgs {
    /// Kinds of queues, separated by commas [default: all; for --pcap: ring].
    #[arg(long, visible_alias = "kinds", value_enum, value_delimiter = ',')]
    pub queues: Vec<Kind>,

    /// Frames that each queue holds.
    #[arg(long, default_value_t = 256)]
    pub capacity: usize,

    /// Frames that the switch takes from a queue at once (B_V).
    #[arg(long, value_name = "B_V", default_value_t = 8)]
    pub switch_batch: usize,

    /// The switch's core, then the clients' cores, separated by commas [default: all, the first for
    /// the switch].
    #[arg(long, value_delimiter = ',')]
    pub cores: Vec<usize>,

    /// Workloads to measure, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["flood", "request_response"], conflicts_with = "pcap")]
    pub workload: Vec<WorkloadName>,

    /// Numbers of clients (N_C), separated by commas.
    #[arg(long, value_name = "N_C", value_delimiter = ',', default_value = "8", conflicts_with = "pcap")]
    pub clients: Vec<usize>,

    /// Frames that a client sends at once (B_C), separated by commas.
    #[arg(long, value_name = "B_C", value_delimiter = ',', default_value = "1,8", conflicts_with = "pcap")]
    pub client_batch: Vec<usize>,

    /// The number of rounds, each of which measures everything once.
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u16).range(1..), conflicts_with = "pcap")]
    pub rounds: u16,

    /// The duration of each measurement, in milliseconds; a quarter more warms up.
    #[arg(long, value_name = "MS", default_value_t = 150, value_parser = value_parser!(u64).range(1..=60_000), conflicts_with = "pcap")]
    pub time: u64,

    /// Write the figures to this file, one JSON object per line.
    #[arg(long, value_name = "FILE", conflicts_with = "pcap")]
    pub json: Option<PathBuf>,

    /// Forward this capture instead of measuring: each station that sends in it becomes a client.
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,

    /// Write what each station receives to MAC.pcap in this folder.
    #[arg(long, value_name = "DIR", requires = "pcap")]
    pub out: Option<PathBuf>,
}

/// The result of the command.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The figures of a measurement.
    Measured(Vec<Figure>),
    /// The fate of the frames of a capture.
    Forwarded(Summary),
}

/// A command that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VswitchError {
    /// The options make no sense; the text names possible values.
    #[error("{0}")]
    Misuse(String),
    /// A measurement failed.
    #[error(transparent)]
    Workload(WorkloadError),
    /// A replay failed.
    #[error(transparent)]
    Replay(ReplayError),
    /// A file of figures, or the terminal, failed.
    #[error("{}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl VswitchError {
    /// Whether the command line was wrong, rather than the run.
    #[must_use]
    pub fn is_misuse(&self) -> bool {
        matches!(self, Self::Misuse(_))
    }
}

impl From<WorkloadError> for VswitchError {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Accounting(_) => Self::Workload(error),
            setting => Self::Misuse(setting.to_string()),
        }
    }
}

impl From<ReplayError> for VswitchError {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Queue(_) | ReplayError::TooLarge(_) => Self::Misuse(error.to_string()),
            other => Self::Replay(other),
        }
    }
}

/// Runs the command and writes the result to `output`.
///
/// A measurement takes 1.25 x `--time` for each round of each kind in each setting, and reports
/// each to `observer`. Set `stop` to end it early, with the results so far.
///
/// # Errors
/// [`VswitchError`] if the options make no sense, or the run fails.
pub fn run(
    args: &VswitchArgs,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    output: &mut dyn Write,
) -> Result<Outcome, VswitchError> {
    check_queues(args)?;
    let placement = Placement::choose(&args.cores).map_err(VswitchError::Misuse)?;
    let outcome = match &args.pcap {
        Some(file) => Outcome::Forwarded(forward(args, file, placement, output)?),
        None => Outcome::Measured(measure_and_show(args, placement, stop, observer, output)?),
    };
    output.flush().map_err(terminal)?;
    Ok(outcome)
}

/// Describes the run that the options request, without running it.
///
/// # Errors
/// [`VswitchError`], if [`run`] would refuse the options.
pub fn outlook(args: &VswitchArgs) -> Result<String, VswitchError> {
    check_queues(args)?;
    let placement = Placement::choose(&args.cores).map_err(VswitchError::Misuse)?;
    let Some(file) = &args.pcap else {
        return Ok(check(&plan(args, placement))?.to_string());
    };
    let kind = kind_for_capture(args)?;
    Ok(format!("{} is forwarded through {kind} queues of {} frames", file.display(), args.capacity))
}

/// Checks that this build has the queues.
fn check_queues(args: &VswitchArgs) -> Result<(), VswitchError> {
    args.queues.iter().find(|kind| !kind.is_built()).map_or(Ok(()), |kind| {
        Err(VswitchError::Misuse(format!(
            "--queues: this build has no switch of `{kind}` queues; one that has: cargo run --release --features workloads -- vswitch \
             --queues {kind}"
        )))
    })
}

fn plan(args: &VswitchArgs, placement: Placement) -> Plan {
    Plan {
        kinds: if args.queues.is_empty() {
            Kind::ALL.iter().copied().filter(|kind| kind.is_built()).collect()
        } else {
            args.queues.clone()
        },
        workloads: args.workload.clone(),
        clients: args.clients.clone(),
        switch_batch: args.switch_batch,
        client_batches: args.client_batch.clone(),
        capacity: args.capacity,
        rounds: args.rounds.into(),
        time: Duration::from_millis(args.time),
        placement,
    }
}

fn measure_and_show(
    args: &VswitchArgs,
    placement: Placement,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    output: &mut dyn Write,
) -> Result<Vec<Figure>, VswitchError> {
    let plan = plan(args, placement);
    check(&plan)?;
    // The file is opened first: a path that cannot be written should not cost a measurement.
    let json = args.json.as_deref().map(create).transpose()?;
    let figures = measure(&plan, stop, observer)?;
    if let (Some(json), Some(path)) = (json, &args.json) {
        write_json(json, &figures).map_err(|source| VswitchError::Output { path: path.clone(), source })?;
    }
    write!(output, "{}{}", Tables(&figures), note(&plan.placement)).map_err(terminal)?;
    Ok(figures)
}

/// Returns a note for readers of the figures about this machine.
fn note(placement: &Placement) -> String {
    let cores = placement.clients.len();
    match placement {
        Placement { switch: None, .. } => "The cores of this machine are not known; nothing was pinned.\n".to_string(),
        shared if shared.is_shared() => {
            "The switch and the clients shared a core: the figures say little.\n".to_string()
        }
        _ => format!(
            "The switch had a core to itself; the clients took turns on {cores} other core{}. With fewer cores than \
             clients,\nthe clients may be what limits the rate, and the kinds lie closer together.\n",
            if cores == 1 { "" } else { "s" }
        ),
    }
}

fn forward(
    args: &VswitchArgs,
    file: &Path,
    placement: Placement,
    output: &mut dyn Write,
) -> Result<Summary, VswitchError> {
    let kind = kind_for_capture(args)?;
    let setting = replay::Setting {
        kind,
        capacity: args.capacity,
        batch: args.switch_batch,
        placement,
        ..replay::Setting::default()
    };
    let summary = replay_into(file, args.out.as_deref(), &setting)?;
    writeln!(output, "{}, forwarded through {kind} queues of {} frames:", file.display(), args.capacity)
        .and_then(|()| writeln!(output, "{summary}"))
        .and_then(|()| match &args.out {
            Some(folder) => writeln!(output, "  what each station received is in {}", folder.display()),
            None => Ok(()),
        })
        .map_err(terminal)?;
    Ok(summary)
}

/// Returns the kind of queue for a capture, if the options make sense for one.
fn kind_for_capture(args: &VswitchArgs) -> Result<Kind, VswitchError> {
    check_switch_batch(args.switch_batch)?;
    match args.queues[..] {
        [] => Ok(Kind::Ring),
        [kind] => Ok(kind),
        _ => Err(VswitchError::Misuse("--queues: a capture is forwarded through one kind of queue: name one".into())),
    }
}

fn create(path: &Path) -> Result<File, VswitchError> {
    File::create(path).map_err(|source| VswitchError::Output { path: path.into(), source })
}

fn write_json(file: File, figures: &[Figure]) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    for figure in figures {
        serde_json::to_writer(&mut file, figure)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

fn terminal(source: io::Error) -> VswitchError {
    VswitchError::Output { path: "standard output".into(), source }
}
