//! Options that state the meaning of numbers in a gradient table, if the file leaves this open.

use arcuate_io::{BUnit, DirectionLengths, GradientReading};
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Meaning of the numbers of a gradient table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct TableReading {
    /// Unit of the b-values in the gradient table
    ///
    /// [default: s/mm²; s/m² for a .prtcl, and for a .scheme with a b-value above 100,000]
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(crate) b_unit: Option<BUnitArg>,
    /// How to interpret gradient directions whose length is not 1
    ///
    /// If the lengths of the directions may encode b-values of several shells, the command stops with an
    /// error unless this option is given.
    #[arg(long, value_name = "MEANING", value_enum)]
    pub(crate) bvec_lengths: Option<LengthsArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum BUnitArg {
    #[value(name = "s/mm2")]
    SecondsPerSquareMillimetre,
    #[value(name = "s/m2")]
    SecondsPerSquareMetre,
    #[value(name = "ms/um2")]
    MillisecondsPerSquareMicrometre,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum LengthsArg {
    /// Multiply each b-value by the squared length of its direction, as MRtrix does
    Scale,
    /// Use the b-values of the gradient table unchanged, as FSL does
    Ignore,
}

impl TableReading {
    /// Returns the name of the first of these options that the user gave.
    pub(crate) fn given(self) -> Option<&'static str> {
        self.words().first().map(|(name, _)| *name)
    }

    /// Returns the options as command-line arguments.
    pub(crate) fn words(self) -> Vec<(&'static str, OsString)> {
        fn word<T: ValueEnum>(value: &T) -> Option<OsString> {
            value.to_possible_value().map(|value| value.get_name().into())
        }
        let unit = self.b_unit.as_ref().and_then(word).map(|unit| ("b-unit", unit));
        let lengths = self.bvec_lengths.as_ref().and_then(word).map(|lengths| ("bvec-lengths", lengths));
        unit.into_iter().chain(lengths).collect()
    }

    /// Returns the options in the type that the readers of gradient tables use. `b0_threshold` is the
    /// threshold of b = 0.
    pub(crate) fn with_threshold(self, b0_threshold: Option<f64>) -> GradientReading {
        GradientReading {
            b0_threshold,
            b_unit: self.b_unit.map(|unit| match unit {
                BUnitArg::SecondsPerSquareMillimetre => BUnit::SecondsPerSquareMillimetre,
                BUnitArg::SecondsPerSquareMetre => BUnit::SecondsPerSquareMetre,
                BUnitArg::MillisecondsPerSquareMicrometre => BUnit::MillisecondsPerSquareMicrometre,
            }),
            lengths: self.bvec_lengths.map(|lengths| match lengths {
                LengthsArg::Scale => DirectionLengths::Scale,
                LengthsArg::Ignore => DirectionLengths::Ignore,
            }),
        }
    }
}
