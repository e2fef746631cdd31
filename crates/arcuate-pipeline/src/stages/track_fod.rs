//! Tracking through fibre orientation distributions (FODs).

use super::tracking::field::{Field, Source};
use super::tracking::{
    MEAN_LENGTH, STREAMLINES, Tracking, bend_of_steps, grid_of, left_out_by_tissues, mask_on,
    note_ends_at_maximum, note_lengths, note_seeds, outside_lengths, require_no_preset, seeds_and_ends,
    to_thousandths,
};
use super::work::Work;
use crate::fod_basis::warn_of_another_basis;
use crate::job::Job;
use crate::output_files::Kind;
use crate::record::Record;
use crate::tensor_order::require_no_tensors;
use arcuate_compute::Device;
use arcuate_core::{Error, Grid, Mask, Result, StreamlineLengths, Volume};
use arcuate_io::read_volume;
use arcuate_track::{
    ConstraintUnit, FodImage, FodMethod, FodOptions, FodTracker, SampleTracks, TrackSummary, Tracker,
};
use std::fmt::Display;
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Tournier JD et al. (2010) Improved probabilistic streamlines tractography by 2nd order integration over fibre orientation \
     distributions. Proc. ISMRM 18:1670",
    "Tournier JD et al. (2012) MRtrix: diffusion tractography in crossing fiber regions. doi:10.1002/ima.22005",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// Tracks through fibre orientation distributions.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFod {
    /// Image of the FODs, as coefficients of spherical harmonics in MRtrix's basis and order.
    pub fod: PathBuf,
    /// Mask of the voxels to use. Streamlines stop outside.
    pub mask: Option<PathBuf>,
    /// Options that only FOD tracking has. The number of streamlines and the random seed in this value are
    /// ignored, because `tracking` and the job have them.
    pub options: FodOptions,
    /// Tracking options and products.
    pub tracking: Tracking,
}

impl TrackFod {
    /// Creates tracking through an FOD image, with default options.
    pub fn new(fod: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            fod: fod.into(),
            mask: None,
            options: FodOptions::default(),
            tracking: Tracking::new(out, ConstraintUnit::Whole),
        }
    }

    /// Returns the options of the tracking algorithm.
    fn options(&self, job: &Job) -> FodOptions {
        let options = self.tracking.propagation.of_fods(&self.options);
        FodOptions { select: self.tracking.select(), seed: job.random_seed(), ..options }
    }

    fn read(&self, job: &Job) -> Result<Box<dyn Field>> {
        let (image, amplitudes) = job.step("read the distributions", || {
            require_no_tensors(&self.fod, "an FOD")?;
            let volume = read_volume(&self.fod)?;
            let image = FodImage::new(&volume, mask_on(self.mask.as_deref(), volume.grid())?.as_ref())?;
            Ok((image, relative_amplitudes(&volume)?))
        })?;
        let name = self.fod.display().to_string();
        warn_of_another_basis(&image, &name, &job.control())?;
        let options = self.options(job);
        options.check_on(image.grid())?;
        let has_anatomy = self.tracking.constraints.anatomy.is_some();
        Ok(Box::new(Distributions { path: self.fod.clone(), image, amplitudes, options, has_anatomy }))
    }

    /// Follows the streamlines and writes the products.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`]. Also returns an error if no streamline was accepted and the user
    /// did not select the seeds.
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        Work::check(self, job)?;
        let source = Source {
            title: "Tracking through fibre orientation distributions",
            path: &self.fod,
            files: std::iter::once(&self.fod).chain(&self.mask).cloned().collect(),
            references: REFERENCES,
            backdrop: "Mean amplitude over the largest one",
            followed: " through fibre orientation distributions",
            data: &["fibre orientation distributions"],
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        self.tracking.run(&source, || self.read(job), job)
    }
}

/// Returns the mean FOD amplitude of each voxel, divided by the largest mean amplitude in the image.
fn relative_amplitudes(coefficients: &Volume<f32>) -> Result<Volume<f32>> {
    let means: Vec<f32> =
        coefficients.values().chunks(coefficients.channels()).map(|c| c[0].max(0.0)).collect();
    let largest = means.iter().copied().filter(|mean| mean.is_finite()).fold(0.0, f32::max);
    let scale = if largest > 0.0 { largest.recip() } else { 0.0 };
    Volume::new(*coefficients.grid(), 1, means.into_iter().map(|mean| mean * scale).collect())
}

/// Returns the voxels in which the largest FOD amplitude is at least `minimum`. Streamlines start in these
/// voxels if the user selects no seeds. `name` is the name of the FOD image in errors.
///
/// # Errors
/// Returns an error if the FOD amplitude is smaller in all voxels.
pub fn voxels_of_amplitude(
    image: &FodImage,
    minimum: f64,
    name: &dyn Display,
    has_anatomy: bool,
) -> Result<Mask> {
    let voxels = image.mask_of_amplitude(minimum as f32)?;
    let problem = format!("no distribution has an amplitude of {minimum}");
    if voxels.is_empty() { Err(nothing(name, &problem, has_anatomy)) } else { Ok(voxels) }
}

/// Returns the error for FOD tracking without an accepted streamline. `name` is the name of the FOD image.
pub fn no_fod_streamline(name: &dyn Display, has_anatomy: bool) -> Error {
    nothing(name, "all streamlines are shorter than the minimum length", has_anatomy)
}

