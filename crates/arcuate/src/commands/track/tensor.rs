use super::common::{
    bend_of_steps, grid_of, mask_on, note_lengths, seed_points, table_of_counts, white_matter,
};
use super::constraints::{ConstraintArgs, TargetArgs, among_regions};
use super::spaces::{self, SpaceArgs};
use crate::context::Context;
use crate::output::require_file_and_record;
use crate::output_files::{Kind, OutputFile};
use crate::progress;
use crate::record::{self, Record};
use crate::references;
use crate::stage_command::StageCommand;
use crate::tensor_order::{TensorOrderArg, check_tensors, read_tensor};
use arcuate_core::{Error, Mask, Result};
use arcuate_io::{TractogramWriter, read_mask, read_volume};
use arcuate_model::tensor_maps;
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::regions::RegionFile;
use arcuate_report::human;
use arcuate_track::{
    Constraints, Curvature, Integrator, JudgedBy, Mapping, Method, Seeds, TrackOptions, TrackSummary,
    track_tensor,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const REFERENCES: &[&str] = &[
    "Mori S et al. (1999) Three-dimensional tracking of axonal projections. \
     doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3",
    "Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. \
     doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O",
    "Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102",
];

/// Deterministic tracking through diffusion tensors
///
/// The same random seed gives the same streamlines at any number of threads. Output: .tck, .trk or .trx.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackTensor {
    /// Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Order and axes of the tensor image's six volumes
    #[arg(long, value_enum, default_value_t = TensorOrderArg::Arcuate)]
    tensor_order: TensorOrderArg,
    /// Where the result goes; a tractogram (.tck, .trk, .trx)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    tracking: TrackingArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
}

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
struct SeedArgs {
    /// Mask in whose voxels streamlines begin; by default every voxel (of --mask) whose FA is at least --seed-cutoff and at most 1,
    /// above which noise has made an eigenvalue negative
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed_points", "seed_weights"])]
    seed_mask: Option<PathBuf>,
    /// Image that seeds are drawn in proportion to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed_points", "seed_grid"])]
    seed_weights: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seed_grid")]
    seed_points: Option<PathBuf>,
    /// A lattice of N × N × N seeds in each voxel; in place of random ones
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    seed_grid: Option<usize>,
    /// Number of random seeds; by default as many as --select needs
    #[arg(long, value_name = "N", conflicts_with = "seed_points")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; 50000 by default where neither --seeds, --seed-grid nor --seed-points says how
    /// far to go
    #[arg(long, value_name = "N")]
    select: Option<u64>,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// Method, of those that the command has; how a streamline finds its direction
    #[arg(long, value_enum, default_value_t = MethodArg::Tensor)]
    method: MethodArg,
    /// How a streamline moves along; runge-kutta by default, and nothing for fact
    #[arg(long, value_enum)]
    integrator: Option<IntegratorArg>,
    /// Step in mm; at most two voxels, half a voxel for runge-kutta and 0.1 voxel for euler by default
    #[arg(long, value_name = "MM")]
    step: Option<f64>,
    /// Largest turn from step to step, in degrees
    #[arg(long, value_name = "DEGREES", default_value_t = TrackOptions::MAX_ANGLE_DEGREES, conflicts_with = "curvature_radius")]
    angle: f64,
    /// Smallest radius of curvature, in mm, in place of --angle
    #[arg(long, value_name = "MM")]
    curvature_radius: Option<f64>,
    /// Streamlines end where FA falls below this
    #[arg(long, value_name = "FA", default_value_t = TrackOptions::FA_CUTOFF)]
    cutoff: f64,
    /// Seeds need at least this FA; that of --cutoff by default
    #[arg(long, value_name = "FA")]
    seed_cutoff: Option<f64>,
    /// Shortest streamline, in mm; shorter ones are left out
    #[arg(long, value_name = "MM", default_value_t = TrackOptions::MIN_LENGTH_MM)]
    min_length: f64,
    /// Longest streamline, in mm; they end there
    #[arg(long, value_name = "MM", default_value_t = TrackOptions::MAX_LENGTH_MM)]
    max_length: f64,
    /// Mask of the voxels that count; streamlines end outside
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Follow directions from a seed one way; which of the two is drawn at random
    #[arg(long)]
    one_way: bool,
    /// Weight of the principal direction in deflection; 0 by default
    #[arg(long, value_name = "0..1")]
    deflection_f: Option<f64>,
    /// Weight of the deflected direction within the rest; 1 by default
    #[arg(long, value_name = "0..1")]
    deflection_g: Option<f64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Straight through each voxel along its principal direction
    Fact,
    /// Principal direction of the interpolated tensor
    Tensor,
    /// The interpolated tensor deflects the streamline (TEND)
    Deflection,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum IntegratorArg {
    Euler,
    RungeKutta,
}

impl TrackTensor {
    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let SeedArgs { seed_mask, seed_weights, seed_points, .. } = &self.seeds;
        let optional = [seed_mask, seed_weights, seed_points, &self.tracking.mask];
        let files = optional.into_iter().flatten().chain(self.spaces.files()).map(PathBuf::as_path);
        let files = std::iter::once(self.tensor.as_path()).chain(files).chain(self.regions());
        files.map(Path::to_owned).collect()
    }

