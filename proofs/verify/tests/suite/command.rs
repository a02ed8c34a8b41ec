//! `aqueduct verify`: its output, and the options that it refuses.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::time::Duration;

use aqueduct_model::{Config, Report};
use aqueduct_verify::clients::spsc;
use aqueduct_verify::command::{picture, write};
use aqueduct_verify::faults::ring::{Fault, FaultyRing};
use aqueduct_verify::{VerifyArgs, clients};
use clap::Parser;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    verify: VerifyArgs,
}

fn args(name: &str) -> VerifyArgs {
    Arguments::parse_from(["verify", name]).verify
}

fn output(args: &VerifyArgs) -> (bool, String) {
    let mut out = Vec::new();
    let verified = write(args, &mut out).expect("it can be written");
    (verified, String::from_utf8(out).expect("text"))
}

#[test]
fn the_table_has_a_row_per_client_and_a_total() {
    let (verified, table) = output(&args("lamport/drop-"));
    assert!(verified);
    let rows: Vec<&str> = table.lines().collect();
    // Three queues have `lamport` in their names, and two programs of each begin with `drop-`.
    assert_eq!(rows.len(), 1 + 6 + 1, "{table}");
    assert!(
        rows[0].starts_with("client") && rows[7].contains("6 clients") && rows[7].ends_with("all as expected"),
        "{table}"
    );
    assert!(rows[1..7].iter().all(|row| row.ends_with("verified")), "{table}");
}

#[test]
fn a_queue_s_barriers_are_counted_with_its_executions() {
    let (right, lines) = output(&VerifyArgs { barriers: true, json: true, ..args("chase_lev") });
    let row: serde_json::Value = serde_json::from_str(&lines).expect("one object");
    assert!(right && row["queue"] == "chase_lev" && row["failed"] == 0, "{lines}");
    // The deque of C. Chase and Y. Lev keeps full fences on both sides, whatever else is weakened.
    assert!(row["SeqCst"].as_u64() >= Some(2) && row["Relaxed"].as_u64() > Some(0), "{lines}");
    let (_, plain) = output(&args("chase_lev"));
    assert!(plain.contains(&format!(" {} ", row["executions"])), "the sum over its clients: {plain}");
    let (_, table) = output(&VerifyArgs { barriers: true, ..args("lamport/") });
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..3], ["queue", "clients", "SeqCst"], "{table}");
    let lamport = rows.iter().find(|row| row[0] == "lamport").expect("it has a row");
    // Each side reads the other's index with Acquire, and writes its own with Release; the last
    // handle frees the queue.
    assert_eq!((lamport[2], lamport[3]), ("0", "1"), "{table}");
    assert!(lamport[4] != "0" && lamport[5] != "0", "{table}");
    let weaker = vec!["chase_lev/deque.rs:0:0=Relaxed".parse().expect("a site")];
    let refused = write(&VerifyArgs { barriers: true, ordering: weaker, ..args("chase_lev") }, &mut Vec::new());
    assert!(refused.is_err(), "no client comes to that site");
}

/// Lamport's queue acquires and releases. The owner of the deque of C. Chase and Y. Lev reads the
/// thieves' end relaxed, and then moves its own relaxed.
#[test]
fn executions_are_estimated() {
    let asked = VerifyArgs { estimate: NonZeroU64::new(1), ..args("lamport/") };
    let (_, table) = output(&VerifyArgs { name: Some("lamport/capacity-1".to_owned()), ..asked.clone() });
    let row: Vec<&str> = table.lines().nth(1).expect("a row").split_whitespace().collect();
    assert_eq!(row, ["lamport/capacity-1", "20", "20", "20", "1", "20"], "{table}");
    let (right, lines) = output(&VerifyArgs { json: true, name: Some("chase_lev/grow-1".to_owned()), ..asked });
    let row: serde_json::Value = serde_json::from_str(&lines).expect("JSON");
    assert!(right && row["known"] == 250 && row["from"].as_f64() <= row["about"].as_f64(), "{lines}");
    assert!(row["probes"].as_u64() > Some(1), "{lines}");
}

