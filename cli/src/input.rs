//! The files that commands read.

use std::fs::{self, FileType};
use std::path::Path;

use anyhow::{Result, bail};

/// Refuses a path that is not a file, before it is opened: a pipe may never have a writer, and a
/// device may have no end.
///
/// A path that does not exist passes: the error of opening it has the reason.
pub(crate) fn check(path: &Path) -> Result<()> {
    match fs::metadata(path).map(|found| found.file_type()) {
        Ok(found) if !found.is_file() => bail!("{} is {}; a file is needed", path.display(), name(found)),
        _ => Ok(()),
    }
}

fn name(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_char_device() || found.is_block_device() {
            return "a device";
        }
    }
    "no file"
}
