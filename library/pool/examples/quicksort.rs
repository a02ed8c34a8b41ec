//! Sorts numbers with a pool of its own, and prints what its workers have done.
//!
//! `cargo run --release -p aqueduct-pool --example quicksort -- [numbers]`

use std::time::Instant;

use aqueduct_pool::{ThreadPoolBuilder, join};

fn sort(numbers: &mut [u64]) {
    if numbers.len() < 1000 {
        return numbers.sort_unstable();
    }
    let middle = numbers.len() / 2;
    let (left, _, right) = numbers.select_nth_unstable(middle);
    join(|| sort(left), || sort(right));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    let mut numbers: Vec<u64> = (0..count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let pool = ThreadPoolBuilder::new().thread_name(|index| format!("sorter {index}")).build()?;
    let start = Instant::now();
    pool.install(|| sort(&mut numbers));
    let time = start.elapsed();
    assert!(numbers.is_sorted());
    println!("{count} numbers in {time:?} by {} workers: {:?}", pool.current_num_threads(), pool.counts());
    pool.close();
    Ok(())
}
