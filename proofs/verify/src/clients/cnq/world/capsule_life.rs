//! Capsules of two items: the four ends of a capsule's use, their combinations, and the rules of
//! the order.
//!
//! (J. Wang's thesis, TU Dresden, 2024, section 3.4.2.)

use super::super::library::tube::Tube;
use super::recorded::Does::{After, Close, Consumer, Done, Enter, Gone, Hand, Leave, Pop, Producer, Push, Tell, Wait};
use super::recorded::{Plan, run};
use crate::clients::Client;

/// The clients' names, and what they do.
fn plans() -> Vec<(&'static str, Plan)> {
    let plan = Plan { capsules: (2, 2), handles: (1, 1), first: &[], threads: &[] };
    let two = Plan { handles: (2, 1), ..plan };
    let readers = Plan { handles: (1, 2), ..plan };
    let four = Plan { capsules: (4, 2), ..plan };
    vec![
        // 1: used to the end. 2: the producer goes.
        ("full", Plan { threads: &[&[Push(0), Push(0), Push(0)], &[Pop(0), Pop(0), Pop(0)]], ..plan }),
        ("gone", Plan { threads: &[&[Push(0), Producer(0), Push(0)], &[Pop(0), Pop(0)]], ..plan }),
        ("closed-itself", Plan { threads: &[&[Push(0), Close(0), Push(0)], &[Pop(0), Pop(0), Pop(0)]], ..plan }),
        // 3: closed, by a consumer that goes on.
        ("closed", Plan { threads: &[&[Push(0), Push(0)], &[Push(1)], &[Pop(0), Pop(0)]], ..two }),
        // Its producer has not left it when its slot is used again; then it leaves, and uses it as its spare.
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
        // Closed by a producer that is too far ahead: by then, the other one's items are younger.
        (
            "ahead",
            Plan {
                capsules: (4, 2),
                first: &[Push(0)],
                threads: &[&[Wait, Push(0)], &[Push(1), Push(1), Push(1), Push(1), Tell], &[Pop(0)]],
                ..two
            },
        ),
        // While the other one puts another item in, and the consumer is at its heels: those three agree on how many
        // there are.
        (
            "ahead-put",
            Plan {
                capsules: (4, 2),
                first: &[Push(0), Push(1), Push(1)],
                threads: &[&[Push(0)], &[Push(1)], &[Pop(0), Pop(0)]],
                ..two
            },
        ),
        // While an item is put in that makes it full, it has been emptied, is in another life, and about to be closed.
        (
            "full-again",
            Plan {
                handles: (3, 1),
                first: &[Push(0)],
                threads: &[&[Push(0)], &[Pop(0), Pop(0), Push(1), Pop(0), Push(2), Pop(0), Push(1), Pop(0), Pop(0)]],
                ..plan
            },
        ),
        // A capsule that has been announced is in another life by then, of another producer, in another place.
        (
            "another-life",
            Plan {
                handles: (3, 1),
                first: &[Push(0), Push(0), Pop(0), Pop(0), Push(1), Push(1), Pop(0), Pop(0)],
                threads: &[&[Push(1), Push(1)], &[Push(2), Push(2)]],
                ..plan
            },
        ),
        // The other one enters when this one is too far ahead already.
        (
            "late",
            Plan {
                capsules: (4, 2),
                threads: &[&[Push(0), Wait, Push(0)], &[Push(1), Push(1), Push(1), Push(1), Tell], &[Pop(0)]],
                ..two
            },
        ),
        // Three producers, and four: one has an open capsule, another one is on its way to the position that many after
        // it, and meanwhile the rest goes on. So the capsule has to be closed by those that are further ahead.
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
        // The one that is on its way comes when others are too far ahead, and does not put anything more into its
        // capsule.
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
        // It comes in time and closes a capsule, and by then others are too far ahead.
        (
            "three-closing",
            Plan {
                capsules: (8, 2),
                handles: (3, 1),
                first: &[Push(0), Push(2), Push(2), Push(2), Push(2)],
                threads: &[&[Push(1), Wait, Push(1)], &[Push(2), Push(2), Push(2), Push(2), Push(2), Tell]],
            },
        ),
        // And the other one, that lost its capsule, finds out when that is about to be used again, or when its consumer
        // leaves it.
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
        // A capsule that was left to its producer is its spare. When the producer is dropped, another producer gets the
        // spare, gives it back in place of a capsule of its own, and fills it again. Only the spare's way orders these
        // steps.
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
        // The drop of the first producer may not have ended when the other one takes the spare: the count of handles
        // orders nothing either.
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
        // A producer answers a consumer that wants to close its capsule, and gets that as its spare. What the consumer
        // has read there is overwritten when the capsule is filled again. Nothing but the way of the spare says that it
        // has been read by then.
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
        // 4: the consumer goes.
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
        // A consumer that is behind is waited for.
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
        // As far as they can be behind and ahead: one item has k - 1 older ones in the queue, the most that k allows.
        (
            "apart",
            Plan {
                handles: (2, 2),
                first: &[Push(0), Push(0), Push(0), Push(1), Push(1), Push(0), Pop(0)],
                threads: &[&[Push(1)], &[Pop(1), Pop(1)]],
                ..four
            },
        ),
        // Two of either.
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

/// One of them, with a k that is less by 1 than what it should be.
pub(super) fn with_less_k<U: Tube + 'static>(name: &str) -> Option<Client> {
    let (client, plan) = plans().into_iter().find(|&(client, _)| client == name)?;
    Some(Client::new(client.to_owned(), move || run::<U>(plan, 1)))
}
