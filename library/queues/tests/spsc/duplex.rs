//! Both directions of a duplex at once, in shared lines.

use std::sync::Arc;

use aqueduct::spsc::duplex::{Side, starting_at};
use aqueduct::spsc::{self, duplex};

use crate::common::{Ledger, Random, Token};

/// Sends numbers and receives the other side's, until both are through.
fn exchange<S: Send, R: Send>(
    mut side: Side<S, R>,
    count: usize,
    send: impl Fn(usize) -> S,
    receive: impl Fn(R) -> usize,
) {
    let (mut sent, mut received) = (0, 0);
    let mut random = Random::new(count as u64);
    while sent < count || received < count {
        let before = sent + received;
        let most = 1 + random.below(20);
        if random.below(2) == 0 {
            sent += side.producer.push_iter((sent..count).take(most).map(&send));
        } else {
            sent += side.producer.batch(most).fill((sent..count).take(most).map(&send));
        }
        for item in side.consumer.batch(random.below(20)) {
            assert_eq!(receive(item), received, "in order");
            received += 1;
        }
        if sent + received == before {
            std::thread::yield_now();
        }
    }
}

#[test]
fn both_directions_stream_at_once() {
    for (capacity, report_every) in [(1, 1), (2, 4), (7, 1), (64, 4)] {
        let (client, server) =
            starting_at::<usize, [usize; 10]>(capacity, report_every, usize::MAX - 1000).expect("a small duplex");
        std::thread::scope(|scope| {
            scope.spawn(move || exchange(client, 30_000, |number| number, |[number, ..]| number));
            exchange(server, 30_000, |number| [number; 10], |number| number);
        });
    }
}

/// There is one item in flight, a request and its response, as the module recommends.
#[test]
fn requests_are_answered() {
    let (mut client, mut server) = spsc::duplex::new::<u32, String>(1).expect("a small duplex");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while !(server.consumer.is_closed() && server.consumer.is_empty()) {
                match server.consumer.pop() {
                    Ok(request) => server.producer.push(request.to_string()).expect("one in flight"),
                    Err(_) => std::thread::yield_now(),
                }
            }
        });
        for request in 0..2_000 {
            client.producer.push(request).expect("one in flight");
            let response = loop {
                match client.consumer.pop() {
                    Ok(response) => break response,
                    Err(_) => std::thread::yield_now(),
                }
            };
            assert_eq!(response, request.to_string());
        }
        drop(client);
    });
}

/// The four ends may be dropped in any order. The lines stay until the last end is dropped, and
/// remaining items are dropped.
#[test]
fn ends_go_in_any_order() {
    type Ends = [Option<Box<dyn std::any::Any>>; 4];
    for order in 0..24 {
        let ledger: Arc<Ledger> = Ledger::new(10);
        let (mut client, mut server) = spsc::duplex::new::<Token, Box<Token>>(5).expect("a small duplex");
        assert_eq!(client.producer.push_iter((0..5).map(|number| ledger.token(number))), 5);
        assert_eq!(server.producer.push_iter((5..10).map(|number| Box::new(ledger.token(number)))), 5);
        assert_eq!(server.consumer.pop().map(|token| token.number), Ok(0));
        assert_eq!(client.consumer.pop().map(|token| token.number), Ok(5));
        let mut ends: Ends = [
            Some(Box::new(client.producer)),
            Some(Box::new(client.consumer)),
            Some(Box::new(server.producer)),
            Some(Box::new(server.consumer)),
        ];
        let mut choice = order;
        for left in (1..=4).rev() {
            let next = ends.iter_mut().filter(|end| end.is_some()).nth(choice % left).expect("`left` ends are left");
            drop(next.take());
            choice /= left;
        }
        ledger.assert_all_dropped_once();
    }
}

/// Each direction detects by itself that its other end has been dropped.
#[test]
fn directions_are_abandoned_apart() {
    let (client, mut server) = duplex::new::<u8, u8>(2).expect("a small duplex");
    let Side { producer, consumer } = client;
    drop(producer);
    assert!(server.consumer.is_closed() && !server.producer.is_closed());
    server.producer.push(3).expect("empty");
    drop(consumer);
    assert!(server.producer.is_closed());
}

/// The second lane's items are aligned as their type needs, whatever the first lane's are.
#[test]
fn items_of_different_alignments_share_lines() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Wide([u8; 128]);

    let (mut client, mut server) = duplex::new::<[u8; 300], Wide>(9).expect("a small duplex");
    for round in 0..30u8 {
        client.producer.push([round; 300]).expect("empty");
        server.producer.push(Wide([round; 128])).expect("empty");
        let wide = client.consumer.peek().map(std::ptr::from_ref).expect("just pushed");
        assert_eq!(wide.addr() % 128, 0, "at {wide:?}");
        assert_eq!(client.consumer.pop().map(|wide| wide.0), Ok([round; 128]));
        assert_eq!(server.consumer.pop(), Ok([round; 300]));
    }
}
