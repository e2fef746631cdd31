//! The option for the floating-point precision of most of the arithmetic (single or double).

use arcuate_pipeline::precision;
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl From<Precision> for precision::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::Single => Self::Single,
            Precision::Double => Self::Double,
        }
    }
}
