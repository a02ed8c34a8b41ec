//! Checks of the clients of products under the model. Every execution of each passes, their number
//! is known, and some of them need each ordering of the source.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use aqueduct_model::minimal::{self, Minimizer};
use aqueduct_model::{Config, Report};

/// A client: its name, its program, and its number of executions.
pub type Client = (&'static str, fn(), u64);

/// A client with too many executions to explore them all: its name and its program.
pub type Walk = (&'static str, fn());

/// Clients whose owners of an `Arc` are dropped in every order.
const ALL_DROP_ORDERS: [&str; 9] = [
    // These show that a store must not come before an earlier load (load buffering). Their threads
    // drop an owner besides, and the order of drops leads back to the load.
    "an_upgrade_beside_the_last_receiver",
    "the_receiver_of_news_goes",
    "two_receivers_end",
    // With their faults, a pool waits forever. In other orders, a run in which the checker kills
    // that thread comes first, and a pool ends the process then.
    "a_task_is_made_late",
    "a_bounded_worker_blocks_on_two_tasks",
    "an_undisturbed_worker_blocks_within_a_task",
    "parts_of_a_body_are_left",
    "a_body_is_woken_from_outside",
    "a_body_ends_around_a_wait",
];

/// Returns these options for the client of this name.
pub fn of_client(config: &Config, name: &str) -> Config {
    config.clone().all_drop_orders(ALL_DROP_ORDERS.contains(&name))
}

/// Explores a client with these options.
pub fn checked(config: &Config, name: &str, client: fn()) -> Report {
    of_client(&config.clone().jobs(2), name).check(client)
}

/// Explores all executions of each client.
///
/// # Panics
/// If a client fails, or has another number of executions.
pub fn check_all(clients: &[Client]) {
    let check = |client: &Client| checked(&Config::new(), client.0, client.1);
    let wrong: String = clients.iter().map(|client| what_is_wrong(client, &check(client))).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Explores this number of random executions of each program.
///
/// # Panics
/// If a program fails.
pub fn check_walks(walks: &[Walk], executions: u64) {
    for &(name, client) in walks {
        let report = checked(&Config::new().random(executions, 11), name, client);
        assert!(report.failure.is_none(), "{name}: {report}");
    }
}

/// Describes how the report of a client differs from the expected one; empty if it does not.
pub fn what_is_wrong(&(name, _, expected): &Client, report: &Report) -> String {
    if let Some(failure) = &report.failure {
        format!("{name} fails: {failure}\n")
    } else if !report.exhaustive || report.executions != expected {
        format!("{name} has {} executions, and not {expected}\n", report.executions)
    } else {
        String::new()
    }
}

/// Explores all executions of each client, as [`check_all`] does. Then weakens each ordering that
/// the source names below these folders: some client has to fail. Each folder comes with its
/// expected number of orderings that are not relaxed.
///
/// The second clients fail, too, if one of their relaxed reads could be exchanged with a later
/// relaxed write: as the source is written, none has one.
///
/// # Panics
/// If an ordering is needed by no client, or their number is another one.
pub fn check_orderings(clients: &[Client], without_load_buffering: &[Client], needed: &[(&str, usize)]) {
    let wrong = Arc::new(Mutex::new(String::new()));
    let of_programs = clients.iter().map(|client| minimized(*client, &wrong));
    let of_buffering = without_load_buffering.iter().map(|client| minimized(*client, &wrong));
    let clients = of_programs.chain(of_buffering.map(minimal::Client::against_load_buffering)).collect();

    let is_ours = |file: &str, line: u32| {
        needed.iter().any(|(folder, _)| file.contains(folder)) && {
            let text = fs::read_to_string(format!("../../../{}", file.trim_start_matches("../")))
                .or_else(|_| fs::read_to_string(file))
                .expect("the source can be read");
            let line = text.lines().nth(line as usize - 1).expect("the line is there");
            line.contains("Ordering::") || line.contains("fences::")
        }
    };
    let table = Minimizer::new(Config::new(), clients).only(|site| is_ours(site.file, site.line)).table();
    let table = table.unwrap_or_else(|broken| panic!("{broken}"));
    let wrong = wrong.lock().expect("no check has panicked");
    assert!(wrong.is_empty(), "\n{wrong}");

    let strong: Vec<String> = table.too_strong().map(|row| row.site.to_string()).collect();
    assert!(strong.is_empty(), "no client needs: {strong:#?}");
    let stronger = table.rows.iter().filter(|row| !row.weaker.is_empty()).map(|row| row.site.to_string());
    let stronger: Vec<String> = stronger.collect();
    for &(folder, number) in needed {
        let found: Vec<_> = stronger.iter().filter(|site| site.contains(folder)).collect();
        assert_eq!(found.len(), number, "orderings of {folder} that the clients need: {found:#?}");
    }
}

/// Returns a client that records the error of its first check, in which nothing is weakened.
fn minimized(client: Client, wrong: &Arc<Mutex<String>>) -> minimal::Client {
    let (wrong, is_weakened) = (Arc::clone(wrong), AtomicBool::new(false));
    minimal::Client::checked_by(client.0, move |config| {
        let report = checked(config, client.0, client.1);
        if !is_weakened.swap(true, Relaxed) {
            wrong.lock().expect("no check has panicked").push_str(&what_is_wrong(&client, &report));
        }
        report
    })
}
