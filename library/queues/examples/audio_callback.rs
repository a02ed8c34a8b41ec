//! A producer thread feeds a real-time callback with samples, in chunks that both sides access in
//! place. The callback never waits, allocates or frees: where samples are missing it plays silence
//! and counts an underrun.
//!
//! cargo run -p aqueduct --example audio_callback

use std::f32::consts::TAU;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::spsc::ring;

const RATE: usize = 48_000;
const FRAMES: usize = 96;
const CALLBACKS: usize = 300;

/// Fills `output`, as the sound card asks every 2 ms. Returns how many samples were missing.
fn callback(samples: &mut ring::Consumer<f32>, output: &mut [f32]) -> usize {
    let mut batch = samples.batch(output.len());
    let mut filled = 0;
    loop {
        let run = batch.run();
        if run.is_empty() {
            break;
        }
        let count = run.len();
        output[filled..filled + count].copy_from_slice(run);
        filled += batch.skip_run(count);
    }
    batch.release();
    output[filled..].fill(0.0);
    output.len() - filled
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The queue holds 10 ms of sound, by which the producer may be ahead.
    let (mut producer, mut consumer) = ring::new::<f32>(RATE / 100)?;

    let player = thread::spawn(move || {
        let (mut underruns, mut missing, mut peak) = (0, 0, 0.0_f32);
        let mut output = [0.0; FRAMES];
        let start = Instant::now();
        for number in 0..CALLBACKS {
            let lost = callback(&mut consumer, &mut output);
            underruns += usize::from(lost > 0);
            missing += lost;
            peak = output.iter().fold(peak, |peak, sample| peak.max(sample.abs()));
            let next = Duration::from_secs_f64((number + 1) as f64 * FRAMES as f64 / RATE as f64);
            thread::sleep(next.saturating_sub(start.elapsed()));
        }
        // The last handle frees the memory. It is handed back, so that this does not happen on the
        // real-time thread.
        (consumer, underruns, missing, peak)
    });

    let mut sine = (0_u32..).map(|number| (TAU * 440.0 * number as f32 / RATE as f32).sin() * 0.5);
    let mut produced = 0;
    while !player.is_finished() {
        // The chunk fills the free space, and the callback sees all of it at once.
        let mut batch = producer.batch(FRAMES);
        let room = batch.space();
        produced += batch.fill(sine.by_ref().take(room));
        batch.publish();
        thread::sleep(Duration::from_millis(1));
    }
    let (consumer, underruns, missing, peak) = player.join().map_err(|_| "the player panicked")?;
    let played = CALLBACKS * FRAMES - missing;
    println!("{CALLBACKS} callbacks of {FRAMES} samples, peak {peak:.2}");
    println!("{played} samples played, {underruns} underruns ({missing} samples of silence)");
    println!("{} samples were produced and not played", consumer.len());
    assert_eq!(produced, played + consumer.len(), "no sample is lost or played twice");
    Ok(())
}
