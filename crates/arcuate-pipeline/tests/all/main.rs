//! Tests of warnings: sound scans give none, and each fault gives one.

mod response_warnings;
mod true_warnings;
