//! C litmus tests in herd7's format: parser, brute-force oracle, and runner.
