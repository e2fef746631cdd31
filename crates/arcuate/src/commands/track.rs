use crate::context::{Context, show_progress};
use crate::output::require_file;
use crate::references;
use crate::space;
use crate::tensor_order::{TensorOrderArg, read_tensor};
use arcuate_core::{Mask, Result, Volume};
use arcuate_io::{TractogramOptions, TractogramWriter, read_mask, read_triples, read_volume};
use arcuate_track::{Curvature, Integrator, Method, Seeds, TrackOptions, TrackSummary, track_tensor};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Tracking through interpolated tensors, the method of `run`.
pub(crate) const INTERPOLATED: &str = "Basser PJ et al. (2000) In vivo fiber tractography using DT-MRI data. \
     doi:10.1002/1522-2594(200010)44:4<625::AID-MRM17>3.0.CO;2-O";

const REFERENCES: &[&str] = &[
    "Mori S et al. (1999) Three-dimensional tracking of axonal projections. \
     doi:10.1002/1531-8249(199902)45:2<265::AID-ANA21>3.0.CO;2-3",
    INTERPOLATED,
    "Lazar M et al. (2003) White matter tractography using diffusion tensor deflection. doi:10.1002/hbm.10102",
];

/// Follow streamlines through a field of orientations
#[derive(Debug, Args)]
pub(crate) struct Track {
    #[command(subcommand)]
    method: TrackMethod,
}

#[derive(Debug, Subcommand)]
enum TrackMethod {
    Tensor(TrackTensor),
}

/// Deterministic tracking through diffusion tensors
///
/// The same seed gives the same streamlines at any number of threads. Output: .tck, .trk or .trx.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
struct TrackTensor {
    /// Tensor image, as `arcuate tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Tractogram to write (.tck, .trk, .trx)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Order and axes of the tensor image's six volumes
    #[arg(long, value_enum, default_value_t = TensorOrderArg::Arcuate)]
    tensor_order: TensorOrderArg,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    tracking: TrackingArgs,
}

/// Where streamlines begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Seeds")]
struct SeedArgs {
    /// Mask in whose voxels seeds lie; by default every voxel that has a tensor
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed_points", "seed_weights"])]
    seed_mask: Option<PathBuf>,
    /// Image that seeds are drawn in proportion to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed_points", "seed_grid"])]
    seed_weights: Option<PathBuf>,
    /// Points to begin at: a text file, x y z in RAS mm a line
    #[arg(long, value_name = "FILE", conflicts_with = "seed_grid")]
    seed_points: Option<PathBuf>,
    /// A lattice of N × N × N seeds in each voxel instead of random ones
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    seed_grid: Option<usize>,
    /// Number of random seeds to try; by default as many as --select needs
    #[arg(long, value_name = "N", conflicts_with = "seed_points")]
    seeds: Option<u64>,
    /// Stop at this many streamlines; 10000 by default where neither --seeds, --seed-grid nor --seed-points says how
    /// far to go
    #[arg(long, value_name = "N")]
    select: Option<u64>,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// How a streamline finds its direction
    #[arg(long, value_enum, default_value_t = MethodArg::Tensor)]
    method: MethodArg,
    /// How it moves along (not for fact)
    #[arg(long, value_enum, default_value_t = IntegratorArg::Euler)]
    integrator: IntegratorArg,
    /// Step in mm; 0.1 voxel for euler and 0.25 voxel for runge-kutta by default
    #[arg(long, value_name = "MM")]
    step: Option<f64>,
    /// Largest angle between two steps, in degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 60.0, conflicts_with = "radius")]
    angle: f64,
    /// Instead: smallest radius of curvature, in mm
    #[arg(long, value_name = "MM")]
    radius: Option<f64>,
    /// Streamlines end where FA falls below this
    #[arg(long, value_name = "FA", default_value_t = 0.1)]
    cutoff: f64,
    /// Seeds need at least this FA; that of --cutoff by default
    #[arg(long, value_name = "FA")]
    seed_cutoff: Option<f64>,
    /// Shortest streamline kept, in mm; 5 voxels by default
    #[arg(long, value_name = "MM")]
    min_length: Option<f64>,
    /// Longest streamline, in mm; 100 voxels by default
    #[arg(long, value_name = "MM")]
    max_length: Option<f64>,
    /// Streamlines end outside this mask
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Follow one direction from each seed, drawn at random, instead of both
    #[arg(long)]
    one_direction: bool,
    /// Weight of the principal direction in deflection
    #[arg(long, value_name = "0..1", default_value_t = 0.0)]
    deflection_f: f64,
    /// Weight of the deflected direction within the rest
    #[arg(long, value_name = "0..1", default_value_t = 1.0)]
    deflection_g: f64,
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

impl Track {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        match &self.method {
            TrackMethod::Tensor(command) => command.run(context),
        }
    }
}