fn nothing(name: &dyn Display, problem: &str, has_anatomy: bool) -> Error {
    let advice = if has_anatomy {
        "check where ‘five_tissues’ lies and in which order its volumes are, or lower ‘cutoff’ or ‘min_length_mm’"
    } else {
        "lower ‘cutoff’ or ‘min_length_mm’, or check mask, seeds and gradient table"
    };
    Error::invalid(name, problem, advice)
}

impl Work for TrackFod {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        require_no_preset(self.tracking.preset)?;
        self.tracking.check(job)?;
        self.options(job).check_on(&grid_of(&self.fod, job)?)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// The FOD image, with the options of the run.
struct Distributions {
    path: PathBuf,
    image: FodImage,
    amplitudes: Volume<f32>,
    options: FodOptions,
    has_anatomy: bool,
}

impl Field for Distributions {
    fn grid(&self) -> &Grid {
        self.image.grid()
    }

    fn step_mm(&self) -> f64 {
        self.options.step_on(self.image.grid())
    }

    fn options(&self) -> String {
        format!("{:?}", self.options)
    }

    fn seed_voxels(&self, are_chosen: bool) -> Result<Mask> {
        if are_chosen {
            return self.image.mask();
        }
        let minimum = self.options.seed_amplitude.unwrap_or(self.options.min_amplitude);
        voxels_of_amplitude(&self.image, minimum, &self.path.display(), self.has_anatomy)
    }

    fn backdrop(&self) -> Result<Volume<f32>> {
        Ok(self.amplitudes.clone())
    }

    fn repeats_seeds(&self) -> bool {
        self.options.method != FodMethod::Peaks
    }

    fn tracker<'a>(&'a self, device: &'a Device) -> Result<Box<dyn Tracker + 'a>> {
        Ok(Box::new(FodTracker::new(&self.image, &self.options, device)))
    }

    fn check(&self, tracks: &SampleTracks, are_chosen: bool) -> Result<()> {
        // If the user selected the seeds, it is not an error that no streamline was accepted.
        if tracks.summary.streamlines == 0 && !are_chosen {
            return Err(no_fod_streamline(&self.path.display(), self.has_anatomy));
        }
        Ok(())
    }

    fn note(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>, record: &mut Record) {
        record.show_input(&self.path, "Fibre orientation distributions", Kind::Distributions);
        let (options, step) = (&self.options, self.step_mm());
        let angle = options.max_angle();
        record.choice(
            "method",
            match options.method {
                FodMethod::Arcs => "arcs drawn by the amplitudes along them",
                FodMethod::Steps => "steps drawn by their amplitudes",
                FodMethod::Peaks => "steps along peaks",
            },
        );
        record.choice("step", format!("{} mm", to_thousandths(step)));
        let radius = step / (2.0 * (0.5 * angle).to_radians().sin());
        record.choice("sharpest turn", bend_of_steps(angle, step, radius));
        record.choice("harmonics", format!("up to degree {}", self.image.degree()));
        record.figure("voxels with a distribution", self.image.voxels());
        let TrackSummary { seeds, streamlines, rejected, terminated, .. } = &tracks.summary;
        record.figure(STREAMLINES, *streamlines).key();
        note_ends_at_maximum(&tracks.summary, record);
        match lengths {
            Some(lengths) => note_lengths(lengths, record),
            None => {
                record.measure(MEAN_LENGTH, step * tracks.summary.mean_steps(), "mm").key();
            }
        }
        let minimum = options.min_amplitude;
        let no_way = match options.method {
            FodMethod::Arcs | FodMethod::Steps => {
                format!("ends without a continuation: FOD amplitude below {minimum}")
            }
            FodMethod::Peaks => format!("ends at a peak with an FOD amplitude below {minimum}"),
        };
        let place = if self.has_anatomy {
            "in voxels without orientations, in CSF or outside the brain"
        } else {
            "in voxels without orientations"
        };
        note_seeds(&tracks.summary, place, record);
        let outside = format!("seeds {place}");
        let [short, long] = outside_lengths(Some(options.min_length_mm), Some(options.max_length_mm));
        let sharp = format!("ends at too sharp a turn: above {}°", to_thousandths(angle));
        let longest = format!("ends at the largest length: {} mm", to_thousandths(options.max_length_mm));
        let counts = [
            ("seeds tried", *seeds),
            (outside.as_str(), rejected.seed_outside),
            (short.as_str(), rejected.too_short),
            (long.as_str(), rejected.too_long),
            (no_way.as_str(), terminated.fraction),
            ("ends at voxels without a distribution", terminated.left_mask),
            (sharp.as_str(), terminated.angle),
            (longest.as_str(), terminated.max_steps),
        ];
        let text = "The outcome of the seeds, and the reasons why streamlines ended: both ends of each, \
                    also of rejected streamlines.";
        record.tables.push(seeds_and_ends(text, &counts, &tracks.summary));
    }

    fn describe(&self, tracks: &SampleTracks, lengths: Option<&StreamlineLengths>) -> Vec<String> {
        let summary = &tracks.summary;
        let how_long = lengths.map_or_else(
            || format!("{:.1} mm on average", self.step_mm() * summary.mean_steps()),
            StreamlineLengths::to_string,
        );
        vec![format!(
            "{} streamlines of {how_long} from {} seeds ({} too short, {} too long, {} outside{})",
            summary.streamlines,
            summary.seeds,
            summary.rejected.too_short,
            summary.rejected.too_long,
            summary.rejected.seed_outside,
            left_out_by_tissues(summary),
        )]
    }
}
