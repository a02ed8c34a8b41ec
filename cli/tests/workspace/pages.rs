//! The pages agree with the tree: links, tables that stand in several places, and numbers that
//! other files have.

use std::collections::HashMap;
use std::fs;

use super::{files, root};

pub(super) fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the lines of a page's first block of Rust.
fn program(page: &str) -> &str {
    let (_, rest) = page.split_once("```rust\n").expect("a program");
    rest.split_once("```").expect("its end").0
}

/// Returns what stands behind `before` on a page, up to `after`.
fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = page.split_once(before).unwrap_or_else(|| panic!("the page has no {before:?}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} behind {before:?}")).0
}

/// Returns the rows of a page's tables below a heading, up to the next heading.
fn rows(page: &str, heading: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with('|'));
    // The table's own heading, and the line below it.
    lines.skip(2).map(str::to_owned).collect()
}

#[test]
fn the_readme_is_short_and_its_program_is_the_librarys() {
    let readme = page("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    let words = readme.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    assert!(words <= 850, "{words} words");
    // The library's own tests run its program.
    assert_eq!(program(&readme), program(&page("library/queues/README.md")));
}

/// Returns the anchor that a heading has.
fn anchor(heading: &str) -> String {
    let letters =
        heading.trim_start_matches('#').trim().chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    letters.map(|it| if it == ' ' { '-' } else { it.to_ascii_lowercase() }).collect()
}

#[test]
fn links_of_readmes_lead_to_files_and_headings() {
    let mut pages = files(&root(), "md");
    pages.retain(|(name, _)| name.ends_with("README.md") || !name.contains('/') || name.starts_with("results/"));
    assert!(pages.len() > 25, "{} pages", pages.len());
    for (name, text) in pages {
        let folder = root().join(&name).parent().expect("a folder").to_owned();
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split(')').next().expect("an end");
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") {
                continue;
            }
            let file = if file.is_empty() { root().join(&name) } else { folder.join(file) };
            assert!(file.exists(), "{name} links to {target}");
            let has = |text: String| text.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
            assert!(heading.is_empty() || has(fs::read_to_string(file).unwrap()), "{name} links to {target}");
        }
    }
}

/// The crate's page is the source of both tables. The documentation has links in its cells.
#[test]
fn the_tables_of_the_crates_page_stand_elsewhere_as_they_are() {
    let (readme, of_crate) = (page("README.md"), page("library/queues/README.md"));
    for (heading, fewest) in [("## Which queue?", 10), ("## You use X, take Y", 5)] {
        let (rows, there) = (rows(&of_crate, heading), rows(&readme, heading));
        assert!(rows.len() >= fewest, "{} rows of {heading}", rows.len());
        for row in rows {
            assert!(there.contains(&row), "README.md, {heading}, has no row: {row}");
        }
    }
    let docs = page("library/queues/src/lib.rs").replace("[`", "`").replace("`]", "`");
    let docs: String =
        docs.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(rows(&docs, "# Which queue?"), rows(&of_crate, "## Which queue?"), "in lib.rs, and on the page");
}

/// Returns how a page writes a ratio: two digits, or one decimal.
fn digits(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

#[test]
fn the_readmes_ratios_are_those_of_its_figures() {
    let mut medians = HashMap::new();
    for line in page("results/many-cores/figures.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        if record["batch"] == 1 && ["mpmc.throughput", "spsc.throughput"].iter().any(|bench| record["bench"] == *bench)
        {
            let threads = format!("{}x{}", record["producers"], record["consumers"]);
            let bench = record["bench"].as_str().expect("a name").to_owned();
            let queue = record["queue"].as_str().expect("a name").to_owned();
            medians.insert((bench, queue, threads), record["median"].as_f64().expect("a number"));
        }
    }
    let ratio = |bench: &str, ours: &str, theirs: &str, threads: &str| {
        let median = |queue: &str| medians.get(&(bench.to_owned(), queue.to_owned(), threads.to_owned()));
        Some(digits(median(ours)? / median(theirs)?))
    };
    let readme = page("README.md");
    let table = rows(&readme, "## How fast");
    let columns = ["1x1", "4x4", "8x8", "8x1", "1x8"];
    assert!(readme.contains(&format!("\n| | {} |\n", columns.join(" | "))), "the columns");
    let beside = [
        ("`mpmc` / `crossbeam-queue`", "crossbeam-queue/array_queue"),
        ("`mpmc` / `crossbeam-channel`", "crossbeam-channel/bounded"),
        ("`mpmc` / `rte_ring` (DPDK, many on each side)", "rte_ring/mp_mc"),
        ("`mpmc` / `moodycamel` (unordered)", "moodycamel/concurrent_queue"),
    ];
    let mut wanted: Vec<String> = Vec::new();
    for (words, theirs) in beside {
        let cells = columns.map(|threads| ratio("mpmc.throughput", "aqueduct/bbq_mpmc", theirs, threads).expect(words));
        wanted.push(format!("| {words} | {} |", cells.join(" | ")));
    }
    let pair = ratio("spsc.throughput", "aqueduct/ring", "rtrb/ring_buffer", "1x1").expect("of the pair");
    wanted.push(format!("| `spsc::ring` / `rtrb` | {pair} | | | | |"));
    assert_eq!(table, wanted);
}

/// Returns the number of faults that are put into a product.
fn faults(product: &str) -> usize {
    let sources = files(&root().join("proofs/faults/src").join(product), "rs");
    let is_place = |line: &str| {
        let (name, rest) = line.trim().split_once(' ').unwrap_or_default();
        !name.is_empty()
            && name.chars().all(char::is_alphanumeric)
            && rest.starts_with("in \"")
            && rest.ends_with("\":")
    };
    sources.iter().flat_map(|(_, source)| source.lines()).filter(|line| is_place(line)).count()
}

/// The page has the number of faults rounded down, so that one more fault does not change it.
#[test]
fn the_page_of_the_channels_says_how_many_faults_and_cells_there_are() {
    let readme = page("library/channel/README.md");
    let tens = faults("channel") / 10 * 10;
    assert!(tens >= 80, "{tens} faults");
    assert!(readme.contains(&format!("More than {tens} faults are put in")), "the page does not say {tens} faults");

    let table = between(&readme, "means of two runs of [", ")").split_once("](../../").expect("a link").1;
    let cells = page(table);
    let ratios: Vec<f64> = rows(&cells, "### All cells")
        .iter()
        .map(|row| row.split(" | ").nth(1).expect("a second column").parse().expect("a ratio"))
        .collect();
    let count = |is: fn(f64) -> bool| ratios.iter().filter(|&&ratio| is(ratio)).count();
    let words = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = format!(
        "all {} cells. Ours is first in {} of them, by a quarter or more in {}, and below 0.9 in {}.",
        ratios.len(),
        count(|ratio| ratio >= 1.0),
        count(|ratio| ratio >= 1.25),
        count(|ratio| ratio < 0.9)
    );
    assert!(words.contains(&wanted), "the page does not say: {wanted}");
}

#[test]
fn the_programs_page_counts_bugs_and_families_as_others_do() {
    let readme = page("cli/README.md");
    let found = between(&page("checker/model/README.md"), "aqueduct: ", " bugs found").to_owned();
    let bugs = found.split(' ').next_back().expect("a number");
    assert!(readme.contains(&format!("zoo  # {bugs} real bugs")), "the page does not say {bugs} real bugs");
    let families = page("cli/src/compare/families.rs");
    let families = between(&families, "const FAMILIES: [Family; ", "]");
    assert!(readme.contains(&format!("measures {families} families")), "the page does not say {families} families");
}
