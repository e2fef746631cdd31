//! The option for the coordinate frame of the peaks (fibre directions) in an image.

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
