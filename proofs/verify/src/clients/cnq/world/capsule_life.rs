//! Capsules of two items: the four ends of a capsule's use, their combinations, and the rules of
//! the order.
//!
//! (J. Wang's thesis, TU Dresden, 2024, section 3.4.2.)

use super::super::library::tube::Tube;
use super::recorded::Does::{After, Close, Consumer, Done, Enter, Gone, Hand, Leave, Pop, Producer, Push, Tell, Wait};
use super::recorded::{Plan, run};
use crate::clients::Client;

/// Returns the clients' names and plans.
fn plans() -> Vec<(&'static str, Plan)> {
    let plan = Plan { capsules: (2, 2), handles: (1, 1), first: &[], threads: &[] };
    let two = Plan { handles: (2, 1), ..plan };
    let readers = Plan { handles: (1, 2), ..plan };
    let four = Plan { capsules: (4, 2), ..plan };
    vec![
        // End 1: the capsule is used to its last item. End 2: its producer is dropped.
        ("full", Plan { threads: &[&[Push(0), Push(0), Push(0)], &[Pop(0), Pop(0), Pop(0)]], ..plan }),
        ("gone", Plan { threads: &[&[Push(0), Producer(0), Push(0)], &[Pop(0), Pop(0)]], ..plan }),
        ("closed-itself", Plan { threads: &[&[Push(0), Close(0), Push(0)], &[Pop(0), Pop(0), Pop(0)]], ..plan }),
        // End 3: a consumer that needs another capsule closes it.
        ("closed", Plan { threads: &[&[Push(0), Push(0)], &[Push(1)], &[Pop(0), Pop(0)]], ..two }),
        // The producer has not left its capsule when the slot is used again. Then it leaves, and
        // uses the capsule as its spare.
        (
            "closed-lap",
            Plan {
                first: &[Push(0), Push(1), Pop(0), Pop(0)],
                threads: &[&[Push(0)], &[Push(1), Push(1), Push(1), Push(1)]],
                ..two
            },
        ),
        (
            "closed-twice",
            Plan {
                first: &[Push(0), Push(1), Pop(0), Pop(0), Push(0), Push(1), Pop(0), Pop(0), Push(1), Pop(0), Pop(0)],
                threads: &[&[Push(0), Push(0), Push(0)], &[Push(1), Push(1), Push(1)], &[Pop(0)]],
                ..two
            },
        ),
        // A producer that would be too far ahead closes the other one's capsule: later items of the
        // other one are younger.
        (
            "ahead",
            Plan {
                capsules: (4, 2),
                first: &[Push(0)],
                threads: &[&[Wait, Push(0)], &[Push(1), Push(1), Push(1), Push(1), Tell], &[Pop(0)]],
                ..two
            },
        ),
        // It closes the capsule while the other one puts in another item and the consumer reads:
        // all three agree on the number of items.
        (
            "ahead-put",
            Plan {
                capsules: (4, 2),
                first: &[Push(0), Push(1), Push(1)],
                threads: &[&[Push(0)], &[Push(1)], &[Pop(0), Pop(0)]],
                ..two
            },
        ),
        // While a producer puts in the item that fills its capsule, others have emptied the
        // capsule, use it again, and are about to close it.
        (
            "full-again",
            Plan {
                handles: (3, 1),
                first: &[Push(0)],
                threads: &[&[Push(0)], &[Pop(0), Pop(0), Push(1), Pop(0), Push(2), Pop(0), Push(1), Pop(0), Pop(0)]],
                ..plan
            },
        ),
        // A capsule that a thread closes after its announcement is in another use by then, with
        // another producer and slot.
        (
            "another-life",
            Plan {
                handles: (3, 1),
                first: &[Push(0), Push(0), Pop(0), Pop(0), Push(1), Push(1), Pop(0), Pop(0)],
                threads: &[&[Push(1), Push(1)], &[Push(2), Push(2)]],
                ..plan
            },
        ),
        // A producer enters when the other one is too far ahead already.
        (
            "late",
            Plan {
                capsules: (4, 2),
                threads: &[&[Push(0), Wait, Push(0)], &[Push(1), Push(1), Push(1), Push(1), Tell], &[Pop(0)]],
                ..two
            },
        ),
        // Of three or four producers, one has an open capsule, and another one is about to enter as
        // many positions after it. The others go on meanwhile, so those that are further ahead must
        // close the capsule.
        (
            "three-late",
            Plan {
                capsules: (8, 2),
                handles: (3, 1),
                first: &[Push(0), Push(2), Push(2), Push(2), Push(2)],
                threads: &[&[Push(1)], &[Push(2), Push(0), Pop(0), Pop(0)]],
            },
        ),
        (
            "four-late",
            Plan {
                capsules: (16, 2),
                handles: (4, 1),
                first: &[Push(0), Push(3), Push(3), Push(3), Push(3), Push(3), Push(3)],
                threads: &[&[Push(1)], &[Push(2), Push(0), Pop(0), Pop(0)]],
            },
        ),
        // The producer that is about to enter does so when others are too far ahead, and puts no
        // further item into its capsule.
        (
            "three-overtaken",
            Plan {
                capsules: (8, 2),
                handles: (3, 1),
                first: &[],
                threads: &[
                    &[Push(1), Wait, Push(1)],
                    &[Push(2), Push(2), Push(2), Push(2), Push(2), Tell, Pop(0), Pop(0)],
                ],
            },
        ),
        // It enters in time and closes a capsule, and by then others are too far ahead.
        (
            "three-closing",
            Plan {
                capsules: (8, 2),
                handles: (3, 1),
                first: &[Push(0), Push(2), Push(2), Push(2), Push(2)],
                threads: &[&[Push(1), Wait, Push(1)], &[Push(2), Push(2), Push(2), Push(2), Push(2), Tell]],
            },
        ),
        // The producer that has lost its capsule sees that when the capsule is about to be used
        // again, or when its consumer leaves it.
        (
            "ahead-lap",
            Plan {
                capsules: (4, 2),
                first: &[Push(0), Push(1), Push(1), Push(1)],
                threads: &[&[Push(0)], &[Push(1), Push(1), Push(1), Push(1), Push(1)], &[Pop(0)]],
                ..two
            },
        ),
        (
            "ahead-left",
            Plan {
                capsules: (4, 2),
                first: &[Push(0), Push(1), Push(1), Pop(0)],
                threads: &[&[Push(0)], &[Push(1), Push(1), Push(1), Push(1), Push(1), Push(1)], &[Leave(0)]],
                ..two
            },
        ),
        // A capsule that was left to its producer is its spare. When the producer is dropped,
        // another producer gets the spare, gives it back in place of a capsule of its own, and
        // fills it again. Only the handovers of the spare order these steps.
        (
            "spare",
            Plan {
                handles: (3, 2),
                first: &[Push(0), Push(1), Push(1)],
                threads: &[
                    &[Pop(0), Pop(0), Pop(0), Done(1)],
                    &[After(1), Close(0), Gone(0), Done(2)],
                    &[After(3), Push(2), Push(2), Push(2), Done(4)],
                    &[After(2), Enter(0), Push(0), Push(1), Pop(1), Pop(1), Hand(3), After(4), Push(0)],
                ],
                ..four
            },
        ),
        // The drop of the first producer may not have ended when the other one takes the spare: the
        // count of handles orders nothing either.
        (
            "spare-going",
            Plan {
                handles: (3, 2),
                first: &[Push(0), Push(1), Push(1)],
                threads: &[
                    &[Pop(0), Pop(0), Pop(0), Done(1)],
                    &[After(1), Close(0), Done(2), Gone(0)],
                    &[After(3), Push(2), Push(2), Push(2), Done(4)],
                    &[After(2), Enter(0), Push(0), Push(1), Pop(1), Pop(1), Hand(3), After(4), Push(0)],
                ],
                ..four
            },
        ),
        // A producer answers a consumer's close request, and gets the capsule as its spare. Filling
        // the capsule again overwrites the entries that the consumer has read. Only the handovers
        // of the spare order the two.
        (
            "spare-answered",
            Plan {
                capsules: (4, 3),
                handles: (5, 2),
                first: &[Push(1), Push(0), Pop(1)],
                threads: &[
                    &[Pop(0), Done(1), After(2), Pop(0), Done(3), After(4), Push(4), Done(5)],
                    &[
                        After(1),
                        Leave(1),
                        Hand(2),
                        Push(0),
                        After(3),
                        Push(0),
                        Push(2),
                        Pop(1),
                        Pop(1),
                        Push(3),
                        Hand(4),
                        After(5),
                        Push(0),
                    ],
                ],
            },
        ),
        // End 4: the consumer is dropped.
        ("fragment", Plan { threads: &[&[Push(0), Push(0)], &[Pop(0), Consumer(0), Pop(0)]], ..plan }),
        ("fragment-left", Plan { threads: &[&[Push(0), Push(0), Push(0)], &[Pop(0), Leave(0), Pop(0)]], ..plan }),
        (
            "fragment-taken",
            Plan { first: &[Push(0), Push(0), Push(0), Push(0)], threads: &[&[Pop(0)], &[Pop(1), Pop(1)]], ..readers },
        ),
        // A fragment is taken, and left again, after another consumer has found it.
        (
            "fragment-again",
            Plan {
                capsules: (4, 3),
                first: &[Push(0), Push(0), Push(0), Pop(0), Leave(0)],
                threads: &[&[Pop(0), Leave(0)], &[Pop(1)]],
                ..readers
            },
        ),
        ("fragment-open", Plan { threads: &[&[Push(0), Push(0)], &[Pop(0)], &[Pop(1)]], ..readers }),
        ("both-go", Plan { threads: &[&[Push(0), Producer(0), Push(0)], &[Pop(0), Consumer(0), Pop(0)]], ..plan }),
        // The other consumer waits for one that is behind.
        (
            "behind",
            Plan {
                handles: (1, 2),
                first: &[Push(0), Push(0), Push(0), Push(0), Push(0), Push(0), Pop(0)],
                threads: &[&[Wait, Pop(0)], &[Pop(1), Pop(1), Pop(1), Tell]],
                ..four
            },
        ),
        (
            "behind-left",
            Plan {
                handles: (1, 2),
                first: &[Push(0), Push(0), Push(0), Push(0), Push(0), Push(0), Pop(0)],
                threads: &[&[Leave(0), Pop(0)], &[Pop(1), Pop(1), Pop(1)]],
                ..four
            },
        ),
        // Producers and consumers are as far apart as they may be: one item has k - 1 older ones in
        // the queue, the most that k allows.
        (
            "apart",
            Plan {
                handles: (2, 2),
                first: &[Push(0), Push(0), Push(0), Push(1), Push(1), Push(0), Pop(0)],
                threads: &[&[Push(1)], &[Pop(1), Pop(1)]],
                ..four
            },
        ),
        // Two producers and two consumers.
        (
            "2x2",
            Plan { handles: (2, 2), threads: &[&[Push(0), Push(0)], &[Push(1)], &[Pop(0), Pop(0)], &[Pop(1)]], ..plan },
        ),
        (
            "2x2-wide",
            Plan {
                handles: (2, 2),
                first: &[Push(0)],
                threads: &[&[Push(0)], &[Push(1), Push(1)], &[Pop(0)], &[Pop(1)]],
                ..four
            },
        ),
    ]
}

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    for (client, plan) in plans() {
        let mut program = Client::new(format!("cnq-{name}/{client}"), move || run::<U>(plan, 0));
        program.big = ["2x2", "three-closing"].contains(&client);
        list.push(program);
    }
}

/// Returns one of these clients, with a k that is 1 too small.
pub(super) fn with_less_k<U: Tube + 'static>(name: &str) -> Option<Client> {
    let (client, plan) = plans().into_iter().find(|&(client, _)| client == name)?;
    Some(Client::new(client.to_owned(), move || run::<U>(plan, 1)))
}
