//! Invariants of absence of the workspace's crates: ARCHITECTURE.md lists them. The library's own
//! are in `library/queues/tests/sources`.

#[path = "workspace/comments.rs"]
mod comments;
#[path = "workspace/history.rs"]
mod history;
#[path = "workspace/pages.rs"]
mod pages;
#[path = "workspace/results.rs"]
mod results;
#[path = "workspace/rooms.rs"]
mod rooms;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of packages. `cli` is a package itself.
const ROOMS: [&str; 6] = ["bench", "checker", "drop-in", "library", "proofs", "proofs/under-model"];

/// Returns the folders of this workspace's packages.
fn packages() -> Vec<PathBuf> {
    ROOMS
        .into_iter()
        .flat_map(|room| fs::read_dir(root().join(room)).expect("a folder can be listed"))
        .map(|entry| entry.expect("a folder can be listed").path())
        .chain([root().join("cli")])
        .filter(|path| path.join("Cargo.toml").exists())
        .collect()
}

/// Returns the name of the package in a folder.
fn name(package: &Path) -> String {
    let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest can be read");
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).expect("a package has a name");
    name.trim_end_matches('"').to_owned()
}

/// Returns the files below a folder with that extension: paths from the folder on, and texts.
///
/// Builds and hidden files are left out.
fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder can be listed") {
            let entry = entry.expect("a folder can be listed");
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                let name = path.strip_prefix(folder).expect("inside").display().to_string();
                found.push((name, fs::read_to_string(&path).expect("a file can be read")));
            }
        }
    }
    found
}

/// Returns the source files of all packages, with their paths from the root on, and their texts.
fn sources() -> Vec<(String, String)> {
    files(&root(), "rs")
}

