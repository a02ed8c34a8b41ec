//! Checks that are divided into task files, and their results.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::{Config, MemoryModel, PartError, Report, ResumeError, merge, program_of, thread};

use crate::resume::{Program, all, counts};
use crate::support::random;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("divided-{name}"));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn plan(config: &Config, folder: &Path, tasks: usize, program: &Program) -> Report {
    let run = Arc::clone(program);
    let tasks = NonZeroUsize::new(tasks).expect("some tasks");
    config.plan(folder, tasks, "it", move || run()).expect("a new folder")
}

fn check(config: &Config, file: &Path, program: &Program) -> Result<(Report, Vec<String>), PartError> {
    let run = Arc::clone(program);
    config.check_task(file, "it", move || run())
}

/// Three threads add three times each, in 1680 orders, and return the numbers that they saw.
fn numbers() -> [Vec<usize>; 3] {
    let count = Arc::new(AtomicUsize::new(0));
    let threads = [(); 3].map(|()| {
        let count = Arc::clone(&count);
        thread::spawn(move || (0..3).map(|_| count.fetch_add(1, Relaxed)).collect())
    });
    threads.map(|thread| thread.join().unwrap())
}

fn counting() -> Program {
    Arc::new(|| drop(numbers()))
}

/// Returns the files of the tasks without a result.
fn open(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let is_open =
        |file: &PathBuf| file.extension().is_some_and(|end| end == "task") && !file.with_extension("result").exists();
    let mut open: Vec<_> = files.filter(is_open).collect();
    open.sort();
    open
}

/// Tasks are explored in any order, and give back the rest after a few executions.
#[test]
fn the_tasks_together_have_the_counts_of_the_whole() {
    let (mut random, mut most, mut given_back) = (random(5), 0, 0);
    for (name, program) in all().into_iter().chain([("counting".to_owned(), counting())]) {
        let configs = [
            (1, Config::new()),
            (3, Config::new().jobs(2)),
            (20, Config::new().model(MemoryModel::Sc)),
            (20, Config::new().max_preemptions(1000)),
        ];
        for (tasks, config) in configs {
            let run = Arc::clone(&program);
            let whole = config.check(move || run());
            let folder = folder(&name);
            let report = plan(&config, &folder, tasks, &program);
            assert!(report.failure.is_none() && report.executions <= whole.executions, "{name}: {report}");
            let mut done = 0;
            loop {
                let open = open(&folder);
                if open.is_empty() {
                    break;
                }
                let file = &open[random(open.len() as u64) as usize];
                let limited = config.clone().max_executions(1 + random(whole.executions / 2 + 1));
                let (report, rest) = check(&limited, file, &program).expect("a task");
                assert_eq!(
                    (report.limited, report.exhaustive),
                    (!rest.is_empty(), rest.is_empty()),
                    "{name}: {report}"
                );
                given_back += rest.len();
                done += 1;
            }
            most = most.max(done);
            let merged = merge(&folder).expect("all tasks have results");
            assert!(merged.report.exhaustive && merged.failures.is_empty(), "{name}: {}", merged.report);
            assert_eq!(counts(&merged.report), counts(&whole), "{name} in {tasks} tasks");
            assert_eq!((merged.tasks, &*merged.program), (done, "it"), "{name}");
        }
    }
    assert!(most >= 10 && given_back >= 50, "{most} tasks, {given_back} given back");
}

fn divided(name: &str) -> (PathBuf, Program) {
    let (folder, program) = (folder(name), counting());
    assert!(!plan(&Config::new(), &folder, 4, &program).exhaustive);
    (folder, program)
}

fn explore_all(folder: &Path, program: &Program) {
    open(folder).iter().for_each(|file| assert!(check(&Config::new(), file, program).expect("a task").1.is_empty()));
}

#[test]
fn a_task_without_a_result_is_missed_by_name() {
    let (folder, program) = divided("missing");
    let files = open(&folder);
    assert_eq!(files.len(), 4);
    assert_eq!(program_of(&files[0]).expect("a task"), "it");
    for file in &files[..3] {
        check(&Config::new(), file, &program).expect("a task");
    }
    let error = merge(&folder).expect_err("one is missing");
    assert!(matches!(&error, PartError::Missing(tasks) if *tasks == ["4"]), "{error}");
    // The tasks that a task gives back are missed, too.
    let (_, rest) = check(&Config::new().max_executions(1), &files[3], &program).expect("a task");
    let error = merge(&folder).expect_err("the rest is missing");
    assert!(matches!(&error, PartError::Missing(tasks) if *tasks == rest), "{error}");
    explore_all(&folder, &program);
    assert!(merge(&folder).expect("all are there").report.exhaustive);
    // Its result is known: it is not explored again.
    let (again, rest_again) = check(&Config::new(), &files[3], &program).expect("a task");
    assert!(again.limited && rest_again == rest, "{again}");
}

