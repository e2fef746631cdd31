//! Streamlines follow fibre orientation distributions.

use super::seeds::{SeedNumber, SeedSource};
use super::tracking::{
    among_regions, bend_of_steps, grid_of, left_out_by_tissues, mask_on, note_lengths, note_targets,
    require_names_apart, table_of_counts,
};
use super::work::Work;
use crate::constraint_files::ConstraintFiles;
use crate::fod_basis::warn_of_another_basis;
use crate::job::Job;
use crate::mask_space::{self, MaskSpace};
use crate::output::require_file_and_record;
use crate::output_files::{Kind, OutputFile};
use crate::record::{self, Record};
use crate::tensor_order::require_no_tensors;
use arcuate_core::{Error, Mask, Result, StreamlineLengths};
use arcuate_io::{TractogramFormat, TractogramWriter, read_volume};
use arcuate_report::human;
use arcuate_track::{FodImage, FodMethod, FodOptions, FodTracks, JudgedBy, TrackSummary, track_fod};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Tournier JD et al. (2010) Improved probabilistic streamlines tractography by 2nd order integration over fibre orientation \
     distributions. Proc. ISMRM 18:1670",
    "Tournier JD et al. (2012) MRtrix: diffusion tractography in crossing fiber regions. doi:10.1002/ima.22005",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// Streamlines are followed through fibre orientation distributions, into a tractogram.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFod {
    /// The image of the distributions: coefficients of spherical harmonics in MRtrix's basis and order.
    pub fod: PathBuf,
    /// The mask of the voxels that count: streamlines end outside.
    pub mask: Option<PathBuf>,
    /// Where streamlines begin.
    pub seeds: SeedSource,
    /// How many seeds there are, but of points.
    pub seed_number: SeedNumber,
    /// Regions that streamlines must and may not pass, and end in.
    pub constraints: ConstraintFiles,
    /// How masks and regions lie to the distributions.
    pub space: MaskSpace,
    /// How streamlines go on and where they end, and at how many to stop: 50,000 where nothing else says how far to go. The seed of
    /// random numbers is the caller's.
    pub options: FodOptions,
    /// The tractogram.
    pub out: PathBuf,
}

impl TrackFod {
    /// The usual streamlines of an image of distributions, into a tractogram.
    pub fn new(fod: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            fod: fod.into(),
            mask: None,
            seeds: SeedSource::default(),
            seed_number: SeedNumber::default(),
            constraints: ConstraintFiles { judged_by: JudgedBy::Whole, ..ConstraintFiles::default() },
            space: MaskSpace::default(),
            options: FodOptions::default(),
            out: out.into(),
        }
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = self.seeds.file().into_iter().chain(self.mask.as_deref());
        let files = optional.chain(self.space.files().map(PathBuf::as_path));
        let files = std::iter::once(self.fod.as_path()).chain(files).chain(self.constraints.paths());
        files.map(Path::to_owned).collect()
    }

    /// The options of the algorithm.
    fn options(&self, job: &Job) -> FodOptions {
        let select = self.seeds.select(self.seed_number, self.options.select);
        FodOptions { select, seed: job.random_seed(), ..self.options.clone() }
    }

    /// Fails on what does not go together.
    fn check_together(&self) -> Result<()> {
        self.seeds.check(self.seed_number)?;
        require_names_apart(&self.constraints.targets)?;
        self.space.check()
    }

    /// Follows the streamlines and writes them.
    ///
    /// # Errors
    /// Those of [`Work::run`]; of seeds that nobody chose also where none gives a streamline.
    pub fn run(&self, job: &Job) -> Result<TrackSummary> {
        self.check_together()?;
        let inputs = self.inputs();
        require_file_and_record(&self.out, &inputs, job)?;
        job.came_from("fibre orientation distributions", &self.fod.display());
        let image = job.step("read the distributions", || {
            require_no_tensors(&self.fod, "an FOD")?;
            let volume = read_volume(&self.fod)?;
            FodImage::new(&volume, mask_on(self.mask.as_deref(), volume.grid())?.as_ref())
        })?;
        warn_of_another_basis(&image, &self.fod.display().to_string(), &job.control())?;
        let options = self.options(job);
        options.check_on(image.grid())?;
        let elsewhere = self.constraints.elsewhere(self.seeds.image());
        let transforms = self.space.transforms_of(&elsewhere, image.grid(), Some(&self.fod))?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        let constraints = self.constraints.resolve(to_masks.as_ref())?;
        let has_anatomy = constraints.anatomy.is_some();
        let least = options.seed_amplitude.unwrap_or(options.min_amplitude);
        let seeds = self.seeds.resolve(
            self.seed_number,
            options.select,
            constraints.anatomy.as_ref(),
            to_field,
            || voxels_of_amplitude(&image, least, &self.fod.display(), has_anatomy),
        )?;
        let mut writer = TractogramWriter::create(&self.out, Some(image.grid()), &job.tractogram_options())?;
        self.seeds.tell_source(job);
        let mut lengths = StreamlineLengths::default();
        let device = job.device()?;
        let FodTracks { summary, followed_by } = job.step("track", || {
            let mut sink = (&mut writer, &mut lengths);
            track_fod(&image, &seeds, &constraints, &options, device, &mut sink, &job.control())
        })?;
        // Seeds that somebody chose may well give nothing.
        if summary.streamlines == 0 && self.seeds == SeedSource::WhiteMatter {
            return Err(no_fod_streamline(&self.fod.display(), has_anatomy));
        }
        writer.finish()?;
        let output_file =
            OutputFile::shown(record::name_of(&self.out), "Streamlines", Kind::Streamlines { weights: None });
        let mut record =
            Record::new("Tracking through fibre orientation distributions", vec![output_file], job);
        record.add_inputs(&inputs, job)?;
        record.show_input(&self.fod, "Fibre orientation distributions", Kind::Distributions);
        self.constraints.note_anatomy(transforms.is_none(), &mut record);
        note_choices(&options, &image, &mut record);
        record.choice("streamlines followed by", &followed_by);
        note(&summary, &lengths, options.method, self.constraints.anatomy.is_some(), &mut record);
        note_targets(&self.constraints.targets, &summary, &mut record);
        record.done(format!(
            "From {} seeds streamlines were followed through fibre orientation distributions; {} were kept.",
            human::count(summary.seeds),
            human::count(summary.streamlines)
        ));
        record.cite(REFERENCES);
        record.write_beside(&self.out, job)?;
        job.say(format!(
            "{} streamlines of {lengths} from {} seeds ({} too short, {} too long, {} outside{})",
            summary.streamlines,
            summary.seeds,
            summary.rejected.too_short,
            summary.rejected.too_long,
            summary.rejected.seed_outside,
            left_out_by_tissues(&summary),
        ));
        Ok(summary)
    }
}

