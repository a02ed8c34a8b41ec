//! `src/sync.rs` is the only file of the crate that names atomics, cells, fences, spin hints,
//! thread parking or the allocator. Comments and strings may mention them.

use std::fs;

use crate::lexer::{Piece, imported, pieces};
use crate::{files, root};

/// The seam.
const SEAM: &str = "sync.rs";

/// Modules of `core`, `std` and `alloc` that no other file may name. `alloc::sync` is `Arc`'s home.
const CLOSED_MODULES: [[&str; 2]; 9] = [
    ["core", "sync"],
    ["std", "sync"],
    ["core", "cell"],
    ["std", "cell"],
    ["std", "alloc"],
    ["alloc", "alloc"],
    ["std", "thread"],
    ["core", "intrinsics"],
    ["core", "arch"],
];

/// Names that no other file may use unless they come from `crate::sync`: those are the seam's own.
const CLOSED_NAMES: [&str; 23] = [
    "UnsafeCell",
    "SyncUnsafeCell",
    "RefCell",
    "OnceCell",
    "LazyCell",
    "Mutex",
    "RwLock",
    "Condvar",
    "OnceLock",
    "LazyLock",
    "fence",
    "compiler_fence",
    "spin_loop",
    "yield_now",
    "park",
    "unpark",
    "read_volatile",
    "write_volatile",
    "asm",
    "GlobalAlloc",
    "handle_alloc_error",
    "alloc_zeroed",
    "realloc",
];

/// Whether the seam exports this name: it is right from `crate::sync`, and wrong from anywhere
/// else.
fn is_lent(name: &str) -> bool {
    name.starts_with("Atomic") || ["Cell", "Ordering", "dealloc"].contains(&name)
}

/// Describes what is wrong with a full path.
fn fault_of_path(path: &[String]) -> Option<String> {
    let names: Vec<_> = path.iter().map(String::as_str).collect();
    if names.starts_with(&["crate", "sync"]) {
        return None;
    }
    let closed = CLOSED_MODULES.iter().any(|module| names.starts_with(module));
    let renamed = matches!(names[..], ["core" | "std" | "alloc", "as" | "*" | "self", ..]);
    let lent = names.iter().any(|name| is_lent(name));
    (closed || renamed || lent).then(|| names.join("::"))
}

/// Returns the lines of a source with names that only the seam may use.
fn faults(source: &str) -> Vec<String> {
    let pieces = pieces(source);
    let (mut faults, mut at) = (Vec::new(), 0);
    let text = |at: usize| pieces.get(at).map_or("", |piece| piece.text.as_str());
    while at < pieces.len() {
        let Piece { text: name, line } = &pieces[at];
        if CLOSED_NAMES.contains(&name.as_str()) {
            faults.push(format!("{line}: {name}"));
        }
        if name == "use" {
            let (paths, end) = imported(&pieces, at + 1);
            let closed = paths.iter().filter(|path| path.iter().any(|name| CLOSED_NAMES.contains(&name.as_str())));
            faults.extend(closed.map(|path| format!("{line}: use {}", path.join("::"))));
            faults
                .extend(paths.iter().filter_map(|path| fault_of_path(path)).map(|path| format!("{line}: use {path}")));
            at = end;
        } else if [text(at + 1), text(at + 2)] == [":", ":"] {
            // A path in the code is read from its first name to its end.
            let mut path = vec![name.clone()];
            while [text(at + 1), text(at + 2)] == [":", ":"] {
                path.push(text(at + 3).to_string());
                at += 3;
            }
            let named = CLOSED_NAMES.iter().filter(|&name| path[1..].iter().any(|part| part == name));
            faults.extend(named.map(|name| format!("{line}: {name}")));
            let closed = CLOSED_MODULES.iter().any(|module| path.iter().take(2).eq(module.iter()));
            faults.extend(closed.then(|| format!("{line}: {}", path.join("::"))));
        }
        at += 1;
    }
    faults
}