    /// The files of all regions.
    fn regions(&self) -> impl Iterator<Item = &Path> {
        self.constraints.files().chain(self.targets.files()).map(RegionFile::path)
    }

    /// An error of the library, said of the file that it is about.
    fn about(&self, error: Error) -> Error {
        let SeedArgs { seed_mask, seed_weights, seed_points, .. } = &self.seeds;
        let file = match error.subject() {
            "seed mask" => seed_mask.as_ref(),
            "seed image" => seed_weights.as_ref(),
            "seed points" => seed_points.as_ref(),
            "tensor image" => Some(&self.tensor),
            _ => None,
        };
        match file {
            Some(file) => error.about(file.display()),
            None => error,
        }
    }

    /// Fails on options of regions that do not go together.
    fn check_regions(&self) -> Result<()> {
        self.constraints.check()?;
        self.targets.check()?;
        self.spaces.check()
    }

    fn no_streamline(&self) -> Error {
        let advice = "lower --cutoff or --min-length, or check mask, seeds and gradient table";
        Error::invalid(self.tensor.display(), "no seed gave a streamline that is long enough", advice)
    }
}

impl StageCommand for TrackTensor {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::beside(&self.out)]
    }

    fn check(&self, context: &Context) -> Result<()> {
        arcuate_io::TractogramFormat::of(&self.out)?;
        self.check_regions()?;
        let grid = grid_of(&self.tensor, context)?;
        let options = TrackOptions { select: self.seeds.select(), ..self.tracking.options(context)? };
        options.check(&grid)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.check_regions()?;
        let inputs = self.inputs();
        require_file_and_record(&self.out, &inputs, context)?;
        let tensor = context.step("read the tensors", |_| read_tensor(&self.tensor, self.tensor_order))?;
        let elsewhere: Vec<&Path> = self.seeds.image().into_iter().chain(self.regions()).collect();
        let transforms = self.spaces.transforms_of(&elsewhere, tensor.grid(), Some(&self.tensor))?;
        let [to_masks, to_field] = spaces::ways(transforms.as_ref());
        let targets = self.targets.files();
        let options = TrackOptions {
            mask: mask_on(self.tracking.mask.as_deref(), tensor.grid())?,
            constraints: self.constraints.resolve(to_masks.as_ref(), targets, JudgedBy::Whole)?,
            select: self.seeds.select(),
            ..self.tracking.options(context)?
        };
        options.check(tensor.grid())?;
        check_tensors(&self.tensor, &tensor, options.mask.as_ref(), Some("streamlines end there"))?;
        let seeds = self.seeds.resolve(to_field, || {
            let least = options.seed_fa.unwrap_or(options.fa_cutoff);
            let white = white_matter(&tensor_maps(&tensor)?.fa, options.mask.as_ref(), least)?;
            if white.count() == 0 { Err(self.no_streamline()) } else { Ok(white) }
        })?;
        let tractogram_options = context.tractogram_options();
        let mut writer = TractogramWriter::create(&self.out, Some(tensor.grid()), &tractogram_options)?;
        let device = context.device_so_far();
        let summary = context
            .step("track", |_| {
                track_tensor(&tensor, &seeds, &options, device, &mut writer, &progress::control())
            })
            .map_err(|e| self.about(e))?;
        // Seeds that somebody chose may well give nothing.
        if summary.streamlines == 0 && !self.seeds.are_chosen() {
            return Err(self.no_streamline());
        }
        writer.finish()?;
        let output_file =
            OutputFile::shown(record::name_of(&self.out), "Streamlines", Kind::Streamlines { weights: None });
        let mut record = Record::new("Tensor tracking", vec![output_file], context);
        record.add_inputs(&inputs, context)?;
        let step = options.step_on(tensor.grid())?;
        record.choice("step", format!("{step} mm"));
        if let Some(turn) = sharpest_turn(&options, step) {
            record.choice("sharpest turn", turn);
        }
        note(&summary, &mut record);
        self.targets.note(&summary, &mut record);
        record.done(format!(
            "From {} seeds streamlines were followed along diffusion tensors; {} are long enough and were kept.",
            human::count(summary.seeds),
            human::count(summary.streamlines)
        ));
        record.cite(REFERENCES);
        record.write_beside(&self.out, context)?;
        context.say(describe(&summary));
        Ok(())
    }
}