/// Returns the crates that a crate depends on, without those of its tests.
fn dependencies(name: &str) -> Vec<String> {
    let folder = packages().into_iter().find(|path| self::name(path) == name).expect("there is such a package");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest can be read");
    let mut is_listed = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_listed = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if let (true, Some((dependency, _))) = (is_listed, line.split_once('=')) {
            found.push(dependency.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    found
}

/// Returns the names of this workspace's packages.
fn own() -> Vec<String> {
    packages().iter().map(|path| name(path)).collect()
}

#[test]
fn the_model_checker_depends_on_no_crate_of_this_workspace_but_its_attribute() {
    let own = own();
    assert!(own.iter().any(|name| name == "aqueduct-model"), "{own:?}");
    let needed = dependencies("aqueduct-model");
    let macros = "aqueduct-model-macros";
    assert!(needed.iter().all(|dependency| dependency == macros || !own.contains(dependency)), "{needed:?}");
    assert!(needed.len() > 1 && dependencies(macros).is_empty(), "its attribute depends on nothing");
    assert_eq!(dependencies("loom"), ["aqueduct-model"], "under loom's name");
}

#[test]
fn what_every_bench_needs_knows_no_queue_and_the_virtual_switch_no_bench() {
    let own = own();
    let needed = |name| dependencies(name).into_iter().filter(|one| own.contains(one)).collect::<Vec<_>>();
    assert_eq!(needed("aqueduct-measure"), Vec::<String>::new());
    assert_eq!(needed("aqueduct-vswitch"), ["aqueduct", "aqueduct-measure"]);
    assert!(!dependencies("aqueduct-measure").is_empty(), "the manifest was read");
}

/// With more units, the compiler inlines other crates' queues otherwise, and peers are slower.
#[test]
fn each_package_with_measured_loops_is_one_codegen_unit() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest can be read");
    let benches: Vec<String> = own().into_iter().filter(|name| name.starts_with("aqueduct-bench-")).collect();
    assert!(benches.len() >= 4, "{benches:?}");
    for name in benches {
        let profile = format!("[profile.release.package.{name}]\ncodegen-units = 1\n");
        assert!(manifest.contains(&profile), "{name} has no profile of its own");
    }
}

/// A newcomer's program measures queues that people use, and lock-free ones, which no registry has.
/// The other queues of papers are compiled with the feature `published`.
#[test]
fn the_published_queues_are_compiled_on_demand() {
    const PUBLISHED: &str = "aqueduct-bench-published";
    let mut users = Vec::new();
    for package in packages() {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest can be read");
        let lines = manifest.lines().filter(|line| line.starts_with(PUBLISHED));
        for line in lines {
            assert!(line.contains("optional = true"), "{}: {line}", package.display());
            users.push(name(&package));
        }
        let default = manifest.lines().find(|line| line.starts_with("default = "));
        assert!(default.is_none_or(|line| !line.contains("published")), "{}: {default:?}", package.display());
    }
    users.sort();
    assert_eq!(users, ["aqueduct-bench-exchange", "aqueduct-bench-mpmc", "aqueduct-bench-steal"]);
    let cli = fs::read_to_string(root().join("cli/Cargo.toml")).expect("a manifest can be read");
    for user in users {
        let feature = format!("{user}/published");
        let names = cli.lines().filter(|line| line.contains(&feature));
        assert!(names.clone().count() == 1 && names.clone().all(|line| line.starts_with("published = ")), "{feature}");
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest can be read");
    let (_, default) = manifest.split_once("default-members = [").expect("there are default members");
    let (default, _) = default.split_once(']').expect("a list");
    assert!(!default.contains("bench/published") && !default.contains("bench/*"), "{default}");
}

/// Comparisons with a time that do not demand speed: each file, their number, their purpose.
const TIMES: [(&str, usize, &str); 6] = [
    ("library/queues/tests/bwos/seizing.rs", 1, "a task that no thief can reach fails the test, and does not hang it"),
    ("bench/measure/src/load.rs", 1, "emulated load takes time at all"),
    ("bench/exchange/src/drop_old/run.rs", 1, "producers keep to their rate, and are not faster"),
    ("bench/steal/tests/run.rs", 1, "a part is not longer than the whole"),
    ("cli/tests/program/interrupts.rs", 1, "an interrupted program ends, and does not hang"),
    (
        "bench/vswitch/tests/suite/replay.rs",
        1,
        "threads end at once, not after the time in which they would count as hung",
    ),
];

#[test]
fn no_test_asserts_a_speed() {
    let mut known: Vec<(String, usize)> = TIMES.map(|(file, count, _)| (file.to_owned(), count)).into();
    for (name, source) in sources() {
        let asserts = source.split("assert").skip(1).filter_map(|rest| rest.split(';').next());
        let times = asserts.filter(|text| text.starts_with(['!', '_']) && text.contains("elapsed")).count();
        let listed = known.iter().position(|(file, _)| *file == name).map_or(0, |at| known.remove(at).1);
        assert_eq!(times, listed, "{name} compares times");
    }
    assert_eq!(known, [], "what is listed is there");
}

/// The place in a sentence where a phrase is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Anywhere,
    Start,
    /// Before a punctuation mark: "as there are" is English.
    End,
}

/// Phrases that a reader cannot resolve, or does not expect. The remedy is the noun, or a link.
const REFUSED: [(At, &str); 61] = [
    // A paper has its name. A random number generator's `seed` has the marks of code.
    (At::Anywhere, "seed"),
    // "The loser", "the last handle". Threads are not people.
    (At::Anywhere, "whoever"),
    (At::Anywhere, "who"),
    (At::Anywhere, "whom"),
    (At::Anywhere, "whomever"),
    (At::Anywhere, "somebody"),
    (At::Anywhere, "anybody"),
    (At::Anywhere, "everybody"),
    (At::Anywhere, "see there"),
    (At::Anywhere, "as above"),
    (At::Anywhere, "see above"),
    (At::End, "as there"),
    (At::Start, "the same"),
    (At::Anywhere, "be had"),
    (At::Anywhere, "is had"),
    (At::Anywhere, "are had"),
    (At::Anywhere, "was had"),
    (At::Anywhere, "the begin"),
    (At::Anywhere, "the dear one"),
    (At::Anywhere, "be it"),
    (At::Anywhere, "for ever"),
    (At::Anywhere, "is no matter"),
    (At::Anywhere, "comes around"),
    (At::Anywhere, "come around"),
    (At::Anywhere, "for nothing"),
    // The number's name, or "this number of".
    (At::Anywhere, "so many"),
    // The noun: "the pushed items", "the node's contents".
    (At::Anywhere, "what was"),
    (At::Anywhere, "what there was"),
    (At::Anywhere, "what is in"),
    (At::Anywhere, "what is there"),
    (At::Anywhere, "what is given"),
    (At::Anywhere, "what is asked"),
    (At::Anywhere, "what is pushed"),
    (At::Anywhere, "what is being"),
    (At::Anywhere, "what comes of"),
    (At::Anywhere, "comes round"),
    (At::Anywhere, "come round"),
    (At::Anywhere, "lets go of"),
    (At::Anywhere, "in its turn"),
    (At::Anywhere, "all there is"),
    (At::Anywhere, "goes well"),
    (At::Anywhere, "gone on with"),
    (At::Anywhere, "be gone on"),
    (At::Anywhere, "is told of"),
    (At::Anywhere, "nought"),
    (At::Anywhere, "of theirs"),
    (At::Anywhere, "is settled in advance"),
    (At::Anywhere, "one ' s own"),
    (At::Anywhere, "as that one"),
    (At::Anywhere, "that one ' s"),
    (At::Anywhere, "whose it is"),
    (At::Anywhere, "in earnest"),
    (At::Anywhere, "at its leisure"),
    (At::Anywhere, "says yes"),
    (At::Anywhere, "what would be right"),
    // The field's words: rendezvous, yield, median. Then: the result of a failure.
    (At::Anywhere, "without room"),
    (At::Anywhere, "gives way"),
    (At::Anywhere, "in the middle of all"),
    (At::Anywhere, "in vain"),
    (At::Anywhere, "has any"),
    (At::Anywhere, "what made"),
];

/// Returns the paragraphs of a text without its programs, each with the number of its first line.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut is_program, mut is_open) = (false, false);
    for (number, line) in (1..).zip(lines) {
        let is_indented = !is_open && line.starts_with("    ");
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_program ^= is_fence;
        if is_fence || is_program || is_indented || line.is_empty() {
            is_open = false;
            continue;
        }
        let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        let is_item = begins(&["- ", "* ", "|", "#"]) || line.trim_start_matches(char::is_numeric).starts_with(". ");
        match found.last_mut() {
            Some((_, text)) if is_open && !is_item => *text = format!("{text} {line}"),
            _ => found.push((number, line.to_owned())),
        }
        is_open = !begins(&["#"]);
    }
    found
}

