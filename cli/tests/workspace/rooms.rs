//! The imports between the files of a package: no large circles, and rooms in an order.
//!
//! A *file* is a module with a file of its own. File `a` imports file `b` if a path in the code of
//! `a` leads to an item of `b`: in a `use`, in an expression or in a type. The reader follows
//! re-exports to the file that has the item. A file that only re-exports an item of its own
//! submodules does not import them, and the root of the crate does not count as a file. Calls of
//! methods are not seen. Code under `#[cfg(test)]` is left out.
//!
//! A *circle* is a largest set of files each of which leads, import by import, to all others. So a
//! file outside of any circle can be read when those that it imports have been read.
//!
//! A *room* is a module of the crate's root, with its submodules. [`PACKAGES`] lists the rooms of
//! each package from the lowest to the highest. A room may import those below it. An import upward
//! is listed, too, and the list has no import that does not exist.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use super::{files, root};

/// The imports that a package's files may have.
struct Package {
    folder: &'static str,
    /// The number of files of the largest circle; 1 if there is no circle.
    largest_circle: usize,
    /// The rooms, from the lowest to the highest.
    rooms: &'static str,
    /// Imports of a room by one below it: the lower room, and the higher one.
    upward: &'static [(&'static str, &'static str)],
}

const PACKAGES: [Package; 5] = [
    Package {
        folder: "library/pool",
        largest_circle: 1,
        rooms: "unwind error sync sleep latch job time task seat handlers registry worker thread builder start \
            global broadcast scope join spawn pool internal",
        // Code that makes a task or waits for one lies above the rest of its room.
        upward: &[("task", "registry"), ("task", "worker"), ("task", "global")],
    },
    Package {
        folder: "library/channel",
        largest_circle: 4,
        rooms: "error sync list spin wake event select select_macro oneshot feed channel broadcast latest stream \
            internal",
        upward: &[],
    },
    Package {
        folder: "library/shm",
        largest_circle: 1,
        rooms: "sync error layout pod bytes peer bell front records items lanes cells mpmc drop_old nblfq region \
            mpsc blocking",
        upward: &[],
    },
    Package {
        folder: "cli",
        largest_circle: 1,
        rooms: "ending guides output input interrupt progress cores job absent trace report checkers vswitch bench paper \
            compare options command_line",
        upward: &[],
    },
    Package { folder: "bench/mpmc", largest_circle: 1, rooms: "mpmc nblfq cnq", upward: &[] },
];

/// The names of modules from the crate's root to a module, or the names of a path.
type Path = Vec<String>;

/// A path that a file names, and the file's use of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    path: Path,
    /// The name by which other files find the item in this one, if this is a re-export.
    public: Option<String>,
}

/// A file's code.
#[derive(Debug, Default)]
struct Source {
    /// The paths that the file names.
    paths: Vec<Named>,
    /// The names that its `use` declarations bring in, and their paths: several if each has its own
    /// `cfg`.
    names: HashMap<String, Vec<Path>>,
    /// The words outside of `use` declarations.
    words: HashSet<String>,
    /// The modules that exist only in tests.
    tests: Vec<String>,
}

/// Splits code into names and signs. Comments, texts, characters and lifetimes are left out.
fn tokens(code: &str) -> Vec<String> {
    let letters: Vec<char> = code.chars().collect();
    let is_name = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let at = |index: usize| letters.get(index).copied().unwrap_or(' ');
    let (mut found, mut index) = (Vec::new(), 0);
    while index < letters.len() {
        match (letters[index], at(index + 1)) {
            ('/', '/') => index += letters[index..].iter().take_while(|&&letter| letter != '\n').count(),
            ('"', _) => index = end_of_text(&letters, index + 1),
            ('r', '"' | '#') if at(index + 1) == '"' || matches!(at(index + 2), '"' | '#') => {
                let marks = letters[index + 1..].iter().take_while(|&&letter| letter == '#').count();
                let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', marks)).collect();
                let start = index + marks + 2;
                let length = letters[start..].windows(end.len()).position(|window| window == end).expect("a text ends");
                index = start + length + end.len();
            }
            ('\'', '\\') => index += 3 + letters[index + 3..].iter().take_while(|&&letter| letter != '\'').count() + 1,
            ('\'', _) if at(index + 2) == '\'' => index += 3,
            ('\'', _) => index += 1 + letters[index + 1..].iter().take_while(|letter| is_name(letter)).count(),
            (':', ':') => {
                found.push("::".to_owned());
                index += 2;
            }
            (letter, _) if is_name(&letter) => {
                let length = letters[index..].iter().take_while(|letter| is_name(letter)).count();
                found.push(letters[index..index + length].iter().collect());
                index += length;
            }
            (letter, _) => {
                if !letter.is_whitespace() {
                    found.push(letter.to_string());
                }
                index += 1;
            }
        }
    }
    found
}

