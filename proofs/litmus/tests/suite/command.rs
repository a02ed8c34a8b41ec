//! The output of `aqueduct litmus`.

use std::fs;
use std::path::PathBuf;

use aqueduct_litmus::command::{LitmusArgs, write_answers};
use clap::Parser;
use serde_json::{Value, json};

use crate::support;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    litmus: LitmusArgs,
}

fn corpus_file(name: &str) -> PathBuf {
    support::corpus_folder().join(format!("{name}.litmus"))
}

/// Writes `text` into a file of a folder that is reused, and returns its path.
fn file(name: &str, text: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder for temporary files is writable");
    path
}

/// Returns the output of the command, and the number of files that failed.
fn output(options: &[&str], files: &[PathBuf]) -> (String, usize) {
    let words = ["litmus"].iter().chain(options).map(|word| word.to_string());
    let files = files.iter().map(|path| path.display().to_string());
    let args = Arguments::parse_from(words.chain(files)).litmus;
    let mut out = Vec::new();
    let failures = write_answers(&args, &mut out).expect("a vector takes all");
    (String::from_utf8(out).expect("text"), failures)
}

fn json_lines(options: &[&str], files: &[PathBuf]) -> (Vec<Value>, usize) {
    let (text, failures) = output(&[&["--json"], options].concat(), files);
    (text.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect(), failures)
}

#[test]
fn json_has_counts_states_and_the_condition() {
    let (text, failures) = output(&["--json"], &[corpus_file("casweak003")]);
    assert_eq!(failures, 0);
    let start =
        r#"{"name":"casweak003","executions":2,"blocked":0,"racy":false,"states":[{"0:r0":1,"0:r1":0,"0:r2":0,"#;
    assert!(text.starts_with(start), "{text}");
    let mut answer: Value = serde_json::from_str(&text).expect("a JSON object");
    assert!(answer["seconds"].take().as_f64().expect("a number") >= 0.0);
    let state = |r1: i32| {
        json!({"0:r0": 1, "0:r1": 0, "0:r2": 0, "0:r3": 0, "1:r0": 0, "1:r1": 0, "1:r2": r1,
               "x": 0, "y": 1, "e0_0": 0, "e0_1": 0, "e1_0": r1})
    };
    let expected = json!({"name": "casweak003", "executions": 2, "blocked": 0, "racy": false,
                          "states": [state(0), state(1)], "condition": true, "seconds": null});
    assert_eq!(answer, expected);
}

#[test]
fn a_racy_program_has_no_other_answers() {
    let (answers, failures) = json_lines(&[], &[corpus_file("mpna002")]);
    assert_eq!(failures, 0);
    assert_eq!(answers[0]["racy"], true);
    for key in ["executions", "blocked", "states", "condition"] {
        assert_eq!(answers[0][key], Value::Null, "{key}");
    }
    let (text, _) = output(&[], &[corpus_file("mpna002")]);
    assert!(text.starts_with("mpna002 under RC11\nDATA RACE: the program has no meaning\nnothing orders #"), "{text}");
}

#[test]
fn damaged_files_are_reported_and_the_others_still_done() {
    let damaged =
        file("damaged.litmus", b"C damaged\n{ x = 0; }\nP0 (atomic_int* x) {\n  int r0 = atomic_load(x);\n}\n");
    let binary = file("binary.litmus", b"C t\n{ \xff }");
    let missing = PathBuf::from("no-such-folder/missing.litmus");
    let files = [corpus_file("hand002"), damaged.clone(), binary, missing, corpus_file("hand005")];
    let (answers, failures) = json_lines(&[], &files);
    assert_eq!((failures, answers.len()), (3, 5));
    assert_eq!(answers[0]["executions"], 10);
    assert_eq!(answers[4]["executions"], 30);
    assert_eq!(answers[1]["name"], "damaged");
    let error = answers[1]["error"].as_str().expect("text");
    assert!(error.starts_with(&format!("{}:4:12: unknown function `atomic_load`", damaged.display())), "{error}");
    assert_eq!(answers[1].as_object().map(|object| object.len()), Some(2));
    assert!(answers[2]["error"].as_str().expect("text").contains("binary.litmus:2:3: this byte is not UTF-8"));
    assert!(answers[3]["error"].as_str().expect("text").contains("missing.litmus: cannot read this file"));
    let (text, failures) = output(&[], &files);
    assert_eq!(failures, 3);
    assert!(text.contains("damaged: error: ") && text.contains("hand005 under RC11"), "{text}");
}

