//! Tracking along diffusion tensors.

use super::tracking::field::{Field, Source};
use super::tracking::{
    MEAN_LENGTH, STREAMLINES, Tracking, bend_of_steps, grid_of, left_out_by_tissues, mask_on,
    note_ends_at_maximum, note_lengths, note_seeds, outside_lengths, require_no_preset, seeds_and_ends,
    to_thousandths, white_matter,
};
use super::work::Work;
use crate::job::Job;
use crate::record::Record;
use crate::tensor_order::{check_tensors, read_tensor};
use arcuate_compute::Device;
use arcuate_core::{Error, Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_model::{TensorOrder, tensor_maps};
use arcuate_track::{
    ConstraintUnit, Curvature, Method, SampleTracks, TensorTracker, TrackOptions, TrackSummary, Tracker,
};
use std::fmt::Display;
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Mori S et al. (1999) Three-dimensional tracking of axonal projections. \
     doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3",
    "Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. \
     doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O",
    "Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102",
];

pub use super::tracking::DEFAULT_SELECT;

/// Tracks along diffusion tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackTensor {
    /// Image of the tensors, in mm²/s.
    pub tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image.
    pub order: Option<TensorOrder>,
    /// Mask of the voxels to use. Streamlines stop outside.
    pub mask: Option<PathBuf>,
    /// Options that only tensor tracking has. The number of streamlines, the regions and the random seed in
    /// this value are ignored, because `tracking` and the job have them.
    pub options: TrackOptions,
    /// Tracking options and products.
    pub tracking: Tracking,
}

impl TrackTensor {
    /// Creates tracking along a tensor image, with default options.
    pub fn new(tensor: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            tensor: tensor.into(),
            order: None,
            mask: None,
            options: TrackOptions::default(),
            tracking: Tracking::new(out, ConstraintUnit::Whole),
        }
    }

    /// Returns the options of the tracking algorithm, without the mask.
    fn options(&self, job: &Job) -> TrackOptions {
        let options = self.tracking.propagation.of_tensors(self.options.clone());
        TrackOptions { select: self.tracking.select(), seed: job.random_seed(), ..options }
    }

    fn read(&self, job: &Job) -> Result<Box<dyn Field>> {
        let tensor = job.step("read the tensors", || read_tensor(&self.tensor, self.order))?;
        let mask = mask_on(self.mask.as_deref(), tensor.grid())?.or_else(|| self.options.mask.clone());
        let options = TrackOptions { mask, ..self.options(job) };
        options.check(tensor.grid())?;
        check_tensors(&self.tensor.display(), &tensor, options.mask.as_ref(), Some("streamlines end there"))?;
        let step_mm = options.step_on(tensor.grid())?;
        let name = self.tensor.display().to_string();
        Ok(Box::new(Tensors { name, tensor, options, step_mm }))
    }

    /// Follows the streamlines and writes the products.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`]. Also returns an error if no streamline was accepted and the user
    /// did not select the seeds.
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        Work::check(self, job)?;
        let source = Source {
            title: "Tensor tracking",
            path: &self.tensor,
            files: std::iter::once(&self.tensor).chain(&self.mask).cloned().collect(),
            references: REFERENCES,
            backdrop: "Fractional anisotropy",
            followed: " along diffusion tensors",
            data: &["tensor image"],
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        self.tracking.run(&source, || self.read(job), job)
    }
}

/// Returns the error for tensor tracking without an accepted streamline. `name` is the name of the tensor
/// image.
pub fn no_tensor_streamline(name: &dyn Display) -> Error {
    let advice = "lower ‘cutoff’ or ‘min_length_mm’, or check mask, seeds and gradient table";
    Error::invalid(name, "all streamlines are shorter than the minimum length", advice)
}

impl Work for TrackTensor {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        require_no_preset(self.tracking.preset)?;
        self.tracking.check(job)?;
        self.options(job).check(&grid_of(&self.tensor, job)?)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// The tensor image, with the options of the run.
struct Tensors {
    name: String,
    tensor: Volume<f32>,
    options: TrackOptions,
    step_mm: f64,
}

impl Field for Tensors {
    fn grid(&self) -> &Grid {
        self.tensor.grid()
    }

    fn step_mm(&self) -> f64 {
        self.step_mm
    }

    fn options(&self) -> String {
        // The mask is not part of this text, because it is one of the inputs that identify the run.
        format!("{:?}", TrackOptions { mask: None, ..self.options.clone() })
    }

    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask> {
        let mask = self.options.mask.as_ref();
        if are_chosen {
            return Ok(mask.cloned().unwrap_or_else(|| Mask::full(*self.grid())));
        }
        let minimum = self.options.seed_fa.unwrap_or(self.options.fa_cutoff);
        let white = white_matter(&tensor_maps(&self.tensor)?.fa, mask, minimum)?;
        if white.is_empty() { Err(no_tensor_streamline(&self.name)) } else { Ok(white) }
    }

