//! Errors of the compiler for wrong attributes: each wrong input, compiled by `rustc`.

#![cfg(not(miri))]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Wrong inputs, the compiler's message, and the code that it points at.
const REFUSED: [(&str, &str, &str); 19] = [
    ("#[model] async fn test() {}", "a model test is no `async fn`: call `future::block_on` in it", "async"),
    ("#[model] pub const unsafe fn test() {}", "a model test is no `const fn`", "const"),
    ("#[model] unsafe fn test() {}", "a model test is no `unsafe fn`: its body may have unsafe blocks", "unsafe"),
    ("#[model] extern \"C\" fn test() {}", "a model test is no `extern fn`", "extern"),
    ("#[model] fn test(a: usize) {}", "a model test has no parameters", "a"),
    ("#[model] fn test<T>() {}", "a model test is not generic", "<"),
    ("#[model] fn test();", "a model test has a body", "test"),
    ("#[model] struct Test;", "`#[model]` makes a test of a function: `fn name() { .. }`", "struct"),
    ("#[model] unsafe impl Send for A {}", "`#[model]` makes a test of a function: `fn name() { .. }`", "unsafe"),
    ("#[model] #[test] fn test() {}", "`#[model]` makes a test already: leave out `#[test]`", "#"),
    ("#[model(fail)] fn test() {}", "`#[model]` has no option `fail`: there are `fails`, `exhaustive`, ", "fail"),
    ("#[model(\"text\")] fn test() {}", "this is no option of `#[model]`: there are `fails`, ", "\"text\""),
    ("#[model(,)] fn test() {}", "this is no option of `#[model]`: there are `fails`, ", "#[model(,)]"),
    ("#[model(fails, fails)] fn test() {}", "the option `fails` is there twice", "fails"),
    ("#[model(random)] fn test() {}", "the option needs a value: `random = ..`", "random"),
    ("#[model(random = )] fn test() {}", "a value is written as `random = ..`", "random"),
    ("#[model(random(5))] fn test() {}", "a value is written as `random = ..`", "random"),
    ("#[model(exhaustive = true)] fn test() {}", "the option `exhaustive` has no value", "exhaustive"),
    ("#[model(crate)] fn test() {}", "the option needs a value: `crate = ..`", "crate"),
];

/// Returns the newest build of the macros, which lies beside this test.
fn library() -> PathBuf {
    let folder = env::current_exe().expect("this test's path").parent().expect("its folder").to_owned();
    let (start, end) = (format!("{}aqueduct_model_macros-", env::consts::DLL_PREFIX), env::consts::DLL_SUFFIX);
    let entries = fs::read_dir(folder).expect("a folder can be listed");
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let is_build = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with(&start) && name.ends_with(end)
    };
    let time = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).expect("a time");
    paths.filter(is_build).max_by_key(time).expect("a build of the macros")
}

/// Returns the compiler's messages for a crate with this item.
fn messages(number: usize, item: &str) -> String {
    let folder = env::temp_dir().join(format!("aqueduct-model-macros-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    let source = folder.join("item.rs");
    fs::write(&source, format!("use aqueduct_model_macros::model;\n{item}\n")).expect("a file can be written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--test"]).arg(&source);
    rustc.arg(format!("--extern=aqueduct_model_macros={}", library().display())).arg("--out-dir").arg(&folder);
    let output = rustc.output().expect("rustc is there");
    fs::remove_dir_all(folder).expect("a folder can be removed");
    assert!(!output.status.success(), "{item} compiles");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn the_compiler_says_what_is_wrong_and_where() {
    for (number, (item, message, place)) in REFUSED.into_iter().enumerate() {
        let found = messages(number, item);
        assert!(found.starts_with(&format!("error: {message}")), "{item}:\n{found}");
        let marks = format!(" {}\n", "^".repeat(place.len()));
        assert!(found.contains(&marks), "{item} points elsewhere:\n{found}");
        let marked = found.lines().position(|line| line.trim_end().ends_with(marks.trim_end())).expect("marks");
        let (line, marks) =
            (found.lines().nth(marked - 1).expect("a line"), found.lines().nth(marked).expect("a line"));
        let at = marks.find('^').expect("a mark");
        assert_eq!(line.get(at..at + place.len()), Some(place), "{found}");
        assert!(found.contains("aborting due to 1 previous error"), "{found}");
    }
}
