//! A table of faults: how fast each is found, and in how many of several seeds.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use aqueduct_paused::Fault;

use crate::options::Table;

/// Prints a line for each fault, in turns and free.
pub(crate) fn run(table: &Table) -> Result<(), String> {
    println!("{:28} {:>28}  {:>28}  finding", "fault", "turns: found, median, worst", "free: found, median, worst");
    for &fault in Fault::ALL.iter().filter(|fault| format!("{fault:?}").contains(&table.faults)) {
        let [turns, free] = ["turns", "free"].map(|mode| column(table, fault, mode));
        let ((turns, what), (free, other)) = (turns?, free?);
        println!("{:28} {turns:>28}  {free:>28}  {}", format!("{fault:?}"), what.or(other).unwrap_or_default());
    }
    Ok(())
}

/// Returns the number of seeds in which the fault was found, the time, and one failure.
fn column(table: &Table, fault: Fault, mode: &str) -> Result<(String, Option<String>), String> {
    let mut times = Vec::new();
    let mut found = None;
    for seed in 1..=table.seeds {
        if let Some((what, after)) = look(table, fault, mode, seed)? {
            times.push(after);
            found.get_or_insert(what);
        }
    }
    times.sort_unstable();
    let seconds = |time: Option<&Duration>| time.map_or("-".to_owned(), |time| format!("{:.2} s", time.as_secs_f64()));
    let (median, worst) = (seconds(times.get(times.len() / 2)), seconds(times.last()));
    Ok((format!("{}/{}, {median}, {worst}", times.len(), table.seeds), found))
}

/// Looks for a fault in a process of its own, which the fault's damage to memory may end.
fn look(table: &Table, fault: Fault, mode: &str, seed: u64) -> Result<Option<(String, Duration)>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let output = Command::new(program)
        .args(["--first", "--mode", mode, "--fault", &format!("{fault:?}")])
        .args(["--seed", &seed.to_string(), "--seconds", &table.seconds.to_string()])
        .args(table.only.iter().flat_map(|only| ["--only", only.as_str()]))
        .stderr(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let what = match output.status.code() {
        Some(0) => return Ok(None),
        Some(1) => {
            let case = lines.clone().zip(lines.by_ref().skip(1)).find(|(_, line)| line.contains("FAILED"));
            let (case, line) = case.ok_or("a failure is not told")?;
            let what = line.split_once(" s: ").map_or(line, |(_, what)| what);
            format!("{}: {what}", case.split("  ").next().unwrap_or(case).trim())
        }
        _ => format!("the process ended: {}", output.status),
    };
    Ok(Some((what, begin.elapsed())))
}
