//! The pages name the code's items.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file can be read")
}

/// Returns the names at the start of the rows of a page's tables: `` | `name ``.
fn rows(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.map(|cell| cell.split(['`', ' ', '=']).next().expect("a part").to_owned()).collect()
}

/// Adds the names in quotation marks that begin in this way, in all sources below a folder.
fn add_names(folder: &Path, starts: &[&str], found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            add_names(&path, starts, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source can be read");
        let quoted =
            text.split('"').skip(1).step_by(2).filter(|word| starts.iter().any(|start| word.starts_with(start)));
        let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        found.extend(quoted.filter(is_name).map(str::to_owned));
    }
}

#[test]
fn the_page_on_tests_has_all_variables_and_options() {
    let page = read("TESTS.md");
    let (options, variables) = page.split_once("\n## Variables").expect("the part on variables");
    let mut known = BTreeSet::new();
    add_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &["AQUEDUCT_", "LOOM_"], &mut known);
    assert!(known.len() >= 8, "{known:?}");
    assert_eq!(rows(variables), known);

    let source = read("../model-macros/src/options.rs");
    let known = source.split("\n    (\"").skip(1).filter_map(|rest| rest.split('"').next());
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert!(known.len() >= 7, "{known:?}");
    assert_eq!(rows(options), known);
    let docs = read("../model-macros/src/lib.rs").replace("/// ", "");
    assert_eq!(rows(&docs), known, "the attribute's own documentation");
}

#[test]
fn the_first_program_of_the_readme_is_a_test() {
    let readme = read("README.md");
    let program = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    assert!(read("tests/first.rs").ends_with(&format!("\n\n{program}")), "tests/first.rs has another program");
}