impl TrackTensor {
    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let SeedArgs { seed_mask, seed_weights, seed_points, .. } = &self.seeds;
        let optional = [seed_mask, seed_weights, seed_points, &self.tracking.mask];
        std::iter::once(&self.tensor).chain(optional.into_iter().flatten()).cloned().collect()
    }

    fn run(&self, context: &Context) -> Result<()> {
        require_file(&self.out, &self.inputs(), context.force)?;
        let tensor = context.step("read the tensors", |_| read_tensor(&self.tensor, self.tensor_order))?;
        let (seeds, select) = self.seeds.resolve(|| {
            // Voxels outside the brain hold zeros, which are no tensor.
            let inside =
                (0..tensor.grid().len()).map(|v| tensor.voxel(v).iter().any(|&d| d != 0.0)).collect();
            Mask::new(*tensor.grid(), inside)
        })?;
        let options = self.tracking.options(&tensor, select, context.seed)?;
        let mut writer =
            TractogramWriter::create(&self.out, Some(tensor.grid()), &TractogramOptions::default())?;
        let summary = context.step("track", |bar| {
            track_tensor(&tensor, &seeds, &options, context.device_so_far(), &mut writer, &|done, total| {
                show_progress(bar, done, total);
            })
        })?;
        writer.finish()?;
        context.say(describe(&summary));
        Ok(())
    }
}

impl TrackingArgs {
    /// The options of the library, for a tensor image.
    fn options(&self, tensor: &Volume<f32>, select: Option<u64>, seed: u64) -> Result<TrackOptions> {
        Ok(TrackOptions {
            method: match self.method {
                MethodArg::Fact => Method::Fact,
                MethodArg::Tensor => Method::Tensor,
                MethodArg::Deflection => {
                    Method::TensorDeflection { f: self.deflection_f, g: self.deflection_g }
                }
            },
            integrator: match self.integrator {
                IntegratorArg::Euler => Integrator::Euler,
                IntegratorArg::RungeKutta => Integrator::RungeKutta4,
            },
            step_mm: self.step,
            curvature: match self.radius {
                Some(radius) => Curvature::MinRadiusMm(radius),
                None => Curvature::MaxAngleDegrees(self.angle),
            },
            fa_cutoff: self.cutoff,
            seed_fa: self.seed_cutoff,
            min_length_mm: self.min_length,
            max_length_mm: self.max_length,
            both_directions: !self.one_direction,
            mask: self
                .mask
                .as_deref()
                .map(|path| space::mask_on(read_mask(path)?, tensor.grid(), path, "the tensor image"))
                .transpose()?,
            select,
            seed,
        })
    }
}

/// One line about a tracking run.
pub(crate) fn describe(summary: &TrackSummary) -> String {
    format!(
        "{} streamlines of {:.1} mm on average from {} seeds ({} too short, {} in too low anisotropy, {} outside)",
        summary.streamlines,
        summary.mean_length_mm(),
        summary.seeds,
        summary.rejected.too_short,
        summary.rejected.seed_anisotropy,
        summary.rejected.seed_outside,
    )
}

impl SeedArgs {
    /// The seeds and where to stop.
    fn resolve(&self, everywhere: impl FnOnce() -> Result<Mask>) -> Result<(Seeds, Option<u64>)> {
        if let Some(path) = &self.seed_points {
            return Ok((Seeds::Points(read_triples(path, "a point, x y z in RAS mm")?), self.select));
        }
        let endless = self.seeds.is_none() && self.seed_grid.is_none();
        let select = self.select.or(endless.then_some(10_000));
        let count = self.seeds.unwrap_or_else(|| {
            select.unwrap_or(u64::MAX).saturating_mul(arcuate_track::SEEDS_PER_STREAMLINE)
        });
        if let Some(path) = &self.seed_weights {
            return Ok((Seeds::Weighted { image: read_volume(path)?, count }, select));
        }
        let mask = match &self.seed_mask {
            Some(path) => read_mask(path)?,
            None => everywhere()?,
        };
        let seeds = match self.seed_grid {
            Some(per_axis) => Seeds::Grid { mask, per_axis },
            None => Seeds::Random { mask, count },
        };
        Ok((seeds, select))
    }
}
