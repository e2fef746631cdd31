//! Streamlines follow diffusion tensors.

use super::seeds::{SeedNumber, SeedSource};
use super::tracking::{
    among_regions, bend_of_steps, grid_of, left_out_by_tissues, mask_on, note_lengths, note_targets,
    require_names_apart, table_of_counts, white_matter,
};
use super::work::Work;
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::mask_space::{self, MaskSpace};
use crate::output::require_file_and_record;
use crate::output_files::{Kind, OutputFile};
use crate::record::{self, Record};
use crate::tensor_order::{check_tensors, read_tensor};
use arcuate_core::{Error, Result};
use arcuate_io::{TractogramFormat, TractogramWriter};
use arcuate_model::{TensorOrder, tensor_maps};
use arcuate_report::human;
use arcuate_track::{Curvature, JudgedBy, Method, TrackOptions, TrackSummary, track_tensor};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Mori S et al. (1999) Three-dimensional tracking of axonal projections. \
     doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3",
    "Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. \
     doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O",
    "Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102",
];

pub use super::seeds::DEFAULT_SELECT;

/// Streamlines are followed along diffusion tensors, into a tractogram.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackTensor {
    /// The image of the tensors, mm²/s.
    pub tensor: PathBuf,
    /// The order and axes of its six volumes.
    pub order: Option<TensorOrder>,
    /// The mask of the voxels that count, in the place of that of the options: streamlines end outside.
    pub mask: Option<PathBuf>,
    /// Where streamlines begin.
    pub seeds: SeedSource,
    /// How many seeds there are, but of points.
    pub seed_number: SeedNumber,
    /// Regions that streamlines must and may not pass, and end in.
    pub constraints: ConstraintFiles,
    /// How masks and regions lie to the tensors.
    pub space: MaskSpace,
    /// How streamlines go on and where they end, and at how many to stop: [`DEFAULT_SELECT`] where nothing else says how far to
    /// go. Regions are those of the files, and the seed of random numbers is the caller's.
    pub options: TrackOptions,
    /// The tractogram.
    pub out: PathBuf,
}

impl TrackTensor {
    /// The usual streamlines of a tensor image, into a tractogram.
    pub fn new(tensor: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            tensor: tensor.into(),
            order: None,
            mask: None,
            seeds: SeedSource::default(),
            seed_number: SeedNumber::default(),
            constraints: ConstraintFiles { judged_by: JudgedBy::Whole, ..ConstraintFiles::default() },
            space: MaskSpace::default(),
            options: TrackOptions::default(),
            out: out.into(),
        }
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = self.seeds.file().into_iter().chain(self.mask.as_deref());
        let files = optional.chain(self.space.files().map(PathBuf::as_path));
        let files = std::iter::once(self.tensor.as_path()).chain(files).chain(self.constraints.paths());
        files.map(Path::to_owned).collect()
    }

    /// The options of the algorithm, but for what is in files.
    fn options(&self, job: &Job) -> TrackOptions {
        let select = self.seeds.select(self.seed_number, self.options.select);
        TrackOptions { select, seed: job.random_seed(), ..self.options.clone() }
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
        let tensor = job.step("read the tensors", || read_tensor(&self.tensor, self.order))?;
        let elsewhere = self.constraints.elsewhere(self.seeds.image());
        let transforms = self.space.transforms_of(&elsewhere, tensor.grid(), Some(&self.tensor))?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        let options = TrackOptions {
            mask: mask_on(self.mask.as_deref(), tensor.grid())?.or_else(|| self.options.mask.clone()),
            constraints: self.constraints.resolve(to_masks.as_ref())?,
            ..self.options(job)
        };
        options.check(tensor.grid())?;
        check_tensors(&self.tensor.display(), &tensor, options.mask.as_ref(), Some("streamlines end there"))?;
        let anatomy = options.constraints.anatomy.as_ref();
        let seeds = self.seeds.resolve(self.seed_number, options.select, anatomy, to_field, || {
            let least = options.seed_fa.unwrap_or(options.fa_cutoff);
            let white = white_matter(&tensor_maps(&tensor)?.fa, options.mask.as_ref(), least)?;
            if white.count() == 0 { Err(no_tensor_streamline(&self.tensor.display())) } else { Ok(white) }
        })?;
        let tractogram_options = job.tractogram_options();
        let mut writer = TractogramWriter::create(&self.out, Some(tensor.grid()), &tractogram_options)?;
        job.came_from("tensor image", &self.tensor.display());
        self.seeds.tell_source(job);
        let summary = job.step("track", || {
            let device = job.device_so_far();
            track_tensor(&tensor, &seeds, &options, device, &mut writer, &job.control())
        })?;
        // Seeds that somebody chose may well give nothing.
        if summary.streamlines == 0 && self.seeds == SeedSource::WhiteMatter {
            return Err(no_tensor_streamline(&self.tensor.display()));
        }
        writer.finish()?;
        let output_file =
            OutputFile::shown(record::name_of(&self.out), "Streamlines", Kind::Streamlines { weights: None });
        let mut record = Record::new("Tensor tracking", vec![output_file], job);
        record.add_inputs(&inputs, job)?;
        self.constraints.note_anatomy(transforms.is_none(), &mut record);
        let step = options.step_on(tensor.grid())?;
        record.choice("step", format!("{step} mm"));
        if let Some(turn) = sharpest_turn(&options, step) {
            record.choice("sharpest turn", turn);
        }
        note(&summary, &mut record);
        note_targets(&self.constraints.targets, &summary, &mut record);
        record.done(format!(
            "From {} seeds streamlines were followed along diffusion tensors; {} are long enough and were kept.",
            human::count(summary.seeds),
            human::count(summary.streamlines)
        ));
        record.cite(REFERENCES);
        record.write_beside(&self.out, job)?;
        job.say(describe(&summary));
        Ok(summary)
    }
}

