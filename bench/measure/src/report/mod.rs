//! Reports of records for people and for other programs: the terminal's tables, JSON lines, the
//! page.
//!
//! Every report reads nothing but [`Record`](crate::record::Record)s, so a report of an old file of
//! JSON lines is equal to the report of the run itself. Texts on benches and queues come from the
//! benches' own [`guide`]s.

pub mod advice;
pub mod analysis;
pub mod brief;
pub mod csv;
pub mod family;
pub mod guide;
pub mod html;
pub mod json;
pub mod matrix;
pub mod pasted;
pub mod recommend;
pub mod sheet;
pub mod svg;
pub mod table;
pub mod text;

#[cfg(test)]
mod fixture;
