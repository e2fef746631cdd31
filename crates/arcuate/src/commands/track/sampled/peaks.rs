//! `arcuate track peaks`.

use super::{REFERENCES, Source, Tracking};
use crate::context::Context;
use crate::peak_frame::FrameArg;
use crate::references;
use crate::space;
use crate::stage_command::StageCommand;
use arcuate_core::{Error, PeakFrame, Result};
use arcuate_io::read_volume;
use arcuate_pipeline::orientation_files::Peaks;
use arcuate_track::OrientationTable;
use clap::Args;
use std::path::PathBuf;

/// Tracking through peaks of any origin
///
/// A peak is a fibre, its fraction its length in parts of the longest of the voxel. Streamlines draw one of the voxels around
/// at each step and follow the peak nearest to their direction. Results are as those of `arcuate track samples`.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackPeaks {
    /// Image of peaks: x y z of each, three volumes a peak
    peaks: PathBuf,
    /// Axes that the peaks are along; the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated where
    /// the affine's determinant is positive)
    #[arg(long, value_enum)]
    peaks_frame: Option<FrameArg>,
    /// Peaks shorter than this are none
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    min_peak: f64,
    /// Mask of the voxels that count; by default all that have a peak
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    #[command(flatten)]
    tracking: Tracking,
}

impl StageCommand for TrackPeaks {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, context: &Context) -> Result<()> {
        if !(self.min_peak >= 0.0 && self.min_peak.is_finite()) {
            let problem = format!("{} is not a length of 0 or more", self.min_peak);
            return Err(Error::usage("--min-peak", problem, "give one"));
        }
        self.tracking.check(None, context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.check(context)?;
        let files = std::iter::once(&self.peaks).chain(&self.mask).cloned().collect();
        let source = Source {
            title: "Tracking through peaks",
            path: &self.peaks,
            files,
            // Lengths of peaks are no fractions of the voxel.
            seed_fraction: None,
            references: &[],
            fraction: "Lengths of all peaks over the longest of the voxel",
        };
        let frame = self.peaks_frame.map_or(PeakFrame::Scanner, PeakFrame::from);
        let read = || {
            let peaks = read_volume(&self.peaks)?;
            if peaks.channels() % 3 != 0 {
                let problem = format!("it has {} volumes, not three for each peak", peaks.channels());
                let advice = "give x, y and z of each peak";
                return Err(Error::invalid(self.peaks.display(), problem, advice));
            }
            let mask = match &self.mask {
                Some(path) => Some(space::mask_on(path, peaks.grid(), "the peaks")?),
                None => None,
            };
            OrientationTable::new(&Peaks::new(peaks, frame, mask.as_ref(), self.min_peak)?)
        };
        self.tracking.run(&source, read, context)
    }
}
