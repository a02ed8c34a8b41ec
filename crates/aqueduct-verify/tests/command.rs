//! `aqueduct verify`: what it prints, and what it refuses.

use std::num::NonZeroUsize;

use aqueduct_verify::VerifyArgs;
use aqueduct_verify::command::write;

fn args(name: &str) -> VerifyArgs {
    VerifyArgs {
        name: Some(name.to_owned()),
        json: false,
        big: false,
        jobs: NonZeroUsize::MIN,
        replay: None,
        matrix: false,
    }
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

/// An exact name is not taken for a part of others: `lamport/drop` is one client, though `lazy_lamport/drop` exists.
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