#[test]
fn a_queue_s_load_buffering_is_named() {
    let (none, table) = output(&VerifyArgs { load_buffering: true, ..args("lamport/drop-") });
    let lamport = table.lines().find(|line| line.starts_with("lamport ")).expect("it has a row");
    assert!(none && lamport.ends_with(" 0"), "{table}");
    let (none, lines) = output(&VerifyArgs { load_buffering: true, json: true, ..args("chase_lev") });
    let row: serde_json::Value = serde_json::from_str(&lines).expect("one object");
    let pairs = row["pairs"].as_array().expect("a list");
    assert!(!none && row["unproven"] == 0 && !pairs.is_empty(), "{lines}");
    assert!(pairs.iter().all(|pair| pair["read"].as_str().is_some_and(|read| read.contains(".rs:"))), "{lines}");
}

#[test]
fn json_has_one_object_per_client() {
    let (verified, lines) = output(&VerifyArgs { json: true, ..args("fast_forward/full-") });
    assert!(verified);
    for line in lines.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("an object");
        assert_eq!(object["verdict"], "verified", "{line}");
        assert_eq!(object["executions"], object["expected"], "{line}");
        assert!(object["name"].is_string() && object["blocked"].is_u64() && object["seconds"].is_f64(), "{line}");
    }
    assert_eq!(lines.lines().count(), 9, "{lines}");
}

#[test]
fn channels_have_their_clients_beside_the_queues() {
    let (verified, table) = output(&args("channel-oneshot/"));
    let count =
        clients::channels::clients().iter().filter(|client| client.name.starts_with("channel-oneshot/")).count();
    assert!(verified && count > 5 && table.lines().count() == 1 + count + 1, "{table}");
    let (verified, table) = output(&args("channel-weak/rendezvous::an_upgrade_beside_the_end"));
    assert!(verified && table.lines().count() == 3, "{table}");
    let walk = VerifyArgs { random: NonZeroU64::new(20), ..args("channel-event/") };
    let (_, table) = output(&walk);
    assert!(table.lines().count() > 2 && table.contains("random: nothing found"), "{table}");
}

/// An exact name is not a part of other names: `lamport/drop` is one client, though
/// `lazy_lamport/drop` exists.
#[test]
fn an_exact_name_is_one_client_also_a_big_one() {
    let (_, table) = output(&args("lamport/drop-full"));
    assert_eq!(table.lines().count(), 3, "{table}");
    let (_, table) = output(&args("improved_fast_forward-2/longer-full-2"));
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn two_workers_count_the_same() {
    let (verified, table) = output(&VerifyArgs { jobs: NonZeroUsize::new(2).expect("two"), ..args("lamport/long-2") });
    assert!(verified, "{table}");
}

#[test]
fn an_unknown_name_is_refused_with_what_there_is() {
    let error = write(&args("no_such_queue"), &mut Vec::new()).expect_err("there is none").to_string();
    assert!(error.contains("no_such_queue") && error.contains("stamped_line/..."), "{error}");
    let error = write(&args("/longer"), &mut Vec::new()).expect_err("they are big").to_string();
    assert!(error.contains("--big"), "{error}");
    let replay = VerifyArgs { replay: Some("x".to_owned()), ..args("lamport") };
    let error = write(&replay, &mut Vec::new()).expect_err("not a client's name").to_string();
    assert!(error.contains("exact name"), "{error}");
}

/// Random executions of a queue find no error, and the table claims no proof.
#[test]
fn random_executions_are_no_proof() {
    let random = |seed: u64| VerifyArgs { random: NonZeroU64::new(200), seed, ..args("lamport/drop-full") };
    let (fine, table) = output(&random(3));
    assert!(fine);
    assert!(table.lines().nth(1).is_some_and(|row| row.ends_with("random: nothing found, not a proof")), "{table}");
    assert!(table.trim_end().ends_with("nothing found, which is not a proof"), "{table}");
    let figures = |seed: u64| {
        let (_, line) = output(&VerifyArgs { json: true, ..random(seed) });
        let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
        assert_eq!((&object["verdict"], &object["seed"]), (&"random".into(), &seed.into()), "{line}");
        (object["executions"].clone(), object["blocked"].clone())
    };
    assert_eq!(figures(3), figures(3));
}

/// A check that ended early is resumed, and its counts are those of a check without a pause.
#[test]
fn a_check_that_was_left_is_resumed() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resumed");
    let _ = std::fs::remove_file(&file);
    let resume = |name: &str| VerifyArgs { resume: Some(file.clone()), ..args(name) };
    let (verified, table) = output(&resume("lamport/drop-full"));
    assert!(verified && table.contains("verified"), "{table}");
    let (verified, again) = output(&resume("lamport/drop-full"));
    assert!(verified, "{again}");
    let error = write(&resume("lamport/drop"), &mut Vec::new()).expect_err("another client").to_string();
    assert!(error.contains("lamport/drop-full, as in") && error.contains("lamport/drop, as in"), "{error}");
    let error = write(&resume("lamport/"), &mut Vec::new()).expect_err("several").to_string();
    assert!(error.contains("exact name") && error.contains("bwos-fifo/seed"), "{error}");
    let words = ["verify", "--resume", "file"];
    assert!(Arguments::try_parse_from(words).expect_err("no name").to_string().contains("<NAME>"));

    let client = clients::all().into_iter().find(|client| client.name == "lamport/long-2").expect("a client");
    let whole = client.check(&Config::new());
    let part = |most| {
        let config = Config::new().max_executions(most);
        client.check_saving(&config, &file, "long", Duration::MAX).expect("it can be gone on with")
    };
    std::fs::remove_file(&file).expect("it is there");
    let reports: Vec<_> = (1..=4).map(|time| part(time * whole.executions / 3)).collect();
    assert!(reports[0].limited && reports[1].limited && reports[1].explored > reports[0].explored, "{}", reports[1]);
    let last = reports.last().expect("some");
    assert!(last.exhaustive, "{last}");
    assert_eq!((last.executions, last.blocked, last.events), (whole.executions, whole.blocked, whole.events));
}

