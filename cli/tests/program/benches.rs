//! Each bench: its tables, its records, its page, and the options that it refuses.

use std::fs;

use crate::{aqueduct, err, folder, out};

#[test]
fn the_model_checkers_can_be_compared() {
    let folder = folder("model");
    let list = out(&aqueduct(&folder, "bench model --list"));
    assert!(list.contains("ticket_lock_2x2"), "{list}");
    let output = aqueduct(&folder, "bench model counter_2x3 --quick --rounds 1 --json runs.jsonl");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("aqueduct/model"), "{text}");
    for peer in ["loom/", "shuttle/"] {
        assert_eq!(text.contains(peer), cfg!(feature = "rivals"), "{peer}: {text}");
    }
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    assert!(records.contains("model.exhaust.counter_2x3") && records.contains("model.rate.counter_2x3"), "{records}");
    let wrong = aqueduct(&folder, "bench model bakery");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("there is no program bakery"), "{}", err(&wrong));
}

#[test]
fn many_threads_on_either_side_can_be_measured() {
    let folder = folder("mpmc");
    let list = out(&aqueduct(&folder, "bench mpmc --list"));
    assert!(list.contains("aqueduct/bbq_mpmc\n") && list.contains("crossbeam-queue/array_queue\n"), "{list}");
    let args = "bench mpmc throughput uncontended full empty --queues bbq_mpmc,bbq_mpsc,array_queue --threads 2x1,2x2 \
                --batch 1,8 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let text = out(&output);
    for wanted in
        ["mpmc.throughput in Mitems/s, more is better\nsingle items, capacity 64\n", "batches of 8", "2x1", "2x2"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert_eq!(
        text.matches("  crossbeam-queue/array_queue ").count(),
        5,
        "single items, those of batches of 8, and three on one thread: {text}"
    );
    assert_eq!(text.matches("  crossbeam-queue/array_queue (item by item) ").count(), 1, "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for bench in ["mpmc.throughput", "mpmc.uncontended", "mpmc.full", "mpmc.empty"] {
        assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{bench}: {records}");
    }
    assert!(records.contains("\"producers\":2,\"consumers\":1,\"capacity\":64,\"batch\":8"), "{records}");
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"mpmc.throughput\""));
}

