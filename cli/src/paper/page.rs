//! The pages, as Markdown.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::exhibit::{Check, Exhibit, Verdict};

/// The rule by which a statement is decided.
const RULE: &str = "A statement holds, or does not, if the median and every round agree; otherwise it is undecided. Three short rounds on a \
                    machine of few cores decide little: the command lines show the length of each.";

/// Writes the page of a paper and its pictures.
pub(super) fn write(folder: &Path, title: &str, run: &str, exhibits: &[Exhibit]) -> Result<()> {
    let mut page = format!(
        "# {title}\n\n`aqueduct paper` made this page from `figures.jsonl`: it repeats the experiments, draws the figures, and \
         compares each claim of the paper with the numbers that were measured here. {RULE}\n\n{run}\n"
    );
    page.push_str(&table(exhibits));
    for exhibit in exhibits {
        let mut pictures = Vec::new();
        for (number, svg) in exhibit.pictures.iter().filter_map(super::exhibit::Picture::svg).enumerate() {
            let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
            let name = format!("{}{suffix}.svg", exhibit.file);
            fs::write(folder.join(&name), svg).with_context(|| format!("cannot write {name}"))?;
            pictures.push(name);
        }
        page.push_str(&section(exhibit, &pictures));
    }
    let path = folder.join("README.md");
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the verdicts in a table.
fn table(exhibits: &[Exhibit]) -> String {
    let mut text = "| figure or table | here |\n| --- | --- |\n".to_owned();
    for exhibit in exhibits {
        let _ = writeln!(text, "| {} | {} |", exhibit.name, exhibit.verdict().words());
    }
    text
}

fn section(exhibit: &Exhibit, pictures: &[String]) -> String {
    let mut text = format!("\n## {}\n\nThe paper: {}\n\n", exhibit.name, exhibit.claim);
    for picture in pictures {
        let _ = writeln!(text, "![{}]({picture})\n", exhibit.name);
    }
    if !exhibit.checks.is_empty() {
        text.push_str("| statement | claimed | here | | rounds in which it holds |\n| --- | --- | --- | --- | --- |\n");
        exhibit.checks.iter().map(Check::row).for_each(|row| text.push_str(&(row + "\n")));
        text.push('\n');
    }
    let _ = writeln!(text, "**{}**{}", exhibit.verdict().words(), prefixed(exhibit.difference));
    text
}

fn prefixed(difference: &str) -> String {
    if difference.is_empty() { String::new() } else { format!(" {difference}") }
}

/// Returns the page that lists those of the papers.
pub(super) fn index(pages: &[(&str, &str, Vec<Exhibit>)]) -> String {
    let mut text = format!(
        "# The papers' figures beside ours\n\n`aqueduct paper` made these pages; each says on which machine, by which \
         command lines, and under which load. {RULE}\n\n| paper | figures and tables | hold | in part | do not hold | undecided | not measured \
         |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for (name, title, exhibits) in pages {
        let [holds, in_part, fails, undecided, not] = counts(exhibits);
        let _ = writeln!(
            text,
            "| [{title}]({name}/README.md) | {} | {holds} | {in_part} | {fails} | {undecided} | {not} |",
            exhibits.len()
        );
    }
    text
}

/// Returns the sentence that sums up a paper.
pub(super) fn summary(name: &str, exhibits: &[Exhibit]) -> String {
    let [holds, in_part, fails, undecided, not] = counts(exhibits);
    format!(
        "{name}: of {} figures and tables {holds} hold here, {in_part} in part, {fails} do not, {undecided} are undecided, \
         {not} were not measured\n",
        exhibits.len()
    )
}

fn counts(exhibits: &[Exhibit]) -> [usize; 5] {
    let count = |is: fn(Verdict) -> bool| exhibits.iter().filter(|exhibit| is(exhibit.verdict())).count();
    [
        count(|verdict| verdict == Verdict::Holds),
        count(|verdict| matches!(verdict, Verdict::InPart { .. })),
        count(|verdict| verdict == Verdict::Fails),
        count(|verdict| verdict == Verdict::Undecided),
        count(|verdict| verdict == Verdict::NotMeasured),
    ]
}