/// The error if no seed of white matter gave a streamline through tensors, which are called `name`.
pub fn no_tensor_streamline(name: &dyn Display) -> Error {
    let advice = "lower ‘fa_cutoff’ or ‘min_length_mm’, or check mask, seeds and gradient table";
    Error::invalid(name, "no seed gave a streamline that is long enough", advice)
}

impl Work for TrackTensor {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::beside(&self.out)]
    }

    fn check(&self, job: &Job) -> Result<()> {
        TractogramFormat::of(&self.out)?;
        self.check_together()?;
        self.options(job).check(&grid_of(&self.tensor, job)?)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// The most that streamlines bend; nothing for segments of no common length.
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

/// Notes what became of the seeds, and why streamlines ended.
fn note(summary: &TrackSummary, record: &mut Record) {
    let TrackSummary { seeds, streamlines, rejected, terminated, .. } = summary;
    record.figure("streamlines", *streamlines).key();
    note_lengths(&summary.lengths, record);
    let mut counts = vec![
        ("seeds tried", *seeds),
        ("seeds outside the image or the mask", rejected.seed_outside),
        ("seeds in too low anisotropy", rejected.seed_anisotropy),
        ("seeds of streamlines that are too short", rejected.too_short),
        ("ends at the edge of the image", terminated.left_image),
        ("ends at the edge of the mask", terminated.left_mask),
        ("ends in too low anisotropy", terminated.anisotropy),
        ("ends at too sharp a turn", terminated.angle),
        ("ends at the largest length", terminated.max_length),
    ];
    counts.extend(among_regions(summary));
    let text = "What became of the seeds, and why streamlines ended: both ends of each, also of those that were then too short.";
    record.tables.push(table_of_counts("Seeds and ends", text, &counts));
}

/// One line about a tracking run.
fn describe(summary: &TrackSummary) -> String {
    format!(
        "{} streamlines of {} from {} seeds ({} too short, {} in too low anisotropy, {} outside{})",
        summary.streamlines,
        summary.lengths,
        summary.seeds,
        summary.rejected.too_short,
        summary.rejected.seed_anisotropy,
        summary.rejected.seed_outside,
        left_out_by_tissues(summary),
    )
}
