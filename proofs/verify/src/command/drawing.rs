//! Drawings of executions, for `--html` and `--dot`.

use std::io;
use std::path::Path;

use aqueduct_model::{EdgeKind, ExecutionGraph, Report};

use super::VerifyArgs;
use crate::clients::Client;

/// Returns the drawing of a client's report, with a title.
#[must_use]
pub fn picture<'a>(client: &Client, report: &'a Report) -> Option<(String, &'a ExecutionGraph)> {
    match (&report.failure, &report.graph) {
        (Some(failure), _) => Some((format!("{} fails: {:?}", client.name, failure.kind), &failure.graph)),
        (None, Some(graph)) => Some((format!("{}, replayed", client.name), graph)),
        (None, None) => None,
    }
}

/// Writes a drawing to the files that are asked for.
pub(super) fn draw(args: &VerifyArgs, title: &str, graph: &ExecutionGraph) -> io::Result<()> {
    let save = |file: &Path, text: String| {
        let error = |error| io::Error::other(format!("cannot write {}: {error}", file.display()));
        std::fs::write(file, text).map_err(error)
    };
    if let Some(file) = &args.html {
        save(file, graph.to_html(title))?;
    }
    if let Some(file) = &args.dot {
        let graph = graph.clone();
        let graph = if args.fr { graph } else { graph.without(EdgeKind::FromReads) };
        save(file, graph.to_dot())?;
    }
    Ok(())
}
