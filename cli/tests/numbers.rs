//! Every option that takes a number gets unexpected numbers.
//!
//! The program itself lists the options, so a new one is tested without a change here. Accepted
//! numbers are only checked (`--dry-run`); the smallest ones are measured, too.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The numbers: the smallest, one that 32 bits cannot hold, the largest of 64 bits, and some that
/// are not numbers.
const NUMBERS: [&str; 6] = ["0", "1", "4294967296", "18446744073709551615", "-1", "many"];

/// The time limit of a command line. It takes milliseconds, but other tests may be at work, too.
const PATIENCE: Duration = Duration::from_secs(60);

/// The necessary arguments of each command: a file, or a file that would otherwise be written
/// elsewhere.
const NEEDED: [(&str, &[&str]); 3] = [
    ("litmus", &["one.litmus"]),
    ("report", &["runs.jsonl", "--svg=one.svg", "--queues=one"]),
    ("verify", &["lamport/drop-full"]),
];

/// Options that another option needs, by command and by that option.
const BESIDE: [(&str, &str, &str); 1] = [("verify", "seed", "--random=1")];

/// An option of a command.
#[derive(Debug)]
struct Numeric {
    /// The names of the command, from the program's first one on.
    command: Vec<String>,
    option: String,
    /// The forms of the option's value, with the place of the number.
    forms: &'static [&'static str],
}

/// Returns all options whose values are numbers, or contain some.
fn numeric_options() -> Vec<Numeric> {
    let mut all = Vec::new();
    collect(&aqueduct_cli::command(), &mut Vec::new(), &mut all);
    all
}

fn collect(command: &clap::Command, path: &mut Vec<String>, all: &mut Vec<Numeric>) {
    for argument in command.get_arguments().filter(|argument| takes_number(argument)) {
        let option = argument.get_long().expect("a number is told by a name").to_owned();
        let names = argument.get_value_names().unwrap_or_default();
        let forms: &[_] = match names.first().map_or("", clap::builder::Str::as_str) {
            "PxC" => &["#x1", "1x#", "#x#"],
            // A bench of two threads needs two.
            "CORES" => &["#,0", "0,#"],
            _ => &["#", "1,#"][..if argument.get_value_delimiter().is_some() { 2 } else { 1 }],
        };
        all.push(Numeric { command: path.clone(), option, forms });
    }
    for subcommand in command.get_subcommands() {
        path.push(subcommand.get_name().to_owned());
        collect(subcommand, path, all);
        path.pop();
    }
}

/// Whether an option's value is neither a text, nor a path, nor a time with its unit, nor one of
/// some names. A new kind of value counts as a number.
fn takes_number(argument: &clap::Arg) -> bool {
    let kind = argument.get_value_parser().type_id();
    argument.get_action().takes_values()
        && !argument.is_positional()
        && argument.get_possible_values().is_empty()
        && kind != TypeId::of::<String>()
        && kind != TypeId::of::<PathBuf>()
        && argument.get_value_names().is_none_or(|names| names.iter().all(|name| name.as_str() != "TIME"))
}

impl Numeric {
    /// Returns the command with the option's value, and its necessary arguments.
    fn arguments(&self, value: &str) -> Vec<String> {
        let name = self.command.join(" ");
        let needed = NEEDED.iter().filter(|(command, _)| *command == name).flat_map(|(_, needed)| *needed);
        let beside = BESIDE.iter().filter(|(command, option, _)| (*command, *option) == (&name, &self.option));
        self.command
            .iter()
            .cloned()
            .chain(needed.map(|&one| one.to_owned()))
            .chain(beside.map(|(_, _, one)| (*one).to_owned()))
            .chain([format!("--{}={value}", self.option)])
            .collect()
    }
}

/// Returns a folder with the files that commands need.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let litmus = "C one\n{ x = 0; }\nP0 (atomic_int* x) { int r0 = 1; }\nexists (x=0)\n";
    fs::write(folder.join("one.litmus"), litmus).unwrap();
    fs::write(folder.join("runs.jsonl"), "").unwrap();
    folder
}

/// Runs the program, and fails with the command line if it does not end in time.
fn ended(folder: &Path, arguments: &[String], patience: Duration) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aqueduct"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait(&mut child, patience).unwrap_or_else(|| panic!("{} did not end", arguments.join(" ")));
    child.wait_with_output().unwrap()
}

