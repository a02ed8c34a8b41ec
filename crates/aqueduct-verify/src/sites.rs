//! Where the queues' source names an ordering that is stronger than `Relaxed`.

use std::fmt;
use std::sync::atomic::Ordering;

use aqueduct_model::{Override, SiteReport};

macro_rules! sources {
    ($($file:literal)*) => {
        /// The files of the library that name such orderings, below its `src`, with their text.
        pub const SOURCES: &[(&str, &str)] = &[$(($file, include_str!(concat!("../../aqueduct/src/", $file)))),*];
    };
}

sources! {
    "heap.rs"
    "spsc/batched_lamport.rs"
    "spsc/fast_forward.rs"
    "spsc/lamport.rs"
    "spsc/lazy_lamport.rs"
    "spsc/partitions.rs"
    "spsc/stamped_line.rs"
}

/// An ordering in the source that is stronger than `Relaxed`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The file, below the library's `src`.
    pub file: &'static str,
    /// The line, from 1 on.
    pub line: u32,
    /// The code in that line; with ` #2` after it where it stands in the file for the second time, and so on.
    pub code: String,
    /// The ordering that it names.
    pub ordering: Ordering,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.code)
    }
}

impl Site {
    /// Another ordering for this site, which a check has come to; `None` if it has not.
    pub fn instead(&self, reached: &[SiteReport], ordering: Ordering) -> Option<Override> {
        let path = format!("/{}", self.file);
        let site = reached.iter().find(|site| site.line == self.line && site.file.ends_with(&path))?;
        Some(Override {
            file: site.file.to_owned(),
            line: site.line,
            column: site.column,
            ordering: Some(ordering),
            failure: None,
        })
    }
}

/// The orderings that are one step weaker.
pub fn weaker(ordering: Ordering) -> &'static [Ordering] {
    match ordering {
        Ordering::SeqCst => &[Ordering::AcqRel],
        Ordering::AcqRel => &[Ordering::Acquire, Ordering::Release],
        Ordering::Acquire | Ordering::Release => &[Ordering::Relaxed],
        _ => &[],
    }
}

/// The orderings stronger than `Relaxed` in a file's text, by line and what is in it.
pub fn named_in(text: &str) -> impl Iterator<Item = (u32, &str, Ordering)> {
    let strong = [Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::SeqCst];
    (1..).zip(text.lines().map(str::trim)).filter(|(_, code)| !code.starts_with("//")).flat_map(move |(line, code)| {
        strong
            .into_iter()
            .filter(move |ordering| code.contains(&format!("Ordering::{ordering:?}")))
            .map(move |ordering| (line, code, ordering))
    })
}

/// All orderings stronger than `Relaxed` in the queues' source, by file and line.
pub fn all() -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for &(file, text) in SOURCES {
        let mut seen: Vec<&str> = Vec::new();
        for (line, code, ordering) in named_in(text) {
            let again = seen.iter().filter(|&&other| other == code).count();
            seen.push(code);
            let code = if again == 0 { code.to_owned() } else { format!("{code} #{}", again + 1) };
            sites.push(Site { file, line, code, ordering });
        }
    }
    sites
}
