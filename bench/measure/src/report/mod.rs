//! Reports of records for people and for other programs: the terminal's tables, JSON lines, the page.
//!
//! Every report reads nothing but [`Record`](crate::record::Record)s, so a report of an old file of JSON lines
//! is equal to the report of the run itself.

pub mod advice;
pub mod analysis;
pub mod brief;
pub mod csv;
pub mod family;
mod family_snippet;
pub mod html;
pub mod json;
pub mod matrix;
mod needs;
mod path;
pub mod recommend;
pub mod sheet;
mod snippet;
pub mod svg;
pub mod table;
pub mod text;

#[cfg(test)]
mod fixture;