#[test]
fn items_can_have_more_bytes_than_a_word() {
    let folder = folder("item_bytes");
    for (args, bench, queues) in [
        (
            "bench mpmc throughput --threads 2x1 --batch 16 --item-bytes 64 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl",
            "mpmc.throughput",
            &[
                "aqueduct/bbq_mpsc",
                "crossbeam-queue/array_queue (item by item)",
                "std/mpsc_sync_channel (item by item)",
            ][..],
        ),
        (
            "bench spsc throughput --batch 1,16 --item-bytes 256 --capacity 64 --rounds 2 --time 1 --json runs.jsonl",
            "spsc.throughput",
            &["aqueduct/ring", "rtrb/ring_buffer", "aqueduct/lamport (item by item)"],
        ),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
        for queue in queues {
            assert!(out(&output).contains(queue), "{queue}: {}", out(&output));
        }
        let bytes = args.split_whitespace().skip_while(|&word| word != "--item-bytes").nth(1).unwrap();
        assert!(out(&output).contains(&format!("of {bytes} bytes")), "{}", out(&output));
        let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
        assert!(records.lines().all(|line| line.contains(&format!("\"item_bytes\":{bytes},"))), "{records}");
        assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{records}");
    }
    for (args, wanted) in [
        ("bench spsc --item-bytes 24", "8, 16, 64, 256, 4096 are possible"),
        ("bench spsc pingpong --item-bytes 64", "measured in `throughput` only"),
        ("bench mpmc latency --item-bytes 64", "above 8 there is `throughput` only"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn the_workloads_of_the_bbq_paper_can_be_measured() {
    let folder = folder("bbq_workloads");
    let args = "bench mpmc drain complex profiling latency open-loop fairness oversubscription sweep --queues bbq_mpmc,array_queue \
                --threads 2x2 --blocks 2,4 --block-size 16 --capacity 64 --rounds 1 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for (bench, part) in [
        ("mpmc.drain", ""),
        ("mpmc.complex", ""),
        ("mpmc.profiling.push", ".p99"),
        ("mpmc.latency.in_queue", ".p999"),
        ("mpmc.latency.pop", ".max"),
        ("mpmc.open-loop.bursts.90", ".p999"),
        ("mpmc.fairness.consumers", ".jain"),
        ("mpmc.oversubscription", ""),
        ("mpmc.sweep", ""),
    ] {
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert!(records.contains(&format!("\"bench\":\"{bench}{part}\"")), "{bench}{part}: {records}");
        let id = if bench == "mpmc.sweep" { "sweeps" } else { bench };
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let report = aqueduct(&folder, "report runs.jsonl");
    assert!(out(&report).contains("mpmc.latency.in_queue in ns"), "{}", out(&report));
}

#[test]
fn what_cannot_be_measured_with_many_threads_is_refused_in_words() {
    let folder = folder("bbq_misuse");
    for (args, wanted) in [
        ("bench mpmc --queues bbq_mpnc", "there is no queue `bbq_mpnc`; there are: aqueduct/bbq_mpmc, "),
        ("bench mpmc --queues flume --no-peers", "no queue is left to measure; there are: "),
        ("bench mpmc thruput", "there are: throughput, drain, uncontended, full"),
        ("bench mpmc --threads 2", "two numbers between 1 and 256 are needed, such as 2x4"),
        ("bench mpmc --capacity 0", "at least one item"),
        ("bench mpmc sweep --blocks 1", "2 to "),
        ("bench mpmc throughput --blocks 1", "--blocks, --block-size: 1 blocks of 8 entries: "),
        ("bench mpmc sweep --queues array_queue", "none of the queues can do what is asked"),
        ("bench mpmc --batch 8192", "a batch of 8192 is not between 1 and the capacity, 4096"),
        ("bench mpmc throughput --queues bbq_spsc --threads 2x2", "none of the queues can do what is asked"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
    let help = out(&aqueduct(&folder, "bench --help"));
    assert!(help.contains("  mpmc ") && help.contains("many producers and many consumers"), "{help}");
}

#[test]
fn whole_workloads_can_be_measured() {
    let folder = folder("workloads");
    for (args, benches, queues) in [
        (
            "bench records --threads 1x1,2x2 --capacity 16384 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["records.throughput"][..],
            &["aqueduct/records_spsc", "published/bbq_records", "bbqueue/framed", "crossbeam-channel/bounded of boxes"]
                [..],
        ),
        (
            "bench drop-old --producers 1,2 --capacity 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["drop-old.written", "drop-old.slowdown", "drop-old.read"],
            &["aqueduct/bbq_drop_old_mpmc", "aqueduct/bbq_drop_old_spmc", "crossbeam-queue/force_push"],
        ),
        (
            "bench exchange --submissions 32 --events 64 --rounds 2 --slice 1 --json runs.jsonl --html page.html",
            &["exchange.io_uring", "exchange.multicast"],
            &["aqueduct/bbq_spsc", "aqueduct/bbq_mpmc", "aqueduct/bbq_mpsc", "published/io_uring"],
        ),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
        let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
        let page = fs::read_to_string(folder.join("page.html")).unwrap();
        for bench in benches {
            assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
            assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{bench}: {records}");
            assert!(page.contains(&format!("id=\"{bench}\"")), "{bench}");
        }
        for queue in queues {
            assert!(out(&output).contains(queue), "{queue}: {}", out(&output));
        }
        let has_rival = out(&output).contains("disruptor/poll");
        assert_eq!(has_rival, cfg!(feature = "rivals") && args.starts_with("bench exchange"), "{}", out(&output));
    }
    for (args, wanted) in [
        ("bench records --capacity 100", "--capacity: 100 bytes are too few for records here; 16384 are the least"),
        ("bench drop-old --producers 0", "--producers: 0 threads: between 1 and 256"),
        ("bench drop-old --capacity 0", "at least one item"),
        ("bench exchange --submissions 48", "48 is not a possible size; powers of two from 32"),
        ("bench exchange io_ring", "there are: io_uring, multicast"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn lock_free_queues_can_be_measured() {
    let folder = folder("nblfq");
    let list = out(&aqueduct(&folder, "bench nblfq --list"));
    assert!(list.starts_with("lock-free:\n  aqueduct/nblfq\n"), "{list}");
    assert!(list.contains("makes others wait:\n  crossbeam-queue/array_queue"), "{list}");
    let args = "bench nblfq --queues nblfq,scqd,array_queue,one_slot --threads 1 --capacity 16 --rounds 2 --slice 1 \
                --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for (bench, queues) in [("pairs", 3), ("alone", 4), ("single.p50", 4), ("threads.p99", 3)] {
        let bench = format!("nblfq.{bench}");
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), queues, "{bench}: {records}");
    }
    assert!(out(&output).contains("times as fast as the best lock-free peer, published/scqd"), "{}", out(&output));
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"nblfq.pairs\""));
    for (args, wanted) in [
        ("bench nblfq --queues nblfk", "there is no queue `nblfk`; there are: aqueduct/nblfq, "),
        ("bench nblfq pears", "there are: pairs, alone, single, processes, threads"),
        ("bench nblfq --capacity 1", "1 items: between 2 and 16777216 are possible"),
        ("bench nblfq --threads 0", "0 threads: between 1 and 64 are possible"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn queues_with_less_order_can_be_measured() {
    let folder = folder("cnq");
    let list = out(&aqueduct(&folder, "bench cnq --list --k 7"));
    assert!(list.starts_with("aqueduct/cnq_sequenced[k=7]: one of the k oldest\n"), "{list}");
    assert!(list.contains("crossbeam-queue/array_queue: first in, first out\n"), "{list}");
    let args = "bench cnq --queues cnq_bbq,bbq_mpmc,ring_per_pair --threads 1x2,2x2 --capacity 64 --batch 1 --k 10 --sweep 4,8 \
                --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for (bench, figures) in [("throughput", 5), ("sweep", 4), ("order.max", 4), ("in_queue.p99", 4)] {
        let bench = format!("cnq.{bench}");
        assert!(out(&output).contains(&format!("{bench} in ")), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), figures, "{bench}: {records}");
    }
    for wanted in ["throughput", "sweep", "order", "in_queue_distribution"] {
        assert!(page.contains(&format!("id=\"cnq.{wanted}\"")), "{wanted}");
    }
    assert!(!out(&output).contains("in_queue_distribution"), "it is drawn, and no table: {}", out(&output));
    assert!(out(&output).contains("aqueduct/cnq_bbq[k=10] promises 10, "), "{}", out(&output));
    for (args, wanted) in [
        ("bench cnq --queues cnk", "there is no queue `cnk`; there are: aqueduct/cnq_sequenced[k=100], "),
        ("bench cnq sweeps", "there are: throughput, sweep, order, memory"),
        ("bench cnq --k 0", "k is 0; 1 asks for first in, first out"),
        ("bench cnq --threads 2", "two numbers between 1 and 256 are needed, such as 2x4"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[test]
fn work_stealing_can_be_measured() {
    let folder = folder("steal");
    let list = out(&aqueduct(&folder, "bench steal --list"));
    assert!(list.contains("aqueduct/bwos_lifo\n") && list.contains("bound/array_ring\n"), "{list}");
    let args = "bench steal --queues bwos_lifo,bwos_fifo,array_stack,crossbeam-deque --stolen 10 --batch 1 --capacity 256 \
                --rounds 2 --slice 1 --json runs.jsonl --html page.html";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for (bench, queues) in [("alone", 3), ("stolen_10", 2), ("owner_10", 2), ("hungry", 2), ("hungry_time", 2)] {
        let bench = format!("steal.{bench}.lifo");
        assert!(out(&output).contains(&bench), "{bench}: {}", out(&output));
        assert_eq!(records.matches(&format!("\"bench\":\"{bench}\"")).count(), queues, "{bench}: {records}");
    }
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("id=\"steal.alone.lifo\""));
    for (args, wanted) in [
        ("bench steal --queues bwos_lofi", "there is no queue `bwos_lofi`; there are: aqueduct/bwos_lifo, "),
        ("bench steal stealing", "there are: alone, stolen, looked, lines, blocks, hungry"),
        ("bench steal --stolen 60", "60 % stolen: between 0 and 50 are possible"),
        ("bench steal hungry --queues array_ring", "bounds have no thieves"),
    ] {
        let output = aqueduct(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}: {}", err(&output));
        assert!(err(&output).contains(wanted), "{args}: {}", err(&output));
    }
}

#[cfg(feature = "processes")]
#[test]
fn messages_between_processes_are_measured_with_a_second_one() {
    let folder = folder("shm");
    let list = out(&aqueduct(&folder, "bench shm --list"));
    assert!(list.contains("aqueduct/items\n") && list.contains("iceoryx2/publish_subscribe\n"), "{list}");
    let args = "bench shm --queues items,items_of_threads,pipe --bytes 64 --capacity 16 --rounds 1 --slice 1 --json runs.jsonl";
    let output = aqueduct(&folder, args);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).contains("Speed between processes, to between threads: round_trip.spin.64 "),
        "{}",
        out(&output)
    );
    let records = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    for bench in ["shm.round_trip.spin.64.p999", "shm.round_trip.sleep.64.p50", "shm.throughput.sleep.64"] {
        assert!(records.contains(&format!("\"bench\":\"{bench}\"")), "{bench}: {records}");
    }
    for wrong in ["bench shm --bytes 9", "bench shm --queues pigeons", "bench shm --wait tables"] {
        assert_eq!(aqueduct(&folder, wrong).status.code(), Some(2), "{wrong}");
    }
    // Only the program itself starts the other process.
    let alone = aqueduct(&folder, "bench shm --follow");
    assert!(alone.status.code() != Some(0) && !err(&alone).contains("panicked"), "{}", err(&alone));
}
