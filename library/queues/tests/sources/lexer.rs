//! Rust's source as words and punctuation, without comments and literals.

/// A word of the source, or a character of punctuation, with its line.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Returns the words of a source, without comments and literals.
pub(crate) fn pieces(source: &str) -> Vec<Piece> {
    let characters: Vec<char> = source.chars().collect();
    let (mut pieces, mut line, mut at) = (Vec::new(), 1, 0);
    while at < characters.len() {
        let rest = &characters[at..];
        let length = match rest {
            ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r' | 'b' | 'c', ..] if raw_string(rest).is_some() => raw_string(rest).expect("just asked"),
            ['"', ..] => quoted(rest, '"'),
            ['\'', '\\', ..] | ['\'', _, '\'', ..] => quoted(rest, '\''),
            [first, ..] if first.is_alphanumeric() || *first == '_' => {
                let length = rest.iter().position(|c| !c.is_alphanumeric() && *c != '_').unwrap_or(rest.len());
                pieces.push(Piece { text: rest[..length].iter().collect(), line });
                length
            }
            [first, ..] => {
                if !first.is_whitespace() {
                    pieces.push(Piece { text: first.to_string(), line });
                }
                1
            }
            [] => unreachable!("the loop ends before"),
        };
        line += rest[..length].iter().filter(|&&c| c == '\n').count();
        at += length;
    }
    pieces
}

/// Returns the length of a block comment, including nested ones.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length of a literal between two `quote`s.
fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Returns the length of a raw string (`r"..."`, `br#"..."#`), if it is one.
fn raw_string(rest: &[char]) -> Option<usize> {
    let start = if rest.get(1) == Some(&'r') { 2 } else { 1 };
    if rest[start - 1] != 'r' {
        return None;
    }
    let hashes = rest[start..].iter().take_while(|&&c| c == '#').count();
    if rest.get(start + hashes) != Some(&'"') {
        return None;
    }
    let end = [&['"'][..], &vec!['#'; hashes]].concat();
    let body = start + hashes + 1;
    let length = rest[body..].windows(end.len()).position(|window| window == end)?;
    Some(body + length + end.len())
}

/// Returns the full paths that the `use` declaration after `at` names, and its end.
pub(crate) fn imported(pieces: &[Piece], mut at: usize) -> (Vec<Vec<String>>, usize) {
    let (mut paths, mut open, mut path) = (Vec::new(), vec![0], Vec::<String>::new());
    while at < pieces.len() {
        match pieces[at].text.as_str() {
            ":" => {}
            "{" => open.push(path.len()),
            end @ ("," | "}" | ";") => {
                if path.len() > *open.last().expect("the outermost is never closed") {
                    paths.push(path.clone());
                }
                if end == "}" {
                    open.pop();
                }
                path.truncate(*open.last().expect("braces are balanced"));
                if end == ";" {
                    return (paths, at);
                }
            }
            name => path.push(name.to_string()),
        }
        at += 1;
    }
    (paths, at)
}
