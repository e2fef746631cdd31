//! `arcuate track peaks`.

use super::Sampled;
use crate::commands::track::parts::parted;
use crate::commands::track::propagation;
use crate::peak_frame::FrameArg;
use crate::stage_command::Typed;
use arcuate_core::{PeakFrame, Result};
use arcuate_pipeline::stages;
use clap::Args;
use std::path::PathBuf;

/// Tracking through peaks (fibre directions) of any origin
///
/// Each peak is a fibre. The fraction of this fibre is the length of the peak divided by the length of the
/// longest peak in the voxel. At each step, a streamline draws one of the surrounding voxels and follows the
/// peak that is nearest to its own direction. Options and results are those of `arcuate track samples`.
#[derive(Debug, Args)]
pub(crate) struct TrackPeaks {
    /// Image of peaks, with three volumes (x, y and z) for each peak of a voxel
    peaks: PathBuf,
    /// Axes of the x, y and z components of the peaks
    ///
    /// Use `scanner` for peaks of MRtrix, `image` for peaks along the voxel axes, and `fsl` for peaks of FSL.
    /// With `fsl`, the axes are the voxel axes, but x is negated if the determinant of the image's affine
    /// matrix is positive. [default: scanner]
    #[arg(long, value_enum)]
    peaks_frame: Option<FrameArg>,
    /// Length of the shortest peaks to use; shorter peaks are ignored
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    min_peak: f64,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate where they leave this mask. [default: all voxels with a peak]
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

parted!(TrackPeaks);
