//! `aqueduct verify --minimal`: every ordering in the queues that is stronger than `Relaxed` is
//! needed.

use aqueduct_model::{Config, Report, SiteReport};
use aqueduct_verify::VerifyArgs;
use aqueduct_verify::clients::{self, Client};
use aqueduct_verify::command::write;
use aqueduct_verify::orderings::sites::{self, short};
use aqueduct_verify::orderings::{self as needs, AGAINST_BUFFERING, Asked};
use aqueduct_verify::tables::{self, orderings, orderings::Need};
use clap::Parser;
use serde_json::Value;

use crate::explored::{self, on_all_cores};

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    args: VerifyArgs,
}

/// Runs `aqueduct verify` with these arguments. Returns its verdict and its output.
fn verify(words: &str) -> (bool, String) {
    let words = words.split_whitespace().map(|word| word.trim_matches('\''));
    let program = Program::try_parse_from(["verify"].into_iter().chain(words)).expect("known options");
    let mut out = Vec::new();
    let well = write(&program.args, &mut out).unwrap_or_else(|error| panic!("{error}"));
    (well, String::from_utf8(out).expect("text"))
}

fn refused(words: &str) -> String {
    match Program::try_parse_from(["verify"].into_iter().chain(words.split_whitespace())) {
        Ok(program) => write(&program.args, &mut Vec::new()).expect_err("it is refused").to_string(),
        Err(error) => error.to_string(),
    }
}

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect()
}

/// Returns the orderings that are allowed at a row's site.
fn allowed(row: &Value) -> Vec<&str> {
    let weaker = row["weaker"].as_array().expect("a list").iter();
    weaker.filter(|weaker| weaker["verdict"] == "allowed").filter_map(|weaker| weaker["ordering"].as_str()).collect()
}

/// A row with a client of more executions runs only with the environment variable
/// `AQUEDUCT_THOROUGH=1`.
const FEW: u64 = 100;