#[test]
fn only_the_seam_names_atomics_cells_and_the_allocator() {
    let (root, files) = (root(), files());
    let seam = root.join(SEAM);
    assert!(files.contains(&seam), "the seam is {SEAM}");
    assert!(files.len() > 10, "the sources are here");
    let mut found = Vec::new();
    let worlds = seam.with_extension("");
    for file in files.iter().filter(|&file| *file != seam && !file.starts_with(&worlds)) {
        let source = fs::read_to_string(file).expect("a source can be read");
        let name = file.strip_prefix(&root).expect("inside").display().to_string();
        found.extend(faults(&source).into_iter().map(|fault| format!("src/{name}:{fault}")));
    }
    assert!(found.is_empty(), "only src/{SEAM} may name these; have it lend what you need:\n{}", found.join("\n"));
}

#[test]
fn the_seam_itself_would_be_found() {
    let seam = root().join("sync/native.rs");
    let found = faults(&fs::read_to_string(seam).expect("the seam can be read"));
    for name in ["core::sync", "UnsafeCell", "alloc::alloc"] {
        assert!(found.iter().any(|fault| fault.contains(name)), "{name} is not found in {found:?}");
    }
}

#[test]
fn each_way_around_the_seam_is_found() {
    for source in [
        "use core::sync::atomic::AtomicUsize;",
        "use std::sync::atomic::{AtomicBool, Ordering};",
        "use core::{mem, sync::{self, atomic}};",
        "use core :: {\n    ptr,\n    cell as boxes,\n};",
        "use core::cell::Cell;",
        "use std::cell::Cell as Box;",
        "pub(crate) use core::cell::RefCell;",
        "use core as c;",
        "use std::{self as s};",
        "use core::*;",
        "use super::elsewhere::AtomicPtr;",
        "use elsewhere::Cell;",
        "fn f() { core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst) }",
        "static X: core::sync::atomic::AtomicUsize = todo!();",
        "struct S(core::cell::UnsafeCell<u8>);",
        "fn f() { core::hint::spin_loop() }",
        "fn f() { std::thread::yield_now() }",
        "use core::hint;\nfn f() { hint::spin_loop() }",
        "use alloc::alloc::{alloc, dealloc};",
        "fn f(l: Layout) -> *mut u8 { unsafe { alloc::alloc::alloc(l) } }",
        "fn f(l: Layout) -> *mut u8 { unsafe { std::alloc::alloc(l) } }",
        "fn f(p: *const u8) -> u8 { unsafe { p.read_volatile() } }",
        "fn f() { unsafe { core::arch::asm!(\"mfence\") } }",
        "/* closed */ use core::sync::atomic::fence; // opened",
        "const S: &str = \"//\"; use core::cell::Cell;",
        "const C: char = '\"'; use core::cell::Cell; const D: char = '\"';",
        "fn f<'a>(x: &'a u8) -> core::cell::Ref<'a, u8> { todo!() }",
        "const S: &str = r#\"a \"quote\" \"#; use core::cell::Cell;",
    ] {
        assert!(!faults(source).is_empty(), "not found: {source}");
    }
}

#[test]
fn what_is_allowed_is_not_found() {
    for source in [
        "use crate::sync::{AtomicUsize, Cell, Ordering, alloc, dealloc};",
        "pub(crate) use crate::sync::Cell;",
        "use alloc::{boxed::Box, sync::Arc};",
        "use core::alloc::Layout;",
        "use core::{fmt, mem::MaybeUninit};",
        "// core::sync::atomic::fence\nfn f() {}",
        "/* a /* nested */ core::cell::UnsafeCell */ fn f() {}",
        "/// Uses no `UnsafeCell`.\nfn f() {}",
        "const S: &str = \"core::cell::UnsafeCell \\\" fence\";",
        "const S: &str = r##\"UnsafeCell \"# fence\"##;",
        "fn f<'a>(cell: &'a Cell<u8>) -> &'a Cell<u8> { cell.load(Ordering::Acquire); Cell::free(cell) }",
        "const C: char = '\\'';\nfn f() { unsafe { alloc(layout) } }",
    ] {
        assert_eq!(faults(source), [""; 0], "found in: {source}");
    }
}
