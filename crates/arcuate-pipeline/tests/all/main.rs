//! Tests of warnings: sound scans give none, and each fault gives one.

#![cfg(test)]

mod response_warnings;
mod true_warnings;