/// Returns the text of a line's comment, if it has one of that kind: of documentation, or plain.
fn comment(line: &str, is_docs: bool) -> Option<&str> {
    let at = if line.trim_start().starts_with("//") {
        line.find("//")?
    } else {
        // A string has no comment.
        let is_text = |at: usize| !line[..at].replace("\\\"", "").matches('"').count().is_multiple_of(2);
        line.find(" // ").filter(|&at| !is_text(at))? + 1
    };
    let text = &line[at + 2..];
    match text.strip_prefix(['/', '!']) {
        docs @ Some(_) => docs.filter(|_| is_docs),
        None => Some(text).filter(|_| !is_docs),
    }
}

/// Returns the paragraphs of a source's comments. A line of code ends a paragraph.
fn comments(source: &str) -> Vec<(usize, String)> {
    let of = |is_docs| paragraphs(source.lines().map(move |line| comment(line, is_docs).unwrap_or("")));
    [of(true), of(false)].concat()
}

/// Returns a paragraph's words in small letters and its marks. A piece of code is the word `code`.
fn tokens(paragraph: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, part) in paragraph.split('`').enumerate() {
        if at % 2 == 1 {
            found.push("code".to_owned());
            continue;
        }
        let mut in_word = false;
        for character in part.chars() {
            match found.last_mut() {
                Some(word) if in_word && character.is_alphanumeric() => word.extend(character.to_lowercase()),
                _ if character.is_whitespace() => {}
                _ => found.push(character.to_lowercase().collect()),
            }
            in_word = character.is_alphanumeric();
        }
    }
    found
}

/// Returns the refused phrases of a paragraph.
fn refused(paragraph: &str) -> Vec<&'static str> {
    let tokens = tokens(paragraph);
    let is_mark = |token: &String| !token.chars().all(char::is_alphanumeric);
    let has = |place: At, phrase: &str| {
        let words: Vec<&str> = phrase.split(' ').collect();
        (0..tokens.len()).filter(|&at| tokens[at..].iter().take(words.len()).eq(words.iter())).any(|at| match place {
            At::Anywhere => true,
            At::Start => at == 0 || [".", "!", "?", "(", "-", "*", "|"].contains(&&*tokens[at - 1]),
            At::End => tokens.get(at + words.len()).is_none_or(is_mark),
        })
    };
    REFUSED.iter().filter(|(place, phrase)| has(*place, phrase)).map(|(_, phrase)| *phrase).collect()
}