/// Returns the rows with a client of many executions.
fn large(needs: &[Need<'static>]) -> Vec<sites::Named> {
    let is_large = |name: &&str| explored::size(name.trim_start_matches(AGAINST_BUFFERING)) > FEW;
    let rows = sites::named().zip(needs).filter(|(_, need)| need.clients.iter().any(is_large));
    rows.map(|(named, _)| named).collect()
}

/// The table changes with the library, so the page has the share rounded down.
#[test]
fn the_readme_says_how_many_orderings_are_weakened() {
    let needs = orderings::all();
    let tenths = 10 * (needs.len() - large(&needs).len()) / needs.len();
    let wanted = format!("weakens {tenths}0 % of the orderings (the gate: all)");
    let readme = include_str!("../../../../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&wanted), "README.md does not say: {wanted}");
}

/// Each ordering is weakened in the clients that the table names. They are right as the source is
/// written, and one fails with any weaker ordering. The table has a row for each ordering that the
/// source names.
#[test]
fn every_ordering_of_the_library_is_needed() {
    let needs = orderings::all();
    let rows: Vec<_> = needs.iter().map(|need| (need.file, need.code)).collect();
    let named: Vec<_> = sites::named().map(|named| (named.file, named.code)).collect();
    let other = (0..rows.len().max(named.len())).find(|&row| rows.get(row) != named.get(row));
    assert!(
        other.is_none() || tables::are_rewritten(),
        "{:?}: expected/orderings.txt has a row for each line that names an ordering, in the files' order: here it has another",
        other.map(|row| (rows.get(row), named.get(row)))
    );

    let all = other.is_some() || tables::are_rewritten() || std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let left_out = if all { Vec::new() } else { large(&needs) };
    let asked: Vec<(sites::Named, Need<'_>)> =
        sites::named().zip(needs.iter().cloned()).filter(|(named, _)| !left_out.contains(named)).collect();

    // The files with the most executions come first, so that all cores have work up to the end.
    let mut files: Vec<&str> = asked.iter().map(|(named, _)| named.file).collect();
    files.dedup();
    let size_of = |file: &str| {
        let needs = asked.iter().filter(|(named, _)| named.file == file).flat_map(|(_, need)| &need.clients);
        needs.map(|name| explored::size(name.trim_start_matches(AGAINST_BUFFERING)).min(1 << 32)).sum::<u64>()
    };
    files.sort_by_key(|file| std::cmp::Reverse(size_of(file)));
    let all_clients = clients::all();
    let found = on_all_cores(&files, |file| {
        // For a new line of the source, any client may be the one but those of a deque that leans
        // on the ban.
        let is_asked = |named: &sites::Named| named.file == *file;
        let of_file = || asked.iter().filter(|(named, _)| is_asked(named)).flat_map(|(_, need)| &need.clients);
        let is_named = |client: &&Client| {
            of_file().any(|name| name.trim_start_matches(AGAINST_BUFFERING) == client.name)
                || other.is_some() && !client.big && !client.name.starts_with("chase_lev/")
        };
        let clients: Vec<Client> = all_clients.iter().filter(is_named).cloned().collect();
        needed(file, &clients, &left_out, other.is_some())
    });
    let found: Vec<Value> = found.into_iter().flatten().collect();
    let mut rows = Vec::new();
    for named in sites::named().filter(|named| !left_out.contains(named)) {
        let mut failed: Vec<&str> = Vec::new();
        for row in found.iter().filter(|row| line_of(row) == (named.file, named.line)) {
            for weaker in row["weaker"].as_array().expect("a list") {
                let client = weaker["client"].as_str().expect("one failed");
                if !failed.contains(&client) {
                    failed.push(client);
                }
            }
        }
        rows.push(Need { file: named.file, code: named.code, clients: failed });
    }
    if tables::are_rewritten() {
        tables::rewrite("orderings.txt", &orderings::text(&rows)).expect("the table can be written");
        return;
    }
    if !all {
        println!(
            "{} orderings were left out, because they need clients of more than {FEW} executions: AQUEDUCT_THOROUGH=1 weakens them",
            left_out.len()
        );
    }
    let wrong: Vec<_> =
        rows.iter().zip(&asked).filter(|(row, (_, need))| *row != need).map(|(row, _)| row.clone()).collect();
    assert!(wrong.is_empty(), "expected/orderings.txt names other clients than fail:\n{}", orderings::text(&wrong));
}

/// Weakens a file's orderings that are not left out, and returns a result for each. They are
/// needed.
fn needed(file: &str, clients: &[Client], left_out: &[sites::Named], searches: bool) -> Vec<Value> {
    let names_file = |site: &SiteReport| sites::SOURCES.iter().any(|&(source, _)| source == sites::short(site.file));
    for client in clients {
        let sites = explored::report(&client.name).sites.iter().filter(|site| sites::has_queue(site.file));
        let unknown: Vec<_> = sites.filter(|site| site.ordering != "Relaxed" && !names_file(site)).collect();
        assert!(unknown.is_empty(), "{}: sites.rs lacks the files of {unknown:?}", client.name);
    }

    let options = Asked { from_sc: false, json: true, whole: true, searches, file: Some(file), left_out, known };
    let mut out = Vec::new();
    let needed = needs::write(options, Config::new(), clients, &mut out).unwrap_or_else(|error| panic!("{error}"));
    let text = String::from_utf8(out).expect("text");
    assert!(needed, "{text}");
    let mut found = json(&text);
    found.pop();
    found
}

/// Returns the report of a client of the minimizer with nothing weakened. It has none if it fails
/// by load buffering.
fn known(name: &str) -> Option<Report> {
    let report = explored::report(name.trim_start_matches(AGAINST_BUFFERING));
    let is_right = !name.starts_with(AGAINST_BUFFERING) || report.load_buffering.as_deref() == Some(&[][..]);
    is_right.then(|| report.clone())
}

/// So rewriting the table changes only the rows that have changed.
#[test]
fn the_table_of_orderings_is_written_as_it_is_read() {
    assert_eq!(orderings::text(&orderings::all()), orderings::TABLE);
}

/// Returns the file and line of a row.
fn line_of(row: &Value) -> (&str, u32) {
    let mut parts = row["site"].as_str().expect("a place").split(':');
    let file = parts.next().expect("a file");
    (file, parts.next().and_then(|line| line.parse().ok()).expect("a line"))
}

#[test]
fn one_queue_says_so_for_itself_with_counterexamples_that_replay() {
    let (needed, text) = verify("--minimal lamport --json");
    assert!(needed, "{text}");
    let mut rows = json(&text);
    let sum = rows.pop().expect("a summary");
    assert_eq!((sum["orderings"].as_u64(), sum["too_strong"].as_u64()), (Some(6), Some(0)), "{text}");
    assert_eq!(rows.len(), 6, "{text}");
    for row in &rows {
        assert!(row["needed"] == true && allowed(row).is_empty(), "{row}");
        for weaker in row["weaker"].as_array().expect("a list") {
            // The name selects `lamport` itself, though other names contain it.
            assert!(weaker["client"].as_str().is_some_and(|client| client.starts_with("lamport/")), "{row}");
            let command = weaker["replay"].as_str().and_then(|line| line.strip_prefix("aqueduct verify "));
            let (well, output) = verify(command.expect("a command"));
            assert!(!well && output.contains("FAILED"), "{row}\n{output}");
            assert!(output.contains(weaker["failure"].as_str().expect("text")), "{row}\n{output}");
        }
    }
}

#[test]
fn an_ordering_that_is_too_strong_is_listed_and_fails() {
    let client = clients::all().into_iter().find(|client| client.name == "lamport/capacity-1").expect("a client");
    let sites = client.check(&Config::new()).sites;
    let store = sites.iter().find(|site| site.file.ends_with("lamport.rs") && site.ordering == "Release");
    let store = store.expect("Lamport's queue publishes an index");
    let place = format!("{}:{}:{}", short(store.file), store.line, store.column);
    let (needed, table) = verify(&format!("--minimal lamport --ordering {place}=SeqCst"));
    assert!(!needed, "{table}");
    let listed: Vec<&str> = table.lines().filter(|line| line.starts_with("NOT NEEDED")).collect();
    assert_eq!(listed, [format!("NOT NEEDED: {place} store SeqCst: all clients pass with Release")], "{table}");
    // An ordering that is too weak is an error of its own: the others cannot be judged.
    let error = refused(&format!("--minimal lamport --ordering {place}=Relaxed"));
    assert!(error.contains("fails with nothing weakened"), "{error}");
}

#[test]
fn from_seqcst_lamports_orderings_are_found_again() {
    let (needed, text) = verify("--minimal lamport --from-sc --json");
    let rows = json(&text);
    let found: Vec<&Value> = rows.iter().filter(|row| row["from_sc"].is_string()).collect();
    assert!(needed && found.len() == 9, "{text}");
    assert!(found.iter().all(|row| row["from_sc"] == row["ordering"] && row["undecided"].is_null()), "{text}");
    let sum = rows.last().expect("a summary");
    assert!(sum["others"] == 0 && sum["checks"].as_u64().is_some_and(|checks| checks > 9), "{sum}");
    assert!(sum["executions"].as_u64().is_some_and(|executions| executions > 1000), "{sum}");
}

/// The expected answers are in the module `chase_lev`.
#[test]
fn chase_and_levs_deque_has_the_needs_that_are_known() {
    let (needed, text) = verify("--minimal chase_lev --json");
    assert!(!needed, "{text}");
    let mut rows = json(&text);
    rows.pop();
    let key: Vec<(&str, &str, Vec<&str>)> = (rows.iter())
        .map(|row| (row["operation"].as_str().expect("text"), row["ordering"].as_str().expect("text"), allowed(row)))
        .collect();
    let all_weaker = || vec!["AcqRel", "Acquire", "Release", "Relaxed"];
    let expected = [
        ("load", "Acquire", vec!["Relaxed"]),         // push: top
        ("fence", "Release", vec![]),                 // push
        ("store", "Release", vec![]),                 // grow: array
        ("fence", "SeqCst", vec![]),                  // take
        ("compare_exchange", "SeqCst", all_weaker()), // take: top
        ("load", "Acquire", vec!["Relaxed"]),         // steal: top
        ("fence", "SeqCst", vec![]),                  // steal
        ("load", "Acquire", vec![]),                  // steal: bottom
        ("load", "Acquire", vec![]),                  // steal: array
        ("compare_exchange", "SeqCst", all_weaker()), // steal: top
    ];
    assert_eq!(key, expected, "{text}");

    // The orderings that are allowed one at a time are allowed together.
    let weak: Vec<String> = (rows.iter().filter(|row| allowed(row).contains(&"Relaxed")))
        .map(|row| format!("--ordering {}=Relaxed", row["site"].as_str().expect("text")))
        .collect();
    let (well, table) = verify(&format!("chase_lev {}", weak.join(" ")));
    assert!(well && table.matches("right with these orderings").count() == 7, "{table}");
}

#[test]
fn what_cannot_be_is_refused_with_what_there_is() {
    let error = refused("--minimal no_such_queue");
    assert!(error.contains("no_such_queue") && error.contains("stamped_line"), "{error}");
    let error = refused("lamport --ordering spsc/lamport.rs:1:1=Relaxed");
    assert!(error.contains("spsc/lamport.rs:1:1") && error.contains("no client comes"), "{error}");
    let error = refused("lamport --ordering spsc/lamport.rs:1=Relaxed");
    assert!(error.contains("FILE:LINE:COLUMN=ORDERING"), "{error}");
    let error = refused("lamport --ordering spsc/lamport.rs:1:1=Sequential");
    assert!(error.contains("none of Relaxed"), "{error}");
    let client = clients::all().into_iter().find(|client| client.name == "lamport/capacity-1").expect("a client");
    let sites = client.check(&Config::new()).sites;
    let load = sites.iter().find(|site| site.operation == "load").expect("it loads");
    let place = format!("{}:{}:{}", short(load.file), load.line, load.column);
    let error = refused(&format!("lamport --ordering {place}=Release"));
    assert!(error.contains("no Release load"), "{error}");
    assert!(refused("--from-sc").contains("--minimal"));
    assert!(refused("--minimal lamport --replay aq1:0").contains("--replay"));
}
