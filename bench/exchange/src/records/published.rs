//! The published queue, as a kind.

use aqueduct_bench_mpmc::mpmc::{kind, receiver, sender};
use aqueduct_bench_published::records::{PublishedRecords, Shared};

use super::content::{LONGEST, read, shape, write};
use super::contestant::InPlace;

kind! {
    /// BBQ with entries of any size, as published; its interface copies.
    Published = "published/bbq_records", many to many;
    InPlace<Shared>, InPlace<Shared>;
    |capacity| {
        let queue = Shared::new(PublishedRecords::new(capacity)?);
        (InPlace(Shared::clone(&queue)), InPlace(queue))
    }
}
sender!(InPlace<Shared>, |queue, number| {
    let mut bytes = [0; LONGEST];
    let (length, _) = shape(number);
    write(number, &mut bytes[..length]);
    queue.0.push(&bytes[..length]).is_ok()
});
receiver!(InPlace<Shared>, |queue| {
    let mut bytes = [0; LONGEST];
    let length = queue.0.pop(&mut bytes).ok()?;
    Some(read(&bytes[..length]))
});
