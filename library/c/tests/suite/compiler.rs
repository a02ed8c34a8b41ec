//! The machine's compilers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{env, fs, process};

use crate::package;

/// A folder that is removed when this is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("aqueduct-c-{}-{}", process::id(), NEXT.fetch_add(1, Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).expect("a folder of its own");
        Self(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A language with its standard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C11,
    Cpp17,
    Cpp20,
}

/// The folder of cargo's output for this test, which also has the libraries.
pub(crate) fn built() -> PathBuf {
    let test = env::current_exe().expect("a program has a path");
    test.parent().expect("a folder").to_owned()
}

const SANITIZERS: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

/// A compiler of the language. If there is none, prints so and returns `None`.
pub(crate) fn compiler(language: Language) -> Option<Command> {
    let (variable, usual, standard) = match language {
        Language::C11 => ("CC", "cc", "-std=c11"),
        Language::Cpp17 => ("CXX", "c++", "-std=c++17"),
        Language::Cpp20 => ("CXX", "c++", "-std=c++20"),
    };
    let name = env::var_os(variable).unwrap_or(usual.into());
    if let Err(error) = Command::new(&name).arg("--version").output() {
        println!("skipped: the machine has no compiler `{}` ({error})", name.display());
        return None;
    }
    let mut command = Command::new(name);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1"]);
    Some(command)
}

/// Whether a program can be built with the compiler's sanitizers. If not, prints so.
fn has_sanitizers(language: Language, folder: &Folder) -> bool {
    let source = folder.join(if language == Language::C11 { "empty.c" } else { "empty.cpp" });
    fs::write(&source, "int main(void) { return 0; }\n").expect("a file can be written");
    let mut command = compiler(language).expect("it was there");
    let output = command.args(SANITIZERS).arg("-o").arg(folder.join("empty")).arg(source).output().expect("it runs");
    if !output.status.success() {
        println!("skipped: the compiler has no sanitizers");
    }
    output.status.success()
}

/// Builds a program with the static library. If the machine cannot, prints so and returns `None`.
pub(crate) fn build(language: Language, source: &str, sanitized: bool, folder: &Folder) -> Option<PathBuf> {
    let mut command = compiler(language)?;
    if sanitized {
        if !has_sanitizers(language, folder) {
            return None;
        }
        command.args(SANITIZERS);
    }
    let program = folder.join("program");
    command.arg("-I").arg(package("include")).arg("-o").arg(&program).arg(package(source));
    command.arg(built().join("libaqueduct_c.a")).args(["-lpthread", "-ldl", "-lm"]);
    success(command.output().expect("it runs"), source);
    Some(program)
}

/// The output of a command that succeeds.
#[track_caller]
pub(crate) fn success(output: Output, what: &str) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{what}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The output of a program that succeeds.
#[track_caller]
pub(crate) fn run(program: &Path, arguments: &[&str]) -> String {
    success(Command::new(program).args(arguments).output().expect("it was built"), "the program")
}