/// A program beyond the checker's limits is an error, not a wrong answer.
#[test]
fn programs_beyond_the_limits_are_errors() {
    let threads: String = (0..20).map(|number| format!("P{number} (atomic_int* x) {{}}\n")).collect();
    let many = file("many.litmus", format!("C many\n{{}}\n{threads}exists (true)").as_bytes());
    let long = "C long\n{}\nP0 (atomic_int* x) { while (1) { atomic_store_explicit(x, 1, memory_order_relaxed); } }\nexists (true)";
    let long = file("long.litmus", long.as_bytes());
    let (answers, failures) = json_lines(&["--loop-bound", "100000"], &[many, long, corpus_file("hand002")]);
    assert_eq!(failures, 2);
    let error = |answer: &Value| answer["error"].as_str().expect("text").to_string();
    assert!(error(&answers[0]).contains("20 threads; the model checker takes at most 15"), "{}", answers[0]);
    let too_long = error(&answers[1]);
    assert!(too_long.contains("events") && too_long.lines().count() == 1, "{too_long}");
    assert_eq!(answers[2]["executions"], 10);
}

#[test]
fn options_choose_the_model_the_release_sequences_and_the_bound() {
    let executions =
        |options: &[&str], name: &str| json_lines(options, &[corpus_file(name)]).0[0]["executions"].clone();
    assert_eq!(executions(&[], "hand001"), 18);
    assert_eq!(executions(&["--model", "sc"], "hand001"), 15);
    assert_eq!(executions(&["--jobs", "2"], "hand001"), 18);
    assert_eq!(executions(&["--release-sequences", "cpp20"], "relseq002"), Value::Null);
    assert_eq!(executions(&["--release-sequences", "c11"], "relseq002"), 12);
    // Each further round of the loop is one more execution. The one that never sees the store is
    // blocked.
    let spin = "C spin\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n\
                P1 (atomic_int* x) { while (atomic_load_explicit(x, memory_order_relaxed) == 0) {} }\nforall (x=1)";
    let spin = file("spin.litmus", spin.as_bytes());
    for (options, executions, blocked) in [(vec![], 9, 1), (vec!["--loop-bound", "3"], 4, 1)] {
        let answer = &json_lines(&options, std::slice::from_ref(&spin)).0[0];
        assert_eq!((&answer["executions"], &answer["blocked"]), (&json!(executions), &json!(blocked)));
        assert_eq!(answer["condition"], true);
    }
}

#[test]
fn the_table_shows_states_counts_and_a_witness() {
    let (text, _) = output(&[], &[corpus_file("hand001")]);
    let expected = "\
18 executions, 0 blocked, no data race, ";
    assert!(text.starts_with("hand001 under RC11\n  1:r0  1:r1  2:r0  x  y\n     0     0     0  2  1\n"), "{text}");
    assert!(text.contains(expected), "{text}");
    let witness = "\
condition holds: 1 of 18 final states satisfy it (exists)
witness:
  P0            |  P1                   |  P2
  #1 W x=1 sc   |  #4 R x=2 acq <- #2   |  #3 W y=1 sc
  #2 W x=2 rel  |  #5 R y=0 sc <- init  |  #6 R x=0 sc <- init
  modification order of x: init, #1, #2
";
    assert!(text.contains(witness), "{text}");
}

