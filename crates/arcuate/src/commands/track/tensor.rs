use super::anatomy::AnatomyArgs;
use super::propagation::Tensor;
use super::tracking::{Differences, Tracking};
use crate::stage_command::Typed;
use crate::tensor_order::TensorOrderArg;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages;
use arcuate_track::{ConstraintUnit, Curvature, Integrator, Method, TrackOptions};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Deterministic tracking through diffusion tensors
///
/// The same random seed gives the same streamlines at any number of threads.
#[derive(Debug, Args)]
pub(crate) struct TrackTensor {
    /// Tensor image, such as tensor.nii.gz of `arcuate fit tensor`
    ///
    /// The image has six volumes, D11 D22 D33 D12 D13 D23, in scanner axes. If its tensor elements have
    /// another order or other axes, use --tensor-order.
    tensor: PathBuf,
    /// Order and axes of the tensor elements in the six volumes of the image
    ///
    /// [default: the order that the header states; if it states none, arcuate]
    #[arg(long, value_enum)]
    tensor_order: Option<TensorOrderArg>,
    #[command(flatten)]
    tracking: Tracking<Tensor>,
    #[command(flatten)]
    anatomy: AnatomyArgs,
    #[command(flatten)]
    rules: TrackingArgs,
}

/// The options that tensors alone have.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
struct TrackingArgs {
    /// Method: rule by which a streamline finds its next direction
    #[arg(long, value_enum, default_value_t = MethodArg::Tensor)]
    method: MethodArg,
    /// Integration scheme
    ///
    /// This option has no effect with --method fact. [default: runge-kutta]
    #[arg(long, value_enum)]
    integrator: Option<IntegratorArg>,
    /// Smallest radius of curvature of a streamline, in mm; replaces --angle
    #[arg(long, value_name = "MM", conflicts_with = "angle")]
    curvature_radius: Option<f64>,
    /// Mask image of the voxels to process
    ///
    /// Streamlines terminate where they leave this mask.
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Follow only one of the two opposite directions from each seed
    ///
    /// This direction is drawn at random. Without this option, both directions are followed, and their paths
    /// form one streamline.
    #[arg(long)]
    one_way: bool,
    /// Weight f of the principal direction in each step, for --method deflection
    ///
    /// With the weight 1, steps follow the principal direction. With the weight 0, the principal direction
    /// has no effect. [default: 0]
    #[arg(long, value_name = "0..1")]
    deflection_f: Option<f64>,
    /// Weight g of the deflected direction in each step, for --method deflection
    ///
    /// The deflected direction is the product of the tensor and the incoming direction. The incoming
    /// direction has the weight 1 − g. [default: 1]
    #[arg(long, value_name = "0..1")]
    deflection_g: Option<f64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Go straight through each voxel, along the principal direction of its tensor
    Fact,
    /// Step along the principal direction of the interpolated tensor
    Tensor,
    /// Step along the incoming direction, deflected by the interpolated tensor (TEND)
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
        let differences = Differences {
            anatomy: self.anatomy.file(),
            interface: self.anatomy.seed_interface(),
            judged_by: ConstraintUnit::Whole,
            preset: None,
        };
        Ok(stages::TrackTensor {
            tensor: self.tensor.clone(),
            order: self.tensor_order.map(Into::into),
            mask: self.rules.mask.clone(),
            options: self.rules.options()?,
            tracking: self.tracking.typed(differences)?,
        })
    }
}

impl TrackingArgs {
    /// Returns the options for the library that do not come from files.
    fn options(&self) -> Result<TrackOptions> {
        let deflects = matches!(self.method, MethodArg::Deflection);
        for (option, value) in [("--deflection-f", self.deflection_f), ("--deflection-g", self.deflection_g)]
        {
            if value.is_some() && !deflects {
                let problem = "this --method does not use it";
                return Err(Error::usage(
                    option,
                    problem,
                    "remove this option, or choose --method deflection",
                ));
            }
        }
        let integrator = match (self.integrator, self.method) {
            (Some(IntegratorArg::Euler), MethodArg::Fact) => {
                let problem = "fact moves straight from voxel face to voxel face and does not integrate";
                let advice = "remove the option, or choose another --method";
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
