//! Ours finds every broken program and passes every repaired one. (`aqueduct zoo` measures loom and
//! shuttle.)

use std::time::Duration;

use aqueduct_model::{Config, MemoryModel};
use aqueduct_zoo::{Checker, ENTRIES, Form, Memory, Verdict, judge, judge_ours};

/// A time that is far above any entry's.
const LIMIT: Duration = Duration::from_secs(60);

fn verdicts(form: Form, expected: Verdict) {
    let wrong: Vec<_> = ENTRIES
        .iter()
        .filter_map(|entry| {
            let outcome = judge(entry, form, Checker::Aqueduct, LIMIT);
            (Verdict::of(form, &outcome) != expected).then(|| format!("{}: {outcome:?}", entry.id))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_broken_program_is_found() {
    verdicts(Form::Broken, Verdict::Found);
}

#[test]
fn every_repaired_program_is_clean() {
    verdicts(Form::Repaired, Verdict::Clean);
}

/// The table's column about memory is right: interleavings show the bugs that need no weak memory.
#[test]
fn interleavings_show_what_does_not_take_weak_memory() {
    let interleavings = Config::new().model(MemoryModel::Sc).time_limit(LIMIT);
    for entry in ENTRIES {
        let outcome = judge_ours(entry, Form::Broken, &interleavings);
        let expected = if entry.memory == Memory::Weak { Verdict::Missed } else { Verdict::Found };
        assert_eq!(Verdict::of(Form::Broken, &outcome), expected, "{}: {outcome:?}", entry.id);
    }
}

#[test]
fn chance_finds_every_broken_program_and_accuses_no_repaired_one() {
    for entry in ENTRIES {
        let found = judge_ours(entry, Form::Broken, &Config::new().random(5_000, 1));
        assert_eq!(Verdict::of(Form::Broken, &found), Verdict::Found, "{}", entry.id);
        let clean = judge_ours(entry, Form::Repaired, &Config::new().random(1_000, 1));
        assert_eq!(Verdict::of(Form::Repaired, &clean), Verdict::Unfinished, "{}: {clean:?}", entry.id);
    }
}

#[test]
fn names_are_unique() {
    for (index, entry) in ENTRIES.iter().enumerate() {
        assert!(ENTRIES[..index].iter().all(|before| before.id != entry.id), "{}", entry.id);
    }
}

/// The table of the model's README is that of `aqueduct zoo --markdown`; the other checkers'
/// columns depend on their time.
#[test]
fn the_readme_has_every_entry() {
    let readme = include_str!("../../../checker/model/README.md");
    let is_entry = |line: &str| {
        let name = line.strip_prefix("| L").or_else(|| line.strip_prefix("| Z"));
        name.is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    let rows = readme.lines().filter(|line| is_entry(line)).count();
    assert_eq!(rows, ENTRIES.len(), "rows of the table");
    for entry in ENTRIES {
        let needs = if entry.memory == Memory::Weak { "weak" } else { "SC" };
        let row = format!("| {} | {} | {needs} | found, clean |", entry.id, entry.about);
        assert!(readme.contains(&row), "{row}");
    }
}
