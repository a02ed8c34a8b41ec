//! Lines of code to paste for a queue of ours. `tests/recommended_code` holds all of them, so that they are
//! compiled and tested.

use super::family_snippet;
use crate::names::Queue;

/// The use of a queue that the lines show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// Push and pop single items.
    Single,
    /// Push and pop batches.
    Batch,
    /// Push and pop pointers.
    Pointer,
    /// Requests through one queue, confirmations through another one.
    Exchange,
}

/// Whether the queue carries non-zero words only: FastForward's family.
pub(super) fn carries_words_only(queue: &Queue) -> bool {
    WORDS_ONLY.contains(&queue.name.as_str())
}

const WORDS_ONLY: [&str; 3] =
    ["aqueduct/fast_forward", "aqueduct/improved_fast_forward", "aqueduct/batched_improved_fast_forward"];

/// Returns the lines that make the queue `aqueduct/NAME` for `capacity` items and use it, if it has this use.
pub(super) fn code(queue: &Queue, usage: Usage, capacity: usize) -> Option<String> {
    let of_family = family_snippet::code(queue, usage, capacity);
    if of_family.is_some() || usage == Usage::Exchange {
        return of_family;
    }
    Some(of_pair(queue, usage, capacity))
}

/// Returns the lines for a queue of one producer and one consumer.
fn of_pair(queue: &Queue, usage: Usage, capacity: usize) -> String {
    let name = queue.name.strip_prefix("aqueduct/").unwrap_or(&queue.name);
    let (path, make) = match name {
        "ring" => ("aqueduct::spsc".to_owned(), "spsc::ring::new".to_owned()),
        "bbq_spsc" => ("aqueduct::bbq".to_owned(), "bbq::spsc::new".to_owned()),
        // The other direction carries numbers here.
        "duplex" => ("aqueduct::spsc".to_owned(), "spsc::duplex::new::<_, u64>".to_owned()),
        module => (format!("aqueduct::spsc::{module}"), format!("{module}::new")),
    };
    let [push, pop] = match (usage, carries_words_only(queue)) {
        (Usage::Batch, false) if name == "bbq_spsc" => [
            "assert_eq!(producer.push_slice(&[7_u64; 32]), 32);",
            "let mut items = [0; 32];\nassert_eq!(consumer.pop_slice(&mut items), 32);\nassert_eq!(items, [7; 32]);",
        ],
        (Usage::Single | Usage::Exchange, false) => ["producer.push(7_u64)?;", "assert_eq!(consumer.pop()?, 7);"],
        (Usage::Single | Usage::Exchange, true) => {
            ["producer.push(NonZeroU64::MIN)?;", "assert_eq!(consumer.pop()?, NonZeroU64::MIN);"]
        }
        (Usage::Batch, false) => {
            ["assert_eq!(producer.batch(32).fill(0..32_u64), 32);", "assert_eq!(consumer.batch(32).sum::<u64>(), 496);"]
        }
        (Usage::Batch, true) => [
            "producer.batch(32).fill((1..=32).filter_map(NonZeroU64::new));",
            "assert_eq!(consumer.batch(32).map(u64::from).sum::<u64>(), 528);",
        ],
        (Usage::Pointer, _) => ["producer.push(Box::new([7; 64]))?;", "assert_eq!(consumer.pop()?[0], 7);"],
    };
    let (handles, push, pop) = if name == "duplex" {
        ("client, mut server", push.replace("producer", "client.producer"), pop.replace("consumer", "server.consumer"))
    } else {
        ("producer, mut consumer", push.to_owned(), pop.to_owned())
    };
    let number = if push.contains("NonZeroU64") { "use std::num::NonZeroU64;\n" } else { "" };
    format!("use {path};\n{number}\nlet (mut {handles}) = {make}({capacity})?;\n{push}\n{pop}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: [&str; 9] = [
        "ring",
        "duplex",
        "lamport",
        "lazy_lamport",
        "batched_lamport",
        "fast_forward",
        "improved_fast_forward",
        "batched_improved_fast_forward",
        "bbq_spsc",
    ];
    const BATCHED: [&str; 5] = ["ring", "duplex", "batched_lamport", "batched_improved_fast_forward", "bbq_spsc"];

    /// Returns one test function for each usage of the queues of one producer and one consumer.
    fn one_to_one() -> String {
        let of_queue = |queue| {
            let all = [(Usage::Single, "single"), (Usage::Batch, "batch"), (Usage::Pointer, "pointer")];
            let offered = all.into_iter().filter(move |(usage, _)| *usage != Usage::Batch || BATCHED.contains(&queue));
            offered.map(move |(usage, word)| test_of(queue, usage, word))
        };
        QUEUES.into_iter().flat_map(of_queue).collect()
    }

    /// Returns one test function for each usage of the families of queues.
    fn families() -> String {
        let word = |usage| match usage {
            Usage::Batch => "batch",
            Usage::Exchange => "exchange",
            Usage::Single | Usage::Pointer => "single",
        };
        family_snippet::ALL.into_iter().map(|(queue, usage)| test_of(queue, usage, word(usage))).collect()
    }

    /// Returns a test function with the lines.
    fn test_of(queue: &str, usage: Usage, word: &str) -> String {
        let Ok(queue) = format!("aqueduct/{queue}").parse();
        let code = code(&queue, usage, 4096).expect("there are lines for it");
        let body: String =
            code.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect();
        let name = queue.name.trim_start_matches("aqueduct/");
        format!("\n#[test]\nfn {name}_{word}() -> Result<(), Box<dyn Error>> {{\n{body}    Ok(())\n}}\n")
    }

    /// A reader finds the queue that the advice names in the lines below it.
    #[test]
    fn each_part_of_a_queues_path_stands_in_its_lines() {
        let pairs = QUEUES.into_iter().map(|queue| (queue, Usage::Single));
        for (name, usage) in pairs.chain(family_snippet::ALL) {
            let Ok(queue) = format!("aqueduct/{name}").parse::<Queue>();
            let code = code(&queue, usage, 4096).expect("there are lines for it");
            let path = super::super::path::of(&queue);
            let parts = path.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
            for part in parts.filter(|part| !part.is_empty() && *part != "over") {
                assert!(code.contains(part), "{path}:\n{code}");
            }
        }
    }

    /// Compares the recommended lines with the compiled ones. `UPDATE=1 cargo test -p aqueduct-measure snippet`
    /// rewrites the compiled ones.
    #[test]
    fn what_is_recommended_is_what_is_compiled() {
        /// The end of the hand-written part of a file.
        const MARK: &str = "use std::error::Error;\n";
        for (name, snippets) in [("one_to_one", one_to_one()), ("families", families())] {
            let path = format!("{}/tests/recommended_code/{name}.rs", env!("CARGO_MANIFEST_DIR"));
            let file = std::fs::read_to_string(&path).unwrap();
            let (head, compiled) = file.split_once(MARK).unwrap();
            if std::env::var_os("UPDATE").is_some() {
                std::fs::write(path, format!("{head}{MARK}{snippets}")).unwrap();
            } else {
                assert_eq!(compiled, snippets);
            }
        }
    }
}