    fn backdrop(&self) -> Result<Volume<f32>> {
        Ok(tensor_maps(&self.tensor)?.fa)
    }

    fn repeats_seeds(&self) -> bool {
        false
    }

    fn has_even_steps(&self) -> bool {
        self.options.method != Method::Fact
    }

    fn has_gpu_tracker(&self) -> bool {
        false
    }

    fn tracker<'a>(&'a self, _: &'a Device) -> Result<Box<dyn Tracker + 'a>> {
        Ok(Box::new(TensorTracker::new(&self.tensor, &self.options)))
    }

    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()> {
        // If the user selected the seeds, it is not an error that no streamline was accepted.
        if tracks.summary.streamlines == 0 && !are_chosen {
            return Err(no_tensor_streamline(&self.name));
        }
        Ok(())
    }

    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record) {
        record.choice("step", format!("{} mm", to_thousandths(self.step_mm)));
        if let Some(turn) = sharpest_turn(&self.options, self.step_mm) {
            record.choice("sharpest turn", turn);
        }
        let TrackSummary { seeds, streamlines, rejected, terminated, .. } = &tracks.summary;
        record.figure(STREAMLINES, *streamlines).key();
        note_ends_at_maximum(&tracks.summary, record);
        match measured(tracks, lengths) {
            Some(lengths) => note_lengths(lengths, record),
            None => {
                record.measure(MEAN_LENGTH, self.step_mm * tracks.summary.mean_steps(), "mm").key();
            }
        }
        note_seeds(&tracks.summary, "outside the image or the mask", record);
        let TrackOptions { fa_cutoff, seed_fa, min_length_mm, max_length_mm, .. } = self.options;
        let low_seeds = format!("seeds in too low anisotropy: FA below {}", seed_fa.unwrap_or(fa_cutoff));
        let low_ends = format!("ends in too low anisotropy: FA below {fa_cutoff}");
        let [short, long] = outside_lengths(min_length_mm, max_length_mm);
        let longest = max_length_mm.map_or_else(
            || "ends at the largest length".to_owned(),
            |longest| format!("ends at the largest length: {} mm", to_thousandths(longest)),
        );
        let counts = [
            ("seeds tried", *seeds),
            ("seeds outside the image or the mask", rejected.seed_outside),
            (low_seeds.as_str(), rejected.seed_anisotropy),
            (short.as_str(), rejected.too_short),
            (long.as_str(), rejected.too_long),
            ("ends at the edge of the image", terminated.left_image),
            ("ends at the edge of the mask", terminated.left_mask),
            (low_ends.as_str(), terminated.anisotropy),
            ("ends at too sharp a turn", terminated.angle),
            (longest.as_str(), terminated.max_length),
        ];
        let text = "The outcome of the seeds, and the reasons why streamlines ended: both ends of each, \
                    also of streamlines that were too short.";
        record.tables.push(seeds_and_ends(text, &counts, &tracks.summary));
    }

    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String> {
        let summary = &tracks.summary;
        let how_long = measured(tracks, lengths).map_or_else(
            || format!("{:.1} mm on average", self.step_mm * summary.mean_steps()),
            StreamlineLengths::to_string,
        );
        vec![format!(
            "{} streamlines of {how_long} from {} seeds ({} too short, {} in too low anisotropy, {} outside{})",
            summary.streamlines,
            summary.seeds,
            summary.rejected.too_short,
            summary.rejected.seed_anisotropy,
            summary.rejected.seed_outside,
            left_out_by_tissues(summary),
        )]
    }
}

/// Returns the lengths of the written streamlines. If no streamlines were written, returns the lengths that
/// the tracker measured. If parts of a divided run were merged, the tracker does not know the lengths of
/// their streamlines.
fn measured<'a>(
    tracks: &'a SampleTracks,
    written: Option<&'a StreamlineLengths>,
) -> Option<&'a StreamlineLengths> {
    let by_tracker = &tracks.summary.lengths;
    written.or_else(|| (!by_tracker.values().is_empty()).then_some(by_tracker))
}

/// Describes the sharpest possible turn of streamlines. Returns `None` for the method FACT, whose segments
/// have different lengths.
fn sharpest_turn(options: &TrackOptions, step_mm: f64) -> Option<String> {
    let (degrees, radius_mm) = match options.curvature {
        _ if options.method == Method::Fact => return None,
        Curvature::MaxAngleDegrees(degrees) => {
            (degrees, step_mm / (2.0 * (0.5 * degrees).to_radians().sin()))
        }
        Curvature::MinRadiusMm(radius) => (2.0 * (step_mm / (2.0 * radius)).asin().to_degrees(), radius),
    };
    Some(bend_of_steps(degrees, step_mm, radius_mm))
}
