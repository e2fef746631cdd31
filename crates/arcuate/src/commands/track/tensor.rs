use super::anatomy::AnatomyArgs;
use super::constraints::{ConstraintArgs, TargetArgs};
use super::propagation::{PropagationArgs, Tensor};
use super::seeds::SeedArgs;
use super::spaces::SpaceArgs;
use crate::stage_command::Typed;
use crate::tensor_order::TensorOrderArg;
use arcuate_core::{Error, Result};
use arcuate_pipeline::constraint_files::ConstraintFiles;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::SeedSource;
use arcuate_track::{Curvature, Integrator, JudgedBy, Method, TrackOptions};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Deterministic tracking through diffusion tensors
///
/// The same random seed gives the same streamlines at any number of threads. Output: .tck, .trk or .trx.
#[derive(Debug, Args)]
pub(crate) struct TrackTensor {
    /// Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image; by default the header's, or arcuate
    #[arg(long, value_enum)]
    tensor_order: Option<TensorOrderArg>,
    /// Output: tractogram (.tck, .trk, .trx, .tck.gz, .trk.gz)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    /// Image that seeds are drawn in proportion to
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["seed_mask", "seed_points", "seed_grid", "seed_interface"],
        help_heading = "Seeds"
    )]
    seed_weights: Option<PathBuf>,
    #[command(flatten)]
    propagation: PropagationArgs<Tensor>,
    #[command(flatten)]
    tracking: TrackingArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    anatomy: AnatomyArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
}

/// How streamlines go on and where they end.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// Method; how a streamline finds its direction
    #[arg(long, value_enum, default_value_t = MethodArg::Tensor)]
    method: MethodArg,
    /// How a streamline moves along; runge-kutta by default, and nothing for fact
    #[arg(long, value_enum)]
    integrator: Option<IntegratorArg>,
    /// Smallest radius of curvature, in mm, in place of --angle
    #[arg(long, value_name = "MM", conflicts_with = "angle")]
    curvature_radius: Option<f64>,
    /// Mask of the voxels to process; streamlines end outside
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

impl Typed for TrackTensor {
    type Work = stages::TrackTensor;

    fn typed(&self) -> Result<stages::TrackTensor> {
        self.constraints.check()?;
        Ok(stages::TrackTensor {
            order: self.tensor_order.map(Into::into),
            mask: self.tracking.mask.clone(),
            seeds: match &self.seed_weights {
                Some(image) => SeedSource::Weights(image.clone()),
                None => self.anatomy.source(&self.seeds),
            },
            seed_number: self.seeds.number(),
            constraints: ConstraintFiles {
                anatomy: self.anatomy.file(),
                ..self.constraints.files_with(self.targets.files(), JudgedBy::Whole)
            },
            space: self.spaces.space(),
            options: TrackOptions {
                select: self.seeds.select(),
                ..self.propagation.propagation().of_tensors(self.tracking.options()?)
            },
            ..stages::TrackTensor::new(&self.tensor, &self.out)
        })
    }
}

impl TrackingArgs {
    /// The options of the library, but what is in files.
    fn options(&self) -> Result<TrackOptions> {
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
            curvature: self
                .curvature_radius
                .map_or(TrackOptions::default().curvature, Curvature::MinRadiusMm),
            both_directions: !self.one_way,
            ..TrackOptions::default()
        })
    }
}
