//! Of which kind the numbers are that the bulk of the arithmetic is done with.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    Single,
    Double,
}
