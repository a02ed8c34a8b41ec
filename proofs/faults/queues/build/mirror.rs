//! Copies a library's source for a mirror, and puts faults in.
//!
//! Shared by the build scripts of all packages that mirror a library with faults.

#![allow(dead_code, unused_macros, unreachable_pub, reason = "lists of faults are written for the mirrors")]

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::{env, fs};

include!("../src/place.rs");

/// Writes `modules.rs` into cargo's folder: the modules of `library`, a folder in `library`, at their copies.
///
/// The mirror has its own version of each of `own_modules`. `list` is the file or folder that lists `places`.
pub(crate) fn write<F: Debug>(library: &str, list: &str, places: &[(F, Place)], own_modules: &[&str]) {
    // Cargo runs a build script in the folder of its package.
    let root = env::current_dir().expect("a folder");
    let root = root.ancestors().find(|folder| folder.join("Cargo.lock").exists()).expect("the workspace");
    let library = root.join("library").join(library).join("src");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let copy = out.join("source");
    // Files that the library no longer has must not be found in an old copy.
    let _ = fs::remove_dir_all(&copy);
    println!("cargo::rerun-if-changed=build.rs");
    for path in ["build", "src/place.rs", list] {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-changed={}", library.display());
    println!(
        "cargo::rustc-check-cfg=cfg(feature, values(\"std\", \"mirrored\", \"derive\", \"bytemuck\", \"zerocopy\"))"
    );
    let mut places: Vec<&(F, Place)> = places.iter().collect();
    copy_with_faults(&library, &library, &copy, &mut places);
    assert!(places.is_empty(), "no file {} in the library: {:?} has no place", places[0].1.file, places[0].0);
    let root = fs::read_to_string(library.join("lib.rs")).expect("the library has a root");
    fs::write(out.join("modules.rs"), modules(&root, &copy, own_modules)).expect("cargo's folder can be written");
}

/// Copies all of `folder`, a folder of `library`; removes the faults from `places` that it has put in.
fn copy_with_faults<F: Debug>(library: &Path, folder: &Path, copy: &Path, places: &mut Vec<&(F, Place)>) {
    for entry in fs::read_dir(folder).expect("the library's source is readable") {
        let path = entry.expect("the library's source is readable").path();
        let name = path.strip_prefix(library).expect("below it");
        // A file that is named by its path has its modules in the folder of its name.
        let has_modules = path.extension().is_some() && path.with_extension("").is_dir();
        let to = copy.join(if has_modules { name.with_extension("").join("mod.rs") } else { name.to_owned() });
        if path.is_dir() {
            copy_with_faults(library, &path, copy, places);
            continue;
        }
        let mut text = fs::read_to_string(&path).expect("the library's source is text");
        places.retain(|(fault, place)| {
            let here = Path::new(place.file) == name;
            if here {
                assert_eq!(text.matches(place.right).count(), 1, "{fault:?} has its place in {} once", place.file);
                let switched_on = format!("crate::has(crate::Fault::{fault:?})");
                text = text.replace(place.right, &place.wrong.replace("FAULT", &switched_on));
            }
            !here
        });
        fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("cargo's folder can be written");
        fs::write(to, text).expect("cargo's folder can be written");
    }
}

/// Returns the declarations of the library's modules, at their copies.
fn modules(root: &str, copy: &Path, own_modules: &[&str]) -> String {
    let mut modules = String::new();
    for line in root.lines() {
        let Some(name) = line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")) else { continue };
        let name = name.trim_end_matches(';');
        if own_modules.contains(&name) {
            continue;
        }
        let file = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|file| copy.join(file));
        let file = file.into_iter().find(|file| file.exists()).expect("a module has a file");
        modules += &format!("#[path = {file:?}]\n{line}\n");
    }
    modules
}