#[test]
fn refused_phrases_are_found_where_they_are_refused() {
    let found = |source: &str| comments(source).iter().flat_map(|(_, text)| refused(text)).collect::<Vec<_>>();
    assert_eq!(found("/// As there, for\n/// ever; the\n/// seed's queue.\n"), ["seed", "as there", "for ever"]);
    assert_eq!(found("//! - The same\n//! - Whoever\n"), ["the same", "whoever"]);
    assert_eq!(found("/// It is.\n///\n/// The same.\n"), ["the same"]);
    assert_eq!(found("// SAFETY: as\n    // above.\n"), ["as above"]);
    assert_eq!(found("1, // for ever\n2, // Release: who acquires it\n"), ["who", "for ever"]);
    assert_eq!(
        found("fn whoever() {}\nlet text = \"for // ever, for ever\";\n/// ```\n/// whoever();\n/// ```\n"),
        [""; 0]
    );
    assert_eq!(found("/// As many as there are, of the same `seed`; forever.\n"), [""; 0]);
    assert_eq!(found("/// A queue of one's own.\n"), ["one ' s own"]);
    assert_eq!(found("/// A channel without\n/// room, in vain.\n"), ["without room", "in vain"]);
    assert_eq!(found("/// Nobody, as\n\n// above all.\n"), [""; 0]);
    assert_eq!(paragraphs("For\n    ever.\n\n    cargo run whoever\n".lines()), [(1, "For ever.".to_owned())]);
}