/// Every client, big ones included, is right in all random executions.
#[test]
fn random_executions_of_right_queues_raise_no_alarm() {
    for client in clients::all() {
        let report = client.check(&Config::new().random(10, 9));
        assert!(report.failure.is_none(), "{}: {}", client.name, report.failure.unwrap());
        assert_eq!(report.blocked, 0, "{}", client.name);
        assert!(report.executions > 6, "{}: {} of 10 led nowhere", client.name, report.discarded);
    }
}

#[test]
fn a_replayed_execution_is_drawn() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let files = ["html", "dot"].map(|ending| folder.join(format!("replayed.{ending}")));
    let [html, dot] = files.clone().map(Some);
    let replay = VerifyArgs { replay: Some("aq1:0".to_owned()), html, dot, ..args("lamport/capacity-1") };
    let (fine, table) = output(&replay);
    assert!(fine && table.contains("nothing is wrong with this execution"), "{table}");
    let [page, text] = files.map(|file| std::fs::read_to_string(file).expect("it was written"));
    assert!(page.contains("<title>lamport/capacity-1, replayed</title>"), "{page}");
    assert!(page.contains("spsc/lamport.rs:") && page.contains("class=\"event\""), "{page}");
    assert!(text.starts_with("digraph") && text.contains("label=\"rf\"") && !text.contains("label=\"fr\""), "{text}");
    let unwritable = Some(folder.join("no such folder/page.html"));
    let error = write(&VerifyArgs { html: unwritable, ..replay }, &mut Vec::new()).expect_err("no folder").to_string();
    assert!(error.contains("cannot write") && error.contains("no such folder"), "{error}");
}

/// The first client that fails with a weaker ordering by chance is drawn.
#[test]
fn the_first_client_that_fails_is_drawn() {
    let client = clients::all().into_iter().find(|client| client.name == "lamport/capacity-1").expect("a client");
    let sites = client.check(&Config::new()).sites;
    let publication = sites.iter().find(|site| site.file.ends_with("spsc/lamport.rs") && site.ordering == "Release");
    let publication = publication.expect("Lamport's queue publishes an index");
    let ordering = format!("spsc/lamport.rs:{}:{}=Relaxed", publication.line, publication.column);
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failed.html");
    let words = ["verify", "lamport/capacity-1", "--ordering", &ordering, "--random", "500", "--html"];
    let words = words.into_iter().map(str::to_owned).chain([page.display().to_string()]);
    let (fine, table) = output(&Arguments::parse_from(words).verify);
    assert!(!fine && table.contains("FAILED") && table.contains("--replay 'aq1:"), "{table}");
    let page = std::fs::read_to_string(page).expect("it was written");
    assert!(page.contains("<title>lamport/capacity-1 fails: Race</title>"), "{page}");
    assert_eq!(page.matches("class=\"event marked\"").count(), 2, "{page}");
}

