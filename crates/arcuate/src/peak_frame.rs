//! The axes that peaks in an image are along, as people say them.

use arcuate_core::PeakFrame;
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum FrameArg {
    Scanner,
    Image,
    Fsl,
}

impl From<FrameArg> for PeakFrame {
    fn from(argument: FrameArg) -> Self {
        match argument {
            FrameArg::Scanner => Self::Scanner,
            FrameArg::Image => Self::Image,
            FrameArg::Fsl => Self::Fsl,
        }
    }
}
