//! Helpers of `scripts/rayon-programs.sh`, in one file without dependencies.
//!
//! - `image FILE WIDTH`: writes a PNG of that width and height, the same one each time.
//! - `bytes FILE MIB`: writes this number of MiB, equal ones each time.
//! - `race RUNS NAME FIRST SECOND FOLDER [ARGUMENT...]`: runs both programs in turn with these
//!   arguments in the folder, prints their wall-clock and processor time, and fails if they have
//!   not written the same. `{out}` in an argument is a file that the program writes.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        ["image", file, width] => fs::write(file, image(width.parse()?))?,
        ["bytes", file, mib] => fs::write(file, bytes(mib.parse::<usize>()? << 20))?,
        ["race", runs, name, first, second, folder, arguments @ ..] => {
            let programs = [Path::new(first), Path::new(second)];
            race(runs.parse()?, name, programs, Path::new(folder), arguments)?;
        }
        _ => return Err("image FILE WIDTH, bytes FILE MIB, or race RUNS NAME FIRST SECOND FOLDER ARGUMENT...".into()),
    }
    Ok(())
}

/// Random numbers, the same ones each time.
fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

fn bytes(count: usize) -> Vec<u8> {
    let mut next = random();
    (0..count.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(count).collect()
}

/// A PNG with a gradient and some noise, not compressed.
fn image(width: u32) -> Vec<u8> {
    let mut next = random();
    let mut rows = Vec::new();
    for y in 0..width {
        rows.push(0);
        for x in 0..width {
            let noise = if (x / 64 + y / 64) % 2 == 0 { next() as u8 & 7 } else { 0 };
            rows.extend([x as u8, y as u8, (x + y) as u8 ^ noise]);
        }
    }
    let mut deflated = vec![0x78, 0x01];
    let mut blocks = rows.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        deflated.push(u8::from(blocks.peek().is_none()));
        let length = block.len() as u16;
        deflated.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        deflated.extend(block);
    }
    let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    deflated.extend((b << 16 | a).to_be_bytes());
    let mut header: Vec<u8> = [width, width].iter().flat_map(|side| side.to_be_bytes()).collect();
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", &header), (b"IDAT", &deflated), (b"IEND", &Vec::new())] {
        file.extend((data.len() as u32).to_be_bytes());
        let from = file.len();
        file.extend(kind);
        file.extend(data);
        let sum = file[from..].iter().fold(!0_u32, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| sum >> 1 ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
        });
        file.extend((!sum).to_be_bytes());
    }
    file
}

/// Runs both programs once without counting, and then in turn.
fn race(runs: usize, name: &str, programs: [&Path; 2], folder: &Path, arguments: &[&str]) -> Outcome<()> {
    let mut times: [Vec<(Duration, Duration)>; 2] = Default::default();
    for round in 0..=runs {
        let [first, second] = [0, 1].map(|at| run(programs[at], folder, arguments));
        let ((first, time_of_first), (second, time_of_second)) = (first?, second?);
        if first != second {
            return Err(format!("{name}: the programs have not written the same").into());
        }
        if round > 0 {
            times[0].push(time_of_first);
            times[1].push(time_of_second);
        }
    }
    let [first, second] = times.map(|times| {
        let (elapsed, used): (Vec<Duration>, Vec<Duration>) = times.into_iter().unzip();
        (quartiles(elapsed), quartiles(used))
    });
    let words = |[low, middle, high]: [f64; 3]| format!("{middle:.1} ({low:.1} .. {high:.1})");
    println!(
        "{name:<22} {:<26} {:<26} {:<8.2} {:.1} {:.1}",
        words(first.0),
        words(second.0),
        second.0[1] / first.0[1],
        first.1[1],
        second.1[1],
    );
    Ok(())
}

/// A program's output, its wall-clock time, and its processor time.
type Run = (Vec<Vec<u8>>, (Duration, Duration));

fn run(program: &Path, folder: &Path, arguments: &[&str]) -> Outcome<Run> {
    let out: PathBuf = std::env::temp_dir().join(format!("side-by-side-{}", std::process::id()));
    let out_name = out.to_str().ok_or("the folder of temporary files has a name that is no text")?;
    let arguments = arguments.iter().map(|argument| argument.replace("{out}", out_name));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::piped());
    let (began, used) = (Instant::now(), time_of_children());
    let output = command.output()?;
    let times = (began.elapsed(), time_of_children() - used);
    if !output.status.success() {
        std::io::stderr().write_all(&output.stderr)?;
        return Err(format!("{} failed: {}", program.display(), output.status).into());
    }
    let mut written = vec![output.stdout];
    if out.exists() {
        written.push(fs::read(&out)?);
        fs::remove_file(&out)?;
    }
    Ok((written, times))
}

/// Returns the quartiles in milliseconds.
fn quartiles(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    [1, 2, 3].map(|quarter| times[(times.len() - 1) * quarter / 4].as_secs_f64() * 1e3)
}

/// The processor time of programs that have ended.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn time_of_children() -> Duration {
    const CHILDREN: i32 = -1;
    unsafe extern "C" {
        fn getrusage(whose: i32, usage: *mut [i64; 18]) -> i32;
    }
    let mut usage = [0; 18];
    // SAFETY: `struct rusage` is two times, of seconds and microseconds, and fourteen numbers: 18
    // words.
    let status = unsafe { getrusage(CHILDREN, &raw mut usage) };
    assert_eq!(status, 0, "the system knows the time of children");
    let part = |at: usize| Duration::from_secs(usage[at] as u64) + Duration::from_micros(usage[at + 1] as u64);
    part(0) + part(2)
}

/// Processor time is unknown on this system.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn time_of_children() -> Duration {
    Duration::ZERO
}
