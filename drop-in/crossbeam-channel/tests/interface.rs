//! The parts of crossbeam-channel's interface that its own tests, which are not in this repository,
//! do not name.

use std::error::Error;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{
    Receiver, RecvError, RecvTimeoutError, Select, SendError, SendTimeoutError, Sender, TryRecvError, TrySendError,
    after, at, bounded, never, select, select_biased, tick, unbounded,
};

const SHORT: Duration = Duration::from_millis(5);
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn errors_have_their_texts_and_conversions() {
    let errors: [(Box<dyn Error>, &str); 6] = [
        (Box::new(SendError(1)), "sending on a disconnected channel"),
        (Box::new(TrySendError::Full(1)), "sending on a full channel"),
        (Box::new(SendTimeoutError::Timeout(1)), "timed out waiting on send operation"),
        (Box::new(RecvError), "receiving on an empty and disconnected channel"),
        (Box::new(TryRecvError::Empty), "receiving on an empty channel"),
        (Box::new(RecvTimeoutError::Disconnected), "channel is empty and disconnected"),
    ];
    for (error, text) in errors {
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(format!("{:?} {:?}", SendError(1), TrySendError::Full(1)), "SendError(..) Full(..)");
    assert_eq!(TrySendError::from(SendError(1)), TrySendError::Disconnected(1));
    assert_eq!(RecvTimeoutError::from(RecvError), RecvTimeoutError::Disconnected);
}

#[test]
fn handles_have_their_traits() {
    fn check<T: Send + Sync + UnwindSafe + RefUnwindSafe + Clone>(_: &T) {}
    fn can_be_shared<T: Send + Sync>(_: &T) {}
    let (sender, receiver) = unbounded::<u32>();
    check(&sender);
    check(&receiver);
    can_be_shared(&Select::new());
    assert_eq!(format!("{sender:?} {receiver:?} {:?}", Select::new()), "Sender { .. } Receiver { .. } Select { .. }");
}

/// A message that stays in its thread.
#[test]
fn messages_need_not_be_send() {
    let (sender, receiver) = bounded(1);
    let (none, _open) = (never::<Rc<u32>>(), sender.clone());
    sender.send(Rc::new(7)).unwrap();
    let received = select! {
        recv(receiver) -> message => message.unwrap(),
        recv(none) -> _ => unreachable!(),
    };
    assert_eq!((*received, Rc::strong_count(&received)), (7, 1));
}

#[test]
fn timers_come_in_their_time() {
    let start = Instant::now();
    let (one, ticker) = (at(start + SHORT), tick(SHORT));
    assert_eq!((one.capacity(), never::<u32>().capacity(), one.same_channel(&one.clone())), (Some(1), Some(0), true));
    assert_eq!(one.recv(), Ok(start + SHORT));
    assert_eq!(one.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
    let times: Vec<_> = ticker.iter().take(3).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= SHORT));
    assert_eq!(never::<u32>().recv_deadline(Instant::now()), Err(RecvTimeoutError::Timeout));
    assert!(after(Duration::MAX).is_empty());
}

#[test]
fn a_message_is_made_when_its_case_has_been_chosen() {
    let (sender, receiver) = bounded(1);
    let send = |is_made: &mut bool| {
        select! {
            send(sender, { *is_made = true; 7 }) -> sent => sent.is_ok(),
            default() => false,
        }
    };
    let (mut first, mut second) = (false, false);
    assert_eq!((send(&mut first), send(&mut second)), (true, false));
    assert_eq!((first, second, receiver.len()), (true, false, 1));
}

#[test]
fn the_first_case_is_chosen_if_the_choice_is_biased() {
    let ((one, first), (other, second)) = (unbounded(), unbounded());
    for number in 0..20 {
        one.send(number).unwrap();
        other.send(number).unwrap();
    }
    for _ in 0..20 {
        select_biased! {
            recv(first) -> number => assert!(number.is_ok()),
            recv(second) -> _ => unreachable!(),
        }
    }
    assert_eq!((first.len(), second.len()), (0, 20));
}

/// Bodies may leave the loop around the select, and cases may be of any form.
#[test]
fn cases_have_all_forms() {
    fn sum(numbers: &Receiver<u32>, results: &Sender<u32>) -> Result<u32, RecvError> {
        let mut sum = 0;
        loop {
            select! {
                recv(numbers) -> number => {
                    let number = number?;
                    if number == 0 {
                        break Ok(sum);
                    }
                    sum += number;
                }
                send(results, sum,) -> sent => match sent {
                    Ok(()) => continue,
                    Err(SendError(_)) => return Ok(u32::MAX),
                },
                recv(after(LONG)) -> _ => unreachable!(),
                default(LONG) => unreachable!()
            }
        }
    }
    let ((sender, numbers), (results, _result)) = (bounded(0), bounded(1));
    let thread = thread::spawn(move || sum(&numbers, &results));
    for number in [3, 4, 0] {
        sender.send(number).unwrap();
    }
    assert_eq!(thread.join().unwrap(), Ok(7));
}