#[test]
fn comments_and_pages_have_no_refused_phrase() {
    let sources = sources();
    let pages = files(&root(), "md");
    assert!(sources.len() > 500 && pages.len() > 8, "they are here");
    let mut texts: Vec<_> = sources.iter().map(|(name, source)| (name, comments(source))).collect();
    texts.extend(pages.iter().map(|(name, page)| (name, paragraphs(page.lines()))));
    let mut found = Vec::new();
    for (name, paragraphs) in &texts {
        for (line, text) in paragraphs {
            found.extend(refused(text).into_iter().map(|phrase| format!("{name}:{line}: \"{phrase}\"")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_source_file_has_more_than_500_lines() {
    let sources = sources();
    assert!(ROOMS.iter().all(|room| sources.iter().any(|(name, _)| name.starts_with(room))), "all rooms");
    let lines = sources.iter().map(|(name, source)| (name, source.lines().count()));
    let found: Vec<String> =
        lines.filter(|(_, count)| *count > 500).map(|(name, count)| format!("{name}: {count} lines")).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The lines of a source's longest plain comment beside code, with the number of its first line.
fn longest_comment(source: &str) -> (usize, usize) {
    let (mut longest, mut lines) = ((0, 0), 0);
    for (number, line) in (1..).zip(source.lines()) {
        let is_comment = line.trim_start().starts_with("//") && comment(line, false).is_some();
        lines = if is_comment { lines + 1 } else { 0 };
        longest = longest.max((lines, number + 1 - lines));
    }
    longest
}

/// A longer explanation belongs to the page of its module.
#[test]
fn a_comment_beside_code_has_three_lines_at_most() {
    assert_eq!(longest_comment("/// 1\n/// 2\n// 3\n//\nlet a = 1; // 4\n// 5\n"), (2, 3));
    let longest = sources().into_iter().map(|(name, source)| (name, longest_comment(&source)));
    let found: Vec<String> =
        longest.filter(|(_, (lines, _))| *lines > 3).map(|(name, (_, line))| format!("{name}:{line}")).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The tests of the program need features that `cargo test` alone does not build.
#[test]
fn the_gate_tests_the_whole_workspace_with_the_features_that_tests_need() {
    let gate = fs::read_to_string(root().join(".ci/run")).expect("the gate can be read");
    assert!(gate.contains("test --workspace \\\n  --features \"$MORE\""), "it tests other packages, or other features");
    let more = gate.lines().find_map(|line| line.strip_prefix("MORE=")).expect("its features");
    let manifest = fs::read_to_string(root().join("cli/Cargo.toml")).expect("a manifest can be read");
    let needed: Vec<&str> = manifest.lines().filter_map(|line| line.strip_prefix("required-features = ")).collect();
    assert!(needed.len() >= 3, "{needed:?}");
    let storms = fs::read_to_string(root().join(".ci/storms")).expect("the storms can be read");
    let (_, of_storms) = storms.split_once("-p aqueduct-cli --features ").expect("the program's tests");
    let (of_storms, _) = of_storms.split_once(' ').expect("the test's name");
    for feature in needed.iter().flat_map(|line| line.split('"').skip(1).step_by(2)) {
        assert!(
            more.split(',').any(|one| one == format!("aqueduct-cli/{feature}")),
            "the gate does not build {feature}"
        );
        assert!(of_storms.split(',').any(|one| one == feature), "the storms do not build {feature}");
    }
}

/// Without that, `cargo run` cannot choose among several programs.
#[test]
fn one_program_is_what_cargo_run_runs() {
    let manifests =
        packages().into_iter().map(|path| fs::read_to_string(path.join("Cargo.toml")).expect("a manifest can be read"));
    let named: Vec<String> = manifests
        .flat_map(|text| {
            text.lines().filter(|line| line.starts_with("default-run")).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(named, ["default-run = \"aqueduct\""]);
}

/// Cargo compiles a library a second time for its unit tests, even without any, unless its manifest
/// has `test = false`. Then `tests/units.rs` has each module with tests.
#[test]
fn no_library_is_compiled_again_for_nothing_and_no_test_within_one_is_left_out() {
    for path in packages().into_iter().filter(|path| path.join("src/lib.rs").exists()) {
        let mut sources = files(&path.join("src"), "rs");
        sources.retain(|(_, source)| source.lines().any(|line| line.trim() == "#[test]"));
        let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("a manifest can be read");
        let of_library = manifest.split_once("\n[lib]\n").map_or("", |(_, after)| after);
        let is_off = of_library.lines().take_while(|line| !line.starts_with('[')).any(|line| line == "test = false");
        let units = fs::read_to_string(path.join("tests/units.rs")).unwrap_or_default();
        let runs = |name: &str| {
            let has = |name: String| units.contains(&format!("#[path = \"../src/{name}\"]"));
            has(name.to_owned()) || name.match_indices('/').any(|(end, _)| has(format!("{}/mod.rs", &name[..end])))
        };
        let has_tests = !sources.is_empty();
        sources.retain(|(name, _)| !runs(name));
        assert!(if is_off { sources.is_empty() } else { has_tests }, "{}: `test = false` is {is_off}", path.display());
    }
}

/// A newcomer draws the tree from memory: few rooms, and packages named as their folders.
#[test]
fn the_tree_has_its_rooms_and_packages_have_the_names_of_their_folders() {
    let mut rooms = Vec::new();
    for entry in fs::read_dir(root()).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        let folder = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && folder != "target" && !folder.starts_with('.') {
            rooms.push(folder);
        }
    }
    rooms.sort();
    assert_eq!(rooms, ["bench", "checker", "cli", "drop-in", "library", "proofs", "results", "scripts"]);

    for path in packages() {
        let path = path.strip_prefix(root()).expect("below the root").to_owned();
        let folder = path.file_name().expect("a name").to_string_lossy();
        let room = path.parent().expect("a room").to_string_lossy();
        let wanted = match (&*room, &*folder) {
            ("library", "queues") => vec!["aqueduct".to_owned()],
            ("drop-in", "loom-0.5") => vec!["loom".to_owned()],
            ("drop-in", _) => vec![folder.to_string()],
            ("bench", _) => vec![format!("aqueduct-bench-{folder}"), format!("aqueduct-{folder}")],
            ("proofs/under-model", "queues") => vec!["aqueduct-under-model".to_owned()],
            ("proofs/under-model", _) => vec![format!("aqueduct-{folder}-under-model")],
            _ => vec![format!("aqueduct-{folder}")],
        };
        let name = name(&root().join(&path));
        assert!(wanted.contains(&name), "{name} lies in {}", path.display());
    }
}
