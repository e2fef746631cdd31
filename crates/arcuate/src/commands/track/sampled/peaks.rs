//! `arcuate track peaks`.

use super::Sampled;
use crate::commands::track::propagation;
use crate::peak_frame::FrameArg;
use crate::stage_command::Typed;
use arcuate_core::{PeakFrame, Result};
use arcuate_pipeline::stages;
use clap::Args;
use std::path::PathBuf;

/// Tracking through peaks of any origin
///
/// A peak is a fibre, its fraction its length in parts of the longest of the voxel. Streamlines draw one of the voxels around
/// at each step and follow the peak nearest to their direction. Options and results are those of `arcuate track samples`.
#[derive(Debug, Args)]
pub(crate) struct TrackPeaks {
    /// Image of peaks: x y z of each, three volumes a peak
    peaks: PathBuf,
    /// Axes of the peaks; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated where
    /// the affine's determinant is positive)
    #[arg(long, value_enum)]
    peaks_frame: Option<FrameArg>,
    /// Peaks shorter than this are none
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    min_peak: f64,
    /// Mask of the voxels to process; streamlines end outside; by default all that have a peak
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    #[command(flatten)]
    sampled: Sampled<propagation::Peaks>,
}

impl Typed for TrackPeaks {
    type Work = stages::TrackPeaks;

    fn typed(&self) -> Result<stages::TrackPeaks> {
        let (rules, tracking) = self.sampled.typed()?;
        Ok(stages::TrackPeaks {
            peaks: self.peaks.clone(),
            frame: self.peaks_frame.map_or(PeakFrame::Scanner, PeakFrame::from),
            min_peak: self.min_peak,
            mask: self.mask.clone(),
            rules,
            tracking,
        })
    }
}