#[test]
fn conditions_that_fail_show_why() {
    let test = |condition: &str| {
        let text = format!(
            "C t\n{{ x = 0; }}\nP0 (atomic_int* x) {{ atomic_store_explicit(x, 1, memory_order_relaxed); }}\n\
             P1 (atomic_int* x) {{ int r0 = atomic_load_explicit(x, memory_order_relaxed); }}\n{condition}\n"
        );
        output(&[], &[file(&format!("{}.litmus", condition.len()), text.as_bytes())]).0
    };
    let text = test("forall (1:r0=1)");
    assert!(
        text.contains("condition does not hold: 1 of 2 final states satisfy it (forall)\ncounterexample:"),
        "{text}"
    );
    assert!(text.contains("R x=0 rlx <- init"), "{text}");
    let text = test("~exists (1:r0=1 /\\ x=1)");
    assert!(
        text.contains("condition does not hold: 1 of 2 final states satisfy it (~exists)\ncounterexample:"),
        "{text}"
    );
    assert!(text.contains("R x=1 rlx <- #1"), "{text}");
    let text = test("exists (x=0)");
    assert!(text.contains("condition does not hold: 0 of 2 final states") && !text.contains("witness"), "{text}");
    let text = test("~exists (x=0 \\/ 1:r0=2)");
    assert!(text.contains("condition holds: 0 of 2 final states") && !text.contains("counterexample"), "{text}");
}

/// Every race of the corpus is shown as two accesses of an execution.
#[test]
fn every_race_is_shown() {
    let files: Vec<PathBuf> =
        support::corpus().iter().filter(|case| case.racy()).map(|case| corpus_file(&case.name)).collect();
    let (text, _) = output(&[], &files);
    assert_eq!(files.len(), 8);
    assert_eq!(text.matches("\nnothing orders #").count(), files.len(), "{text}");
    assert!(text.contains(" plain (line "), "{text}");
}

/// Returns the files that `--html` and `--dot` write.
fn drawn(options: &[&str], name: &str) -> (String, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (page, dot) = (folder.join(format!("{name}.html")), folder.join(format!("{name}.dot")));
    let files = [page.display().to_string(), dot.display().to_string()];
    output(&[&["--html", &files[0], "--dot", &files[1]], options].concat(), &[corpus_file(name)]);
    let read = |file: PathBuf| fs::read_to_string(file).expect("it was written");
    (read(page), read(dot))
}

#[test]
fn a_witness_is_drawn_with_its_cycle() {
    let (page, dot) = drawn(&[], "hand001");
    assert!(page.contains("<title>hand001: witness</title>"), "{page}");
    let marked = |text: &str| text.lines().any(|line| line.contains("\"event marked\"") && line.contains(text));
    assert!(page.lines().any(|line| line.contains("\"event marked\"") && line.contains("R y=0 sc")), "{page}");
    assert!(!marked("x = 0"), "{page}");
    assert!(page.contains("line 14</text>") && page.contains("No interleaving of the threads does this"), "{page}");
    assert!(dot.contains("subgraph cluster_2") && dot.contains("label=\"#5 R y=0 sc\\lline "), "{dot}");
    let edges = |text: &str, kind: &str| text.matches(&format!("label=\"{kind}\"")).count();
    assert_eq!(edges(&dot, "rf"), 3, "{dot}");
    // The edges on the cycle are always present, the others only with `--fr`.
    let (_, all) = drawn(&["--fr"], "hand001");
    assert!(edges(&dot, "fr") >= 1 && edges(&all, "fr") >= edges(&dot, "fr"), "{all}");
}

#[test]
fn a_race_is_drawn_with_both_accesses() {
    let (page, dot) = drawn(&[], "mpna002");
    assert_eq!(page.matches("class=\"event marked\"").count(), 2, "{page}");
    assert!(page.contains("class=\"edge conflict marked\""), "{page}");
    assert!(page.contains("<title>mpna002: nothing orders #"), "{page}");
    assert_eq!(dot.matches("label=\"conflict\"").count(), 1, "{dot}");
}

/// Every satisfied condition of the corpus has a witness that the oracle accepts, too.
#[test]
fn every_satisfied_condition_has_a_witness() {
    let files: Vec<PathBuf> = support::corpus().iter().map(|case| corpus_file(&case.name)).collect();
    let (text, failures) = output(&[], &files);
    assert_eq!(failures, 0);
    let satisfied = text.matches("condition holds").count();
    assert!(satisfied > 100, "{satisfied} satisfied conditions");
    assert_eq!(text.matches("\nwitness:\n").count(), satisfied);
}