impl TrackingArgs {
    /// The options of the library, but the mask and the number of streamlines.
    fn options(&self, context: &Context) -> Result<TrackOptions> {
        let deflects = matches!(self.method, MethodArg::Deflection);
        for (option, value) in [("--deflection-f", self.deflection_f), ("--deflection-g", self.deflection_g)]
        {
            if value.is_some() && !deflects {
                let problem = "nothing deflects streamlines in this --method";
                return Err(Error::usage(option, problem, "leave it out, or choose --method deflection"));
            }
        }
        let integrator = match (self.integrator, self.method) {
            (Some(IntegratorArg::Euler), MethodArg::Fact) => {
                let problem = "fact goes straight from face to face and integrates nothing";
                let advice = "leave the option out, or choose another --method";
                return Err(Error::usage("--integrator", problem, advice));
            }
            (Some(IntegratorArg::Euler), _) | (None, MethodArg::Fact) => Integrator::Euler,
            (Some(IntegratorArg::RungeKutta), _) => Integrator::RungeKutta4,
            (None, _) => TrackOptions::default().integrator,
        };
        Ok(TrackOptions {
            method: match self.method {
                MethodArg::Fact => Method::Fact,
                MethodArg::Tensor => Method::Tensor,
                MethodArg::Deflection => Method::TensorDeflection {
                    f: self.deflection_f.unwrap_or(0.0),
                    g: self.deflection_g.unwrap_or(1.0),
                },
            },
            integrator,
            step_mm: self.step,
            curvature: match self.curvature_radius {
                Some(radius) => Curvature::MinRadiusMm(radius),
                None => Curvature::MaxAngleDegrees(self.angle),
            },
            fa_cutoff: self.cutoff,
            seed_fa: self.seed_cutoff,
            min_length_mm: Some(self.min_length),
            max_length_mm: Some(self.max_length),
            both_directions: !self.one_way,
            mask: None,
            constraints: Constraints::default(),
            select: None,
            seed: context.random_seed(),
        })
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
        "{} streamlines of {} from {} seeds ({} too short, {} in too low anisotropy, {} outside)",
        summary.streamlines,
        summary.lengths,
        summary.seeds,
        summary.rejected.too_short,
        summary.rejected.seed_anisotropy,
        summary.rejected.seed_outside,
    )
}

/// Streamlines where nothing says how far to go.
const DEFAULT_SELECT: u64 = 50_000;

impl SeedArgs {
    /// Where to stop.
    fn select(&self) -> Option<u64> {
        let endless = self.seeds.is_none() && self.seed_grid.is_none() && self.seed_points.is_none();
        self.select.or(endless.then_some(DEFAULT_SELECT))
    }

    /// Whether somebody said where they are.
    fn are_chosen(&self) -> bool {
        self.seed_points.is_some() || self.seed_weights.is_some() || self.seed_mask.is_some()
    }

    /// The image of the seeds, where they are one.
    fn image(&self) -> Option<&Path> {
        self.seed_mask.as_deref().or(self.seed_weights.as_deref())
    }

    /// The seeds: those of the files, from whose space `mapping` leads to that of the tensors, or in `everywhere`.
    fn resolve(
        &self,
        mapping: Option<Arc<Mapping>>,
        everywhere: impl FnOnce() -> Result<Mask>,
    ) -> Result<Seeds> {
        if let Some(path) = &self.seed_points {
            return seed_points(path, mapping);
        }
        let count = self.seeds.unwrap_or_else(|| {
            self.select().unwrap_or(u64::MAX).saturating_mul(arcuate_track::SEEDS_PER_STREAMLINE)
        });
        if let Some(path) = &self.seed_weights {
            return Ok(Seeds::Weighted { image: read_volume(path)?, mapping, count });
        }
        let (mask, mapping) = match &self.seed_mask {
            Some(path) => (read_mask(path)?, mapping),
            None => (everywhere()?, None),
        };
        Ok(match self.seed_grid {
            Some(per_axis) => Seeds::Grid { mask, mapping, per_axis },
            None => Seeds::Random { mask, mapping, count },
        })
    }
}
