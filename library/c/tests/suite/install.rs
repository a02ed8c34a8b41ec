//! The installed library is found by pkg-config and CMake, and works as a shared library.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::compiler::Language::Cpp17;
use crate::compiler::{Folder, built, compiler, run, success};
use crate::package;

/// Installs into a folder.
fn installed(folder: &Folder) -> PathBuf {
    let prefix = folder.join("prefix");
    let output = Command::new(package("dist/install")).arg(&prefix).arg(built()).output().expect("a shell");
    success(output, "install");
    prefix
}

#[test]
fn a_library_that_is_not_built_is_said_before_anything_is_installed() {
    let folder = Folder::new();
    let prefix = folder.join("prefix");
    let output =
        Command::new(package("dist/install")).arg(&prefix).arg(folder.join("nothing")).output().expect("a shell");
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && why.contains("cargo build --release -p aqueduct-c"), "{why}");
    assert!(!prefix.exists(), "nothing was installed");
}

/// Whether the machine has a program. If not, prints so.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    if let Err(error) = &found {
        println!("skipped: the machine has no `{program}` ({error})");
    }
    found.is_ok()
}

#[test]
fn pkg_config_finds_the_library() {
    let Some(mut compiler) = compiler(Cpp17).filter(|_| has("pkg-config")) else { return };
    let folder = Folder::new();
    let prefix = installed(&folder);
    let mut config = Command::new("pkg-config");
    config.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(["--cflags", "--libs", "aqueduct = 0.0.1"]);
    let flags = success(config.output().expect("it is there"), "pkg-config");
    let program = folder.join("program");
    compiler.arg("-o").arg(&program).arg(package("examples/prices.cpp")).args(flags.split_whitespace());
    success(compiler.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())).output().expect("it runs"), "c++");
    assert_eq!(run(&program, &["10"]), "10 prices, their sum is 22.5\n");
    // The loader searches for the name with the version: without it, the program does not start.
    fs::remove_file(prefix.join("lib/libaqueduct.so.0")).expect("it is there");
    let output = Command::new(&program).arg("10").output().expect("a program");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("libaqueduct.so.0"));
}

#[test]
fn the_shared_library_exports_functions_with_versions_and_nothing_else() {
    if compiler(Cpp17).is_none() || !has("nm") {
        return;
    }
    let folder = Folder::new();
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--defined-only"]).arg(installed(&folder).join("lib/libaqueduct.so"));
    let symbols = success(nm.output().expect("it is there"), "nm");
    let (versions, functions): (Vec<_>, Vec<_>) = symbols.lines().partition(|line| line.contains(" A "));
    assert!(functions.len() > 40 && versions.len() == 1, "{symbols}");
    assert!(functions.iter().all(|line| line.contains(" T aq_") && line.ends_with("@@AQUEDUCT_0.0")), "{symbols}");
}

#[test]
fn cmake_finds_the_library() {
    if compiler(Cpp17).is_none() || !has("cmake") {
        return;
    }
    let folder = Folder::new();
    let (prefix, source, build) = (installed(&folder), folder.join("source"), folder.join("build"));
    fs::create_dir(&source).expect("a new folder");
    let example = package("examples/prices.cpp");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.10)\nproject(user CXX)\nset(CMAKE_CXX_STANDARD 17)\n\
         find_package(aqueduct 0.2 QUIET)\nif(aqueduct_FOUND)\n  message(FATAL_ERROR \"a later version\")\nendif()\n\
         find_package(aqueduct 0.0.1 REQUIRED)\n\
         foreach(way aqueduct static)\n  add_executable(prices_${{way}} {})\n  \
         target_link_libraries(prices_${{way}} aqueduct::${{way}})\nendforeach()\n",
        example.display()
    );
    fs::write(source.join("CMakeLists.txt"), lists).expect("a file can be written");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&source).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    success(configure.output().expect("it is there"), "cmake");
    success(Command::new("cmake").arg("--build").arg(&build).output().expect("it is there"), "cmake --build");
    for way in ["aqueduct", "static"] {
        assert_eq!(run(&build.join(format!("prices_{way}")), &["10"]), "10 prices, their sum is 22.5\n");
    }
}

#[test]
fn the_manual_page_has_no_errors() {
    if !has("man") {
        return;
    }
    let mut man = Command::new("man");
    man.env("MANWIDTH", "100").env("LC_ALL", "C.UTF-8").args(["--warnings", "-l"]).arg(package("dist/aqueduct.3"));
    let output = man.output().expect("it is there");
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = success(output, "man");
    assert!(text.contains("AQ_TOO_LONG") && warnings.is_empty(), "{warnings}{text}");
}