/// Returns the index behind a text that continues at `start`.
fn end_of_text(letters: &[char], start: usize) -> usize {
    let mut index = start;
    while letters[index] != '"' {
        index += if letters[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// Returns the number of tokens up to the end of the group that the first token opens.
fn group(tokens: &[String]) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match &**token {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Returns the number of tokens of the item at the beginning: up to a semicolon, or the end of a
/// body in braces.
fn item(tokens: &[String]) -> usize {
    let mut index = 0;
    while index < tokens.len() {
        match &*tokens[index] {
            ";" => return index + 1,
            "{" => return index + group(&tokens[index..]),
            "[" | "(" => index += group(&tokens[index..]),
            _ => index += 1,
        }
    }
    index
}

/// Reads the code of a file.
fn read(code: &str) -> Source {
    let tokens = tokens(code);
    let (mut source, mut index, mut is_public) = (Source::default(), 0, false);
    while index < tokens.len() {
        let rest = &tokens[index..];
        let is_test = || rest[2..group(&rest[1..])].iter().any(|token| token == "test");
        match &*rest[0] {
            "#" if rest.get(2).is_some_and(|token| token == "cfg") && is_test() => {
                let start = 1 + group(&rest[1..]);
                let item = &rest[start..start + item(&rest[start..])];
                if let [.., module, name, end] = item
                    && module == "mod"
                    && end == ";"
                {
                    source.tests.push(name.clone());
                }
                index += start + item.len();
            }
            "use" => {
                let length = rest.iter().position(|token| token == ";").expect("a declaration ends");
                leaves(&rest[1..length], &Path::new(), is_public, &mut source);
                index += length;
                is_public = false;
            }
            "pub" => {
                is_public = true;
                index += 1;
                if tokens.get(index).is_some_and(|token| token == "(") {
                    index += group(&tokens[index..]);
                }
            }
            _ => {
                is_public = false;
                let is_start = index == 0 || ![".", "::"].contains(&&*tokens[index - 1]);
                let length = if is_start { path(rest) } else { 0 };
                if length > 1 {
                    let path = rest[..length].iter().step_by(2).cloned().collect();
                    source.paths.push(Named { path, public: None });
                }
                if index == 0 || tokens[index - 1] != "mod" {
                    source.words.insert(rest[0].clone());
                }
                index += length.max(1);
            }
        }
    }
    source
}

/// Returns the number of tokens of the path at the beginning: names with `::` between them.
fn path(tokens: &[String]) -> usize {
    let is_name = |token: Option<&String>| {
        token.is_some_and(|token| token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'))
    };
    if !is_name(tokens.first()) {
        return 0;
    }
    let mut length = 1;
    while tokens.get(length).is_some_and(|token| token == "::") && is_name(tokens.get(length + 1)) {
        length += 2;
    }
    length
}

/// Adds the paths of a `use` declaration that begin with `before`.
fn leaves(tokens: &[String], before: &Path, is_public: bool, source: &mut Source) {
    let length = path(tokens);
    let mut path: Path = before.iter().chain(tokens[..length].iter().step_by(2)).cloned().collect();
    let rest = &tokens[length..];
    let (opening, behind) = match rest {
        [colons, opening, ..] if colons == "::" => (Some(&**opening), &rest[1..]),
        [opening, ..] => (Some(&**opening), rest),
        [] => (None, rest),
    };
    if opening == Some("{") {
        let inner = &behind[1..group(behind) - 1];
        let mut start = 0;
        while start < inner.len() {
            let mut end = start;
            while end < inner.len() && inner[end] != "," {
                end += if inner[end] == "{" { group(&inner[end..]) } else { 1 };
            }
            leaves(&inner[start..end], &path, is_public, source);
            start = end + 1;
        }
        return;
    }
    if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    let own = path.last().cloned().unwrap_or_default();
    let name = match rest {
        [word, name] if word == "as" => name.clone(),
        _ => own,
    };
    source.names.entry(name.clone()).or_default().push(path.clone());
    source.paths.push(Named { path, public: is_public.then_some(name) });
}

/// The files of a package, by their modules.
struct Tree {
    files: BTreeMap<Path, Source>,
    /// The names at the crate's root.
    root: Source,
}

impl Tree {
    /// Reads the files of a package: their paths below `src`, and their texts.
    fn new(sources: &[(String, String)]) -> Self {
        let (mut files, mut root) = (BTreeMap::<Path, Source>::new(), Source::default());
        for (file, text) in sources {
            let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if path.last().is_some_and(|name| name == "mod") {
                path.pop();
            }
            if path == ["lib"] {
                root = read(text);
            } else if path != ["main"] {
                files.insert(path, read(text));
            }
        }
        let mut tests: Vec<Path> = root.tests.iter().map(|name| vec![name.clone()]).collect();
        for (path, source) in &files {
            tests.extend(source.tests.iter().map(|name| path.iter().chain([name]).cloned().collect::<Path>()));
        }
        files.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        Self { files, root }
    }

    fn source(&self, module: &[String]) -> &Source {
        if module.is_empty() { &self.root } else { &self.files[module] }
    }

    /// Adds the modules to which a path leads from a module. Of the paths on the way, `seen` has
    /// the modules and names.
    fn resolve(&self, from: &Path, path: &[String], seen: &mut Vec<(Path, String)>, found: &mut BTreeSet<Path>) {
        let (mut module, mut rest) = (from.clone(), path);
        let mut is_first = true;
        while let [name, behind @ ..] = rest {
            let child: Path = module.iter().chain([name]).cloned().collect();
            match &**name {
                "crate" => module.clear(),
                "self" => {}
                "super" => drop(module.pop()),
                _ if self.files.contains_key(&child) => module = child,
                _ => {
                    let place = (module.clone(), name.clone());
                    // A macro is brought in by its own name.
                    let names = |paths: &&Vec<Path>| paths.iter().all(|path| path != std::slice::from_ref(name));
                    let paths = self.source(&module).names.get(name).filter(names);
                    let (Some(paths), false) = (paths, seen.contains(&place)) else {
                        // An item of this module. At the beginning, it may also be a crate, or a
                        // name of the language.
                        if !is_first {
                            found.insert(module);
                        }
                        return;
                    };
                    seen.push(place);
                    for path in paths {
                        let path: Path = path.iter().chain(behind).cloned().collect();
                        self.resolve(&module, &path, seen, found);
                    }
                    return;
                }
            }
            (rest, is_first) = (behind, false);
        }
        found.insert(module);
    }

    /// Returns which files each file imports.
    fn imports(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let of = |(module, source): (&Path, &Source)| {
            let mut found = BTreeSet::new();
            for Named { path, public } in &source.paths {
                let is_passed_on = public.as_ref().is_some_and(|name| !source.words.contains(name));
                let is_own = |other: &Path| is_passed_on && other.starts_with(module);
                let mut modules = BTreeSet::new();
                self.resolve(module, path, &mut Vec::new(), &mut modules);
                modules.retain(|other| other != module && !other.is_empty() && !is_own(other));
                found.extend(modules);
            }
            (module.clone(), found)
        };
        self.files.iter().map(of).collect()
    }
}

/// Returns the circles, the largest first.
fn circles(imports: &BTreeMap<Path, BTreeSet<Path>>) -> Vec<BTreeSet<Path>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> = imports
        .keys()
        .map(|file| {
            let (mut found, mut next) = (BTreeSet::new(), vec![file]);
            while let Some(file) = next.pop() {
                next.extend(imports[file].iter().filter(|&file| found.insert(file)));
            }
            (file, found)
        })
        .collect();
    let circle =
        |file: &Path| reached[file].iter().copied().filter(|&other| reached[other].contains(file)).cloned().collect();
    let found: BTreeSet<BTreeSet<Path>> = imports.keys().map(circle).collect();
    let mut found: Vec<_> = found.into_iter().filter(|circle| !circle.is_empty()).collect();
    found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    found
}

fn tree(folder: &str) -> Tree {
    Tree::new(&files(&root().join(folder).join("src"), "rs"))
}

#[test]
fn imports_are_read() {
    let file = |name: &str, code: &str| (name.to_owned(), code.to_owned());
    let tree = Tree::new(&[
        file("lib.rs", "mod low; mod high; use low::Low; #[cfg(test)] mod only;"),
        file(
            "low/mod.rs",
            "mod kept; mod other; pub use kept::{self as it, Kept}; pub struct Low; // crate::high::High",
        ),
        file(
            "low/kept.rs",
            "pub struct Kept; impl Kept { fn x<'a>() -> &'a str { \"crate::high\"; r#\"crate::high\"# } }",
        ),
        file("low/other.rs", "use super::{Kept, Low as L}; #[cfg(test)] mod tests { use crate::high::High; }"),
        file("high.rs", "use crate::{Low, low::{it::{Kept, Other}, other}}; fn y() { other::call('\\''); std::z() }"),
        file("only.rs", "use crate::low::Low;"),
        file(
            "far.rs",
            "#[cfg(a)] use crate::low as l; #[cfg(b)] use crate::high as l; pub use l::X; $crate::far::m!()",
        ),
    ]);
    let found: Vec<String> = tree
        .imports()
        .iter()
        .map(|(file, known)| {
            let known: Vec<String> = known.iter().map(|path| path.join("/")).collect();
            format!("{}: {}", file.join("/"), known.join(" "))
        })
        .collect();
    assert_eq!(
        found,
        ["far: high low", "high: low low/kept low/other", "low: ", "low/kept: ", "low/other: low low/kept"]
    );
}

#[test]
fn circles_are_found() {
    let path = |name: &str| vec![name.to_owned()];
    let imports = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a"), ("e", "f"), ("f", "g"), ("g", "e")];
    let mut imports: BTreeMap<Path, BTreeSet<Path>> =
        imports.iter().map(|&(from, to)| (path(from), BTreeSet::from([path(to)]))).collect();
    imports.get_mut(&path("a")).expect("a file").insert(path("e"));
    let expected = [vec!["e", "f", "g"], vec!["b", "c"]];
    let expected: Vec<BTreeSet<Path>> =
        expected.iter().map(|names| names.iter().map(|name| path(name)).collect()).collect();
    assert_eq!(circles(&imports), expected);
}

#[test]
fn no_package_has_a_larger_circle_of_files_than_is_said() {
    let mut wrong = String::new();
    for Package { folder, largest_circle, .. } in &PACKAGES {
        let circles = circles(&tree(folder).imports());
        let largest = circles.first().map_or(1, BTreeSet::len);
        if largest != *largest_circle {
            let _ = writeln!(wrong, "{folder}: the largest circle has {largest} files, and not {largest_circle}:");
        }
        for circle in circles.iter().filter(|circle| circle.len() > *largest_circle) {
            let files: Vec<String> = circle.iter().map(|file| file.join("/")).collect();
            let _ = writeln!(wrong, "    {}", files.join(" "));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn each_room_imports_those_below_it() {
    let mut wrong = String::new();
    for Package { folder, rooms, upward, .. } in &PACKAGES {
        let mut found = BTreeMap::<(String, String), Vec<String>>::new();
        let tree = tree(folder);
        let imports = tree.imports();
        for (file, known) in &imports {
            for other in known.iter().filter(|other| other[0] != file[0]) {
                let of_room = found.entry((file[0].clone(), other[0].clone())).or_default();
                of_room.push(format!("{} imports {}", file.join("/"), other.join("/")));
            }
        }
        let there: BTreeSet<&str> = imports.keys().map(|file| &*file[0]).collect();
        let rooms: Vec<&str> = rooms.split_whitespace().collect();
        let listed: BTreeSet<&str> = rooms.iter().copied().collect();
        if there != listed || listed.len() != rooms.len() {
            let _ = writeln!(wrong, "{folder}: the rooms are {there:?}, and not {rooms:?}");
        }
        let floor = |room: &str| rooms.iter().position(|other| *other == room);
        let is_upward = |(from, to): &(String, String)| floor(from) < floor(to);
        for ((from, to), files) in found.iter().filter(|(rooms, _)| is_upward(rooms)) {
            if !upward.contains(&(&**from, &**to)) {
                let _ = writeln!(wrong, "{folder}: {from} imports {to}, which is above it: {files:?}");
            }
        }
        for &(from, to) in *upward {
            let rooms = (from.to_owned(), to.to_owned());
            if !found.contains_key(&rooms) || !is_upward(&rooms) {
                let _ = writeln!(
                    wrong,
                    "{folder}: {from} imports {to} no longer, or that is below it: take it off the list"
                );
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
