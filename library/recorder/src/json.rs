//! Texts and values in JSON.

use crate::trace::Field;

/// Returns a value as JSON.
pub(crate) fn in_json(value: &Field) -> String {
    match value {
        Field::Text(text, 0) => quoted(text),
        Field::Text(text, cut) => quoted(&format!("{text}... and {cut} bytes")),
        // JSON has no number for these values.
        Field::Float(number) if !number.is_finite() => quoted(&number.to_string()),
        value => value.to_string(),
    }
}

/// Returns a text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            character if character < ' ' => json += &format!("\\u{:04x}", character as u32),
            character => json.push(character),
        }
    }
    json + "\""
}