/// None of the command's clients fails, so the client is one of a faulty ring.
#[test]
fn what_fails_is_drawn() {
    let ring = spsc::of_any("ring", 1, |setup| FaultyRing { setup, fault: Fault::ReleasesEarly });
    let client = ring.into_iter().find(|client| client.name == "ring/full-1").expect("there is such a client");
    let report = client.check(&Config::new());
    let (title, graph) = picture(&client, &report).expect("it fails");
    assert_eq!(title, "ring/full-1 fails: Race");
    let page = graph.to_html(&title);
    let marked: Vec<&str> = page.lines().filter(|line| line.contains("class=\"event marked\"")).collect();
    assert_eq!(marked.len(), 2, "{page}");
    assert!(marked.iter().all(|line| line.contains("ring.rs:")), "{marked:?}");
    assert!(picture(&client, &Report::default()).is_none());
}

/// The estimate reports that it is none: if more has been explored than it allows, or if the probes
/// differ too much.
#[test]
fn an_estimate_that_is_none_says_so() {
    let all = clients::all();
    let client = all.iter().find(|client| client.name == "lamport/long-2").expect("a client");
    let executions = client.check(&Config::new()).executions;
    let estimate = client.estimate(&Config::new());
    let told = |executions| estimate.told(executions);
    assert!(told(executions / 2).starts_with("about ") && told(executions / 2).contains("90 %: "));
    assert!(told(100 * executions).contains("no estimate"), "{}", told(100 * executions));
}

/// The tasks of a plan together have the counts of the whole; one that is missing, or was there
/// before, is named.
#[test]
fn an_exploration_is_divided_and_merged() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("divided");
    let _ = std::fs::remove_dir_all(&folder);
    let words = |words: &str| {
        let words = words.replace("DIR", folder.to_str().expect("a plain path"));
        Arguments::try_parse_from(["verify"].into_iter().chain(words.split(' '))).map(|arguments| arguments.verify)
    };
    let run = |text: &str| output(&words(text).expect("known options"));
    let (fine, text) = run("lamport/long-2 --split 3 DIR");
    assert!(fine && text.contains("lamport/long-2: 3 tasks in "), "{text}");
    let refused = |text: &str| {
        write(&words(text).expect("known options"), &mut Vec::new()).expect_err("it is refused").to_string()
    };
    assert!(refused("lamport/long-2 --split 3 DIR").contains("has a plan already"));
    assert!(refused("--merge DIR").contains("3 tasks have no result: 1, 2, 3"));
    let (fine, text) = run("--task DIR/1.task");
    assert!(fine && text.ends_with("explored\n"), "{text}");
    let (fine, line) = run("--task DIR/2.task --json");
    let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
    assert!(fine && object["name"] == "lamport/long-2" && object["tasks"] == serde_json::json!([]), "{line}");
    assert!(refused("--merge DIR").contains("1 tasks have no result: 3"));
    run("--task DIR/3.task");
    let (fine, text) = run("--merge DIR");
    assert!(fine && text.contains("verified") && text.contains("3 tasks"), "{text}");
    let (fine, line) = run("--merge DIR --json");
    let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
    assert!(fine && object["executions"] == object["expected"], "{line}");

    assert!(refused("lamport/long- --split 3 DIR").contains("what is divided needs the exact name"));
    assert!(refused("lamport/long-2 --split 0 DIR").contains("between 1 and 100000"));
    assert!(refused("--task DIR/4.task").contains("4.task"));
    for wrong in ["--split 3 DIR", "lamport/long-2 --merge DIR", "--task DIR/1.task --give-back 0"] {
        assert!(words(wrong).is_err(), "{wrong}");
    }
}