fn wait(child: &mut Child, patience: Duration) -> Option<()> {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > patience {
            child.kill().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Some(())
}

/// Describes the error in the program's answer, if there is one.
fn complaint(numeric: &Numeric, form: &str, number: &str, output: &Output) -> Option<String> {
    let (option, said) = (&numeric.option, String::from_utf8_lossy(&output.stderr));
    let is_number = number.parse::<u64>().is_ok();
    let wrong = match output.status.code() {
        Some(0) if is_number => return said.contains("panicked").then(|| format!("it panicked: {said}")),
        Some(0) => "it was accepted",
        Some(2) if !said.starts_with("error: ") => "it is refused in other words than all else",
        Some(2) if !said.contains(&format!("--{option}")) => "the option is not named",
        Some(2) if !names_what_is_right(&said.replace(&form.replace('#', number), "")) => {
            "the message does not name what would be right"
        }
        Some(2) => return None,
        Some(_) => "a wrong number is no failure",
        None => "it was ended by a signal",
    };
    Some(format!("{wrong} ({}): {said}", output.status))
}

/// Whether a message names a right number, or right names.
fn names_what_is_right(said: &str) -> bool {
    let words = ["at least one", "there are: ", "the levels are "];
    said.contains(|one: char| one.is_ascii_digit()) || words.iter().any(|words| said.contains(words))
}

/// Without `AQUEDUCT_THOROUGH=1`, an option gets every second number, and the next option the
/// others.
#[test]
fn every_numeric_option_takes_a_number_or_says_which_ones_it_takes() {
    let folder = folder("numbers");
    let step = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 1 } else { 2 };
    let mut complaints = Vec::new();
    for (at, numeric) in numeric_options().into_iter().enumerate() {
        for &form in numeric.forms {
            for number in NUMBERS.into_iter().skip(at % step).step_by(step) {
                let mut arguments = numeric.arguments(&form.replace('#', number));
                arguments.push("--dry-run".to_owned());
                let output = ended(&folder, &arguments, PATIENCE);
                let wrong = complaint(&numeric, form, number, &output);
                complaints.extend(wrong.map(|wrong| format!("{}: {wrong}", arguments.join(" "))));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Whether the program has the command. The gate builds them all; `cargo test` alone leaves out the
/// benches whose peers take long to build.
fn is_built(arguments: &str) -> bool {
    (cfg!(feature = "channels") || !arguments.starts_with("bench channel"))
        && (cfg!(feature = "pools") || !arguments.starts_with("bench pool"))
        && (cfg!(feature = "recorders") || !arguments.starts_with("bench recorder"))
        && (cfg!(feature = "processes") || !arguments.starts_with("bench shm"))
}

#[test]
fn the_options_are_found() {
    let found: BTreeSet<String> =
        numeric_options().iter().map(|one| format!("{} --{}", one.command.join(" "), one.option)).collect();
    for known in [
        "compare --seconds",
        "bench spsc --capacity",
        "bench spsc --cores",
        "bench mpmc --cores",
        "bench steal --cores",
        "bench channel --capacity",
        "bench channel --cores",
        "bench cnq --cores",
        "bench drop-old --cores",
        "bench exchange --cores",
        "bench pool --threads",
        "bench recorder --producers",
        "bench nblfq --cores",
        "bench shm --bytes",
        "bench shm --capacity",
        "compare --cores",
        "bench mpmc --threads",
        "bench steal --stolen",
        "bench cnq --k",
        "bench drop-old --producers",
        "bench exchange --events",
        "bench nblfq --workers",
        "bench model --limit",
        "vswitch --client-batch",
        "litmus --loop-bound",
        "verify --random",
        "zoo --limit",
    ]
    .into_iter()
    .filter(|known| is_built(known))
    {
        assert!(found.contains(known), "{known} is not among {found:?}");
    }
    for other in ["bench spsc --queues", "bench spsc --json", "vswitch --workload", "verify --replay"] {
        assert!(!found.contains(other), "{other} takes no number");
    }
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_none_of_it() {
    let folder = folder("dry");
    for (arguments, wanted) in [
        (
            "bench mpmc throughput --queues bbq_mpmc --threads 2x2 --batch 1,8 --rounds 7 --slice 60000",
            "2 measurements in each of 7 rounds: 840.0 s",
        ),
        ("bench spsc throughput --queues ring --peers none --no-bounds --json runs.jsonl", "rounds: "),
        ("vswitch --clients 2,3 --rounds 10000", "in each of 10000 rounds"),
        ("verify --random 4294967296", "4294967296 random executions of "),
        ("zoo Z12", if cfg!(feature = "rivals") { "6 checks, " } else { "2 checks, " }),
        ("compare --seconds 60000", "60000 s in all"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').chain(["--dry-run"]).collect();
        let output =
            Command::new(env!("CARGO_BIN_EXE_aqueduct")).current_dir(&folder).args(&arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(wanted) && said.lines().count() == 1, "{arguments:?}: {said}");
    }
    assert_eq!(fs::read_to_string(folder.join("runs.jsonl")).unwrap(), "", "nothing was written");
    assert!(!folder.join("aqueduct-report.html").exists());
}

/// Queues may refuse a size, which is a finding about them (exit code 1). They may not end the
/// program, nor run forever. Many threads with a queue of one item are left out: they take as long
/// as the system takes to let each of them run.
#[test]
fn the_smallest_sizes_can_be_measured() {
    let folder = folder("smallest");
    for arguments in [
        "bench spsc uncontended --capacity 1 --batch 1 --payload embedded --rounds 1 --time 1 --cell-time 1 --limit 0",
        "bench mpmc uncontended full empty --capacity 1 --batch 1 --rounds 1 --slice 1",
        "bench channel blocking alone --capacity 0,1 --threads 1x1 --rounds 1 --slice 1",
        "bench pool nothing spawn --threads 2 --no-peers --rounds 1 --slice 1",
        "bench recorder latency budget --producers 1 --fields 0 --no-peers --rounds 1 --slice 1",
        "bench steal alone --capacity 2 --batch 1 --blocks 1 --rounds 1 --slice 1",
        "bench drop-old --capacity 1 --producers 1 --rounds 1 --slice 1",
        "bench shm --capacity 1 --bytes 8 --no-peers --rounds 1 --slice 1",
        "bench nblfq alone --capacity 16 --rounds 1 --slice 1",
        "bench model counter_2x3 --rounds 1 --limit 0.001",
        "vswitch --workload flood --capacity 1 --switch-batch 1 --clients 2 --client-batch 1 --rounds 1 --time 1",
        "litmus one.litmus --jobs 1 --loop-bound 0",
        "verify lamport/drop-full --jobs 1 --random 1 --seed 0",
    ]
    .into_iter()
    .filter(|arguments| is_built(arguments))
    {
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let output = ended(&folder, &arguments, PATIENCE);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{} ({}): {said}", arguments.join(" "), output.status);
        assert!(!said.contains("panicked"), "{}: {said}", arguments.join(" "));
    }
}