/// The voxels with an FOD, which is called `name`, of at least this amplitude: the seeds if there are no others.
///
/// # Errors
/// If there is no such voxel.
pub fn voxels_of_amplitude(
    image: &FodImage,
    least: f64,
    name: &dyn Display,
    has_anatomy: bool,
) -> Result<Mask> {
    let voxels = image.mask_of_amplitude(least as f32)?;
    let problem = format!("no distribution has an amplitude of {least}");
    if voxels.is_empty() { Err(nothing(name, &problem, has_anatomy)) } else { Ok(voxels) }
}

/// The error if no seed with an FOD, which is called `name`, gave a streamline.
pub fn no_fod_streamline(name: &dyn Display, has_anatomy: bool) -> Error {
    nothing(name, "no seed gave a streamline that is long enough", has_anatomy)
}

fn nothing(name: &dyn Display, problem: &str, has_anatomy: bool) -> Error {
    let advice = if has_anatomy {
        "check where ‘five_tissues’ lies and in which order its volumes are, or lower ‘min_amplitude’ or ‘min_length_mm’"
    } else {
        "lower ‘min_amplitude’ or ‘min_length_mm’, or check mask, seeds and gradient table"
    };
    Error::invalid(name, problem, advice)
}

impl Work for TrackFod {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::beside(&self.out)]
    }

    fn check(&self, job: &Job) -> Result<()> {
        TractogramFormat::of(&self.out)?;
        self.check_together()?;
        self.options(job).check_on(&grid_of(&self.fod, job)?)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// Notes what has a default that depends on method and voxels.
fn note_choices(options: &FodOptions, image: &FodImage, record: &mut Record) {
    let (step, angle) = (options.step_on(image.grid()), options.max_angle());
    let radius = step / (2.0 * (0.5 * angle).to_radians().sin());
    record.choice(
        "method",
        match options.method {
            FodMethod::Arcs => "arcs drawn by the amplitudes along them",
            FodMethod::Steps => "steps drawn by their amplitudes",
            FodMethod::Peaks => "steps along peaks",
        },
    );
    record.choice("step", format!("{step} mm"));
    record.choice("sharpest turn", bend_of_steps(angle, step, radius));
    record.choice("harmonics", format!("up to degree {}", image.degree()));
    record.figure("voxels with a distribution", image.voxels());
}

/// Notes what became of the seeds, and why streamlines ended.
fn note(
    summary: &TrackSummary,
    lengths: &StreamlineLengths,
    method: FodMethod,
    heed_tissues: bool,
    record: &mut Record,
) {
    let TrackSummary { seeds, streamlines, rejected, terminated, .. } = summary;
    record.figure("streamlines", *streamlines).key();
    note_lengths(lengths, record);
    let no_way = match method {
        FodMethod::Arcs | FodMethod::Steps => "ends with no way on whose amplitude is high enough",
        FodMethod::Peaks => "ends at a peak that is too low",
    };
    let outside = if heed_tissues {
        "seeds where there is no distribution, or fluid, or no brain"
    } else {
        "seeds where there is no distribution"
    };
    let mut counts = vec![
        ("seeds tried", *seeds),
        (outside, rejected.seed_outside),
        ("seeds of streamlines that are too short", rejected.too_short),
        ("seeds of streamlines that are too long", rejected.too_long),
        (no_way, terminated.fraction),
        ("ends where there is no distribution", terminated.left_mask),
        ("ends at too sharp a turn", terminated.angle),
        ("ends at the largest length", terminated.max_steps),
    ];
    counts.extend(among_regions(summary));
    let text = "What became of the seeds, and why streamlines ended: both ends of each, also of those that were left out.";
    record.tables.push(table_of_counts("Seeds and ends", text, &counts));
}