#[test]
fn two_results_of_one_task_are_refused() {
    let (folder, program) = divided("twice");
    explore_all(&folder, &program);
    fs::copy(folder.join("2.result"), folder.join("copy.result")).expect("a copy");
    let error = merge(&folder).expect_err("twice");
    assert!(matches!(&error, PartError::Twice([first, _]) if first.ends_with("2.result")), "{error}");
}

/// An attempt at a task gave back some work, and then its result was lost. The next attempt writes
/// other files of those names: results of the first ones do not count.
#[test]
fn a_result_of_an_attempt_that_was_lost_is_refused() {
    let (folder, program) = divided("attempts");
    let first = folder.join("1.task");
    let (_, rest) = check(&Config::new().max_executions(1), &first, &program).expect("a task");
    let given = folder.join(format!("{}.task", rest[0]));
    check(&Config::new(), &given, &program).expect("a task");
    fs::remove_file(folder.join("1.result")).expect("it was there");
    check(&Config::new().max_executions(2), &first, &program).expect("a task");
    explore_all(&folder, &program);
    let error = merge(&folder).expect_err("another attempt's");
    assert!(matches!(&error, PartError::Stray(file) if *file == given.with_extension("result")), "{error}");
    check(&Config::new(), &given, &program).expect("the task is explored as it is now");
    assert!(merge(&folder).expect("all are there").report.exhaustive);
}

#[test]
fn other_programs_options_and_damaged_files_are_refused() {
    let (folder, program) = divided("other");
    let file = folder.join("1.task");
    let other = Config::new().check_task(&file, "another", || ()).expect_err("another program");
    assert!(matches!(other, PartError::File(ResumeError::Other { .. })), "{other}");
    let sequential = check(&Config::new().model(MemoryModel::Sc), &file, &program).expect_err("other options");
    assert!(matches!(sequential, PartError::File(ResumeError::Other { .. })), "{sequential}");
    let again = Config::new().plan(&folder, NonZeroUsize::MIN, "it", || ()).expect_err("there is one");
    assert!(matches!(again, PartError::Planned(_)), "{again}");
    for unsupported in [Config::new().random(3, 1), Config::new().suspend(1, 1)] {
        let error = check(&unsupported, &file, &program).expect_err("not all executions");
        assert!(matches!(error, PartError::File(ResumeError::Unsupported)), "{error}");
    }
    explore_all(&folder, &program);
    for name in ["1.task", "2.result", "plan"] {
        let file = folder.join(name);
        let whole = fs::read(&file).expect("it was written");
        for at in [0, whole.len() / 2, whole.len() - 2] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).expect("a file");
            let error = if name == "1.task" {
                check(&Config::new(), &file, &program).expect_err("damaged")
            } else {
                merge(&folder).expect_err("damaged")
            };
            assert!(matches!(error, PartError::File(ResumeError::Damaged(_))), "{name}: {error}");
        }
        fs::write(&file, &whole).expect("a file");
    }
    // A task of another plan, as if its result had come to this folder.
    let other = self::folder("other-2");
    plan(&Config::new().model(MemoryModel::Sc), &other, 4, &program);
    check(&Config::new().model(MemoryModel::Sc), &other.join("1.task"), &program).expect("a task");
    fs::copy(other.join("1.result"), folder.join("1.result")).expect("a copy");
    let error = merge(&folder).expect_err("of another plan");
    assert!(matches!(error, PartError::File(ResumeError::Other { .. })), "{error}");
}

#[test]
fn a_failure_in_a_task_is_the_failure_of_the_whole() {
    let fails: Program = Arc::new(|| {
        let [first, second, _] = numbers();
        assert!(second != [0, 1, 2] || first != [6, 7, 8], "the first thread is the last one");
    });
    let folder = folder("failure");
    assert!(plan(&Config::new(), &folder, 2, &fails).failure.is_none(), "the failure is in a task");
    let found: Vec<_> =
        open(&folder).iter().filter_map(|file| check(&Config::new(), file, &fails).unwrap().0.failure).collect();
    assert!(!found.is_empty());
    let merged = merge(&folder).expect("all tasks have results");
    assert!(!merged.report.exhaustive && merged.failures.len() == found.len());
    let replay = Config::new().replay(&merged.failures[0].replay).check(move || fails());
    assert_eq!(replay.failure.map(|failure| failure.message), Some(merged.failures[0].message.clone()));
}
