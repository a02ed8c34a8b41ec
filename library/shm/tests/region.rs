//! Regions: making, finding, passing and removing them; places; error texts.

#![cfg(target_os = "linux")]

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use std::{env, fs, process, thread};

use aqueduct_shm::{AttachError, ClaimError, OpenError, Peer, PlaceError, PopError, Region, WaitError, items, records};

/// A name of this test's own.
fn name(test: &str) -> String {
    format!("/aqueduct-shm-test-{}-{test}", process::id())
}

const SIZE: usize = 1 << 14;

#[test]
fn a_region_is_found_by_its_name_until_it_is_removed() {
    let name = name("found");
    assert_eq!(Region::open(&name).unwrap_err().kind(), ErrorKind::NotFound);
    let region = Region::named(&name, SIZE, 0o600).unwrap();
    assert!(!region.is_sealed());
    let queue = items::Queue::<u64, _>::in_region(region, 100, 1).unwrap();
    let mut producer = queue.take_producer().unwrap();
    producer.push(5).unwrap();
    // The queue is found, and not made again.
    let other = items::Queue::<u64, _>::in_region(Region::named(&name, SIZE, 0o600).unwrap(), 100, 1).unwrap();
    assert_eq!(other.take_consumer().unwrap().pop(), Ok(5));
    let opened = Region::open(&name).unwrap();
    assert_eq!(Region::named(&name, 2 * SIZE, 0o600).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(Region::names(&name).unwrap(), [&*name]);
    // A mismatch has its error text.
    let refused = items::Queue::<u64, _>::in_region(opened.clone(), 101, 1).unwrap_err();
    assert!(matches!(refused, OpenError::Attach(AttachError::Capacity(_))), "{refused}");
    let refused = records::Queue::in_region(opened.clone(), 100, 1).unwrap_err();
    assert!(refused.to_string().contains("kind 1, and 2"), "{refused}");
    // A region in use is not removed.
    assert!(!Region::unlink_unused(&name).unwrap());
    assert_eq!(Region::sweep(&name).unwrap(), [""; 0]);
    drop((other, opened, queue));
    assert!(!Region::unlink_unused(&name).unwrap(), "a handle keeps the region");
    drop(producer);
    assert_eq!(Region::sweep(&name).unwrap(), [&*name]);
    assert_eq!(Region::unlink(&name).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A region in use keeps its name while others sweep. A sweeper that has looked at an unused region
/// does not remove the name from a new one.
#[test]
fn sweepers_take_no_name_away_from_a_region_in_use() {
    let (name, is_over) = (name("swept"), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    let _ = Region::unlink_unused(&name);
                }
            });
        }
        let mut lost = 0;
        for _ in 0..60 {
            // With sweepers at work, it may wait for too long.
            let Ok(_region) = Region::named(&name, 4096, 0o600) else { continue };
            for _ in 0..20 {
                thread::yield_now();
                let found = Region::open(&name).map(drop).map_err(|why| why.kind());
                lost += u32::from(found == Err(ErrorKind::NotFound));
            }
        }
        is_over.store(true, Relaxed);
        assert_eq!(lost, 0, "it was in use, and had no name");
    });
    let _ = Region::unlink(&name);
}

#[test]
fn a_name_is_one_slash_and_a_files_name() {
    for name in ["", "/", "name", "/a/b", "//", "/.", "/..", "name/", "/a\0b"] {
        let refused = [
            Region::named(name, SIZE, 0o600).map(drop),
            Region::open(name).map(drop),
            Region::unlink(name),
            Region::unlink_unused(name).map(drop),
        ];
        for refused in refused {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidFilename, "{name:?}");
        }
    }
}

#[test]
fn permissions_are_those_of_a_file() {
    use std::os::unix::fs::PermissionsExt;
    let name = name("mode");
    let _region = Region::named(&name, SIZE, 0o640).unwrap();
    let mode = fs::metadata(format!("/dev/shm{name}")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777 & !0o022, 0o640 & !0o022);
    Region::unlink(&name).unwrap();
}

