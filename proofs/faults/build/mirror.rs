//! Copies a product's source for a mirror, and puts faults in.
//!
//! Shared by the build scripts of all packages that copy a product's source.

#![allow(dead_code, unused_macros, unreachable_pub, reason = "lists of faults are written for the mirrors")]

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::{env, fs};

include!("../src/place.rs");

/// A copy of a product's source.
pub(crate) struct Mirror {
    /// The product's folder in `library`.
    pub(crate) product: &'static str,
    /// The path of the mirror's module that has the product's root, or `crate`.
    pub(crate) root: &'static str,
    /// The product's features that are on. Those of the mirror's own have the names of others.
    pub(crate) features: &'static [&'static str],
    /// Whether the mirror has a module of the product. It lacks the others, or has its own.
    pub(crate) has: fn(&str) -> bool,
}

impl Mirror {
    /// Copies the source into cargo's folder, where the file of the product's name has its root.
    ///
    /// `list` is the file or folder that lists `places`.
    pub(crate) fn write<F: Debug>(&self, list: &str, places: &[(F, Place)]) {
        // Cargo runs a build script in the folder of its package.
        let workspace = env::current_dir().expect("a folder");
        let workspace = workspace.ancestors().find(|folder| folder.join("Cargo.lock").exists()).expect("the workspace");
        let source = workspace.join("library").join(self.product).join("src");
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
        let copy = out.join(self.product);
        // Files that the product no longer has must not be found in an old copy.
        let _ = fs::remove_dir_all(&copy);
        let faults = workspace.join("proofs/faults");
        let read = [PathBuf::from("build.rs"), list.into(), faults.join("build"), faults.join("src/place.rs")];
        for path in read.iter().chain([&source]) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        println!(
            "cargo::rustc-check-cfg=cfg(feature, values(\"std\", \"mirrored\", \"derive\", \"bytemuck\", \"zerocopy\"))"
        );
        let mut places: Vec<&(F, Place)> = places.iter().collect();
        self.copy(&source, &source, &copy, &mut places);
        assert!(places.is_empty(), "no file {} in the library: {:?} has no place", places[0].1.file, places[0].0);
        let root = self.root(&fs::read_to_string(copy.join("lib.rs")).expect("a product has a root"), &copy);
        fs::write(copy.with_extension("rs"), root).expect("cargo's folder can be written");
    }

    /// Copies all of `folder`, a folder of `source`; removes from `places` the faults that it has
    /// put in.
    fn copy<F: Debug>(&self, source: &Path, folder: &Path, copy: &Path, places: &mut Vec<&(F, Place)>) {
        for entry in fs::read_dir(folder).expect("the library's source is readable") {
            let path = entry.expect("the library's source is readable").path();
            let name = path.strip_prefix(source).expect("below it");
            // A file that is named by its path has its modules in the folder of its name.
            let has_modules = path.extension().is_some() && path.with_extension("").is_dir();
            let to = copy.join(if has_modules { name.with_extension("").join("mod.rs") } else { name.to_owned() });
            if path.is_dir() {
                self.copy(source, &path, copy, places);
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
            fs::write(to, self.moved(&text)).expect("cargo's folder can be written");
        }
    }

    /// Returns the text with paths from the mirror's root, and conditions on `features` that hold.
    fn moved(&self, text: &str) -> String {
        let mut parts = text.split("crate::");
        let mut moved = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_other_name = moved.ends_with(|last: char| last.is_alphanumeric() || last == '_');
            moved += if is_other_name { "crate" } else { self.root };
            moved += "::";
            moved += part;
        }
        for feature in self.features {
            moved = moved.replace(&format!("feature = \"{feature}\""), "true");
        }
        moved
    }

    /// Returns the product's root: its modules, at their copies, and what it exports of them.
    fn root(&self, text: &str, copy: &Path) -> String {
        let (mut root, mut item) = (String::new(), String::new());
        for line in text.lines().filter(|line| !line.starts_with("//") && !line.starts_with("#!")) {
            item += line;
            item += "\n";
            if !line.ends_with(';') {
                continue;
            }
            let item = std::mem::take(&mut item);
            let is_first = |line: &&str| !line.is_empty() && !line.starts_with([' ', '}', '#']);
            let first = item.lines().rfind(is_first).expect("an item has a line").trim_start_matches("pub ");
            if let Some(name) = first.strip_prefix("mod ").map(|name| name.trim_end_matches(';')) {
                if (self.has)(name) {
                    let file = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|file| copy.join(file));
                    let file = file.into_iter().find(|file| file.exists()).expect("a module has a file");
                    root += &format!("#[path = {file:?}]{item}");
                }
            } else if let Some(path) = first.strip_prefix("use ") {
                let name = path.split("::").next().unwrap_or(path);
                if name.starts_with('{') || (self.has)(name) {
                    root += &item;
                }
            } else {
                // Those crates are named by the mirror's own root.
                assert!(first.starts_with("extern crate ") || item.contains("cfg(doctest)"), "unknown: {item}");
            }
        }
        root
    }
}
