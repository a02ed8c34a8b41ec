//! Subjects of commits: what changed, in 72 columns.

use std::process::Command;

use super::root;

/// Merges of branches name two branches, which git does.
#[test]
fn subjects_of_the_last_hundred_commits_have_72_columns() {
    let git = Command::new("git").arg("-C").arg(root()).args(["log", "-100", "--no-merges", "--format=%s"]).output();
    let Some(log) = git.ok().filter(|log| log.status.success() && root().join(".git").exists()) else {
        println!("skipped: this is no clone, or there is no git");
        return;
    };
    let subjects = String::from_utf8(log.stdout).expect("git writes text");
    let wide: Vec<&str> = subjects.lines().filter(|subject| subject.chars().count() > 72).collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}