#[test]
fn a_file_keeps_a_queue() {
    let path = env::temp_dir().join(format!("aqueduct-shm-test-{}", process::id()));
    let open = || records::Queue::in_region(Region::in_file(&path, SIZE, 0o600).unwrap(), 1000, 0).unwrap();
    open().take_producer().unwrap().push(b"left behind").unwrap();
    assert_eq!(open().take_consumer().unwrap().pop_vec().unwrap(), b"left behind");
    assert_eq!(open().take_consumer().unwrap().pop_vec(), Err(PopError::Empty));
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_region_is_passed_over_a_socket_and_must_be_sealed() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let region = Region::anonymous("aqueduct test", SIZE).unwrap();
    assert!(region.is_sealed());
    let file = fs::File::from(std::os::fd::AsFd::as_fd(&region).try_clone_to_owned().unwrap());
    assert!(file.set_len(8).is_err() && file.set_len(1 << 20).is_err(), "its size is sealed");
    region.send(&ours).unwrap();
    let received = Region::receive(&theirs).unwrap();
    let queue = records::Queue::in_region(region, 1000, 0).unwrap();
    let other = records::Queue::in_region(received, 1000, 0).unwrap();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), other.take_consumer().unwrap());
    producer.push(b"over there").unwrap();
    assert_eq!(consumer.pop_vec().unwrap(), b"over there");
    // A file that may be truncated is refused, and so is a message without a file.
    let name = name("unsealed");
    Region::named(&name, SIZE, 0o600).unwrap().send(&ours).unwrap();
    Region::unlink(&name).unwrap();
    assert_eq!(Region::receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
    std::io::Write::write_all(&mut &ours, b"x").unwrap();
    assert_eq!(Region::receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
    // Neither a socket nor a device is a region.
    assert!(Region::from_fd(&ours).is_err());
    assert!(Region::from_fd(fs::File::open("/dev/null").unwrap()).is_err());
}

#[test]
fn a_place_has_one_handle_at_a_time() {
    let region = Region::anonymous("aqueduct test", SIZE).unwrap();
    let queue = items::Queue::<u32, _>::in_region(region.clone(), 10, 0).unwrap();
    let producer = queue.take_producer().unwrap();
    assert_eq!(producer.peer(), Peer::Absent);
    // No side can be taken without the kernel's lock.
    assert_eq!(queue.consumer().unwrap_err(), ClaimError::Kept);
    assert_eq!(queue.replace_producer(1).unwrap_err(), ClaimError::Kept);
    assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
    // Also through another open file.
    let other = items::Queue::<u32, _>::in_region(Region::from_fd(&region).unwrap(), 10, 0).unwrap();
    assert!(matches!(other.take_producer(), Err(PlaceError::Held)));
    let consumer = other.take_consumer().unwrap();
    assert_eq!((producer.peer(), consumer.peer()), (Peer::Alive, Peer::Alive));
    assert_eq!(queue.producers_owner(), u64::from(process::id()));
    drop(producer);
    assert_eq!((consumer.peer(), queue.producers_owner()), (Peer::Left, 0));
    assert!(other.take_producer().is_ok());
}

#[test]
fn threads_make_a_queue_once() {
    let name = name("once");
    let made: Vec<_> = thread::scope(|scope| {
        let open = |side: usize| {
            let region = Region::named(&name, SIZE, 0o600).expect("a region");
            let queue = items::Queue::<u64, _>::in_region(region, 100, 0).expect("a queue");
            if side == 0 {
                queue.take_producer().expect("a place").push(7).expect("room");
            }
            queue
        };
        let threads: Vec<_> = (0..8).map(|side| scope.spawn(move || open(side))).collect();
        threads.into_iter().map(|thread| thread.join().expect("its end")).collect()
    });
    let items: Vec<u64> = made.iter().filter_map(|queue| queue.take_consumer().unwrap().pop().ok()).collect();
    assert_eq!(items, [7], "no later maker has emptied it");
    Region::unlink(&name).unwrap();
}

#[test]
fn a_region_that_is_too_small_is_refused() {
    let region = Region::anonymous("aqueduct test", 4096).unwrap();
    assert!(matches!(items::Queue::<u64, _>::in_region(region.clone(), 1000, 0), Err(OpenError::Capacity(_))));
    assert!(items::Queue::<u64, _>::in_region(region, 100, 0).is_ok());
}

#[test]
fn a_sleeper_is_woken() {
    let region = Region::anonymous("aqueduct test", SIZE).unwrap();
    let queue = items::Queue::<u64, _>::in_region(region, 1, 0).unwrap();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), queue.take_consumer().unwrap());
    thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..300 {
                if number % 100 == 0 {
                    thread::sleep(Duration::from_millis(30));
                }
                producer.push_wait(number, Duration::from_secs(20)).expect("a consumer");
            }
        });
        for number in 0..300 {
            if number % 100 == 50 {
                thread::sleep(Duration::from_millis(30));
            }
            assert_eq!(consumer.pop_wait(Duration::from_secs(20)), Ok(number));
        }
        assert_eq!(consumer.pop_wait(Duration::from_secs(20)), Err(WaitError::Left));
    });
}

/// Without a wake, the sleeps of this test last for an hour.
#[test]
fn a_wake_ends_a_long_sleep() {
    let (hour, moment) = (Duration::from_secs(3600), Duration::from_millis(30));
    let region = Region::anonymous("aqueduct test", SIZE).unwrap();
    let queue = items::Queue::<u64, _>::in_region(region, 1, 0).unwrap();
    let (mut producer, mut consumer) = (queue.take_producer().unwrap(), queue.take_consumer().unwrap());
    let (say, hear) = std::sync::mpsc::channel();
    let woken = |why: &str| hear.recv_timeout(Duration::from_secs(30)).expect(why);
    let sleeper = {
        let say = say.clone();
        thread::spawn(move || {
            while consumer.is_empty() {
                consumer.wait(hour);
            }
            say.send(()).expect("the test waits");
            consumer
        })
    };
    // By then, the thread sleeps, or it finds the item when it looks again.
    thread::sleep(moment);
    producer.push(0).expect("room");
    producer.wake();
    woken("the consumer is woken");
    let mut consumer = sleeper.join().expect("its end");
    let sleeper = thread::spawn(move || {
        while producer.push(1).is_ok() {}
        while producer.push(2).is_err() {
            producer.wait(hour);
        }
        say.send(()).expect("the test waits");
    });
    thread::sleep(moment);
    for _ in 0..consumer.capacity() + 40 {
        let _ = consumer.pop();
    }
    consumer.wake();
    woken("the producer is woken");
    sleeper.join().expect("its end");
}
