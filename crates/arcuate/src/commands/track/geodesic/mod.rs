//! `arcuate track geodesic`.

mod args;

use super::parts::parted;
use super::propagation::Geodesic;
use super::tracking::{Differences, Tracking};
use crate::meanings;
use crate::stage_command::Typed;
use crate::tensor_order::TensorOrderArg;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_track::ConstraintUnit;
use args::{ConnectionArgs, EndArgs, RayArgs};
use clap::Args;
use std::path::PathBuf;

/// Shortest paths through diffusion tensors: connections between regions, or all rays
///
/// A ray is a geodesic (shortest path) of the metric D⁻¹, the inverse of the tensor: paths are short where
/// diffusion is fast. With --targets, the streamlines are the rays that reach a target region. These rays are
/// cut at the target and sorted by strength, and the tractogram has a group for each target. The file
/// connections.tsv lists rank, target, connectivity measure, length and drift of each ray. Streamlines have
/// the values dpv/cm and dps/cm: the connectivity measure (length divided by geodesic length) of the path up
/// to each point, and of the whole path. They also have dps/length (mm) and dps/drift (relative change of the
/// ray's energy). The same seeds give the same rays at any number of threads, and on GPUs.
#[derive(Debug, Args)]
#[command(mut_arg("per_seed", |arg| arg.long_help(meanings::with(
    meanings::PER_SEED,
    "Each streamline is a ray (shortest path) that leaves the seed in another direction. [default: 500]"
))))]
pub(crate) struct TrackGeodesic {
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
    connections: ConnectionArgs,
    #[command(flatten)]
    tracking: Tracking<Geodesic>,
    #[command(flatten)]
    rays: RayArgs,
    #[command(flatten)]
    ends: EndArgs,
}

impl TrackGeodesic {
    /// Returns true if random numbers are drawn.
    pub(super) fn draws(&self) -> bool {
        self.tracking.seeds.are_random()
    }
}

parted!(TrackGeodesic);

impl Typed for TrackGeodesic {
    type Work = stages::TrackGeodesic;

    fn typed(&self) -> Result<stages::TrackGeodesic> {
        let mut tracking = self.tracking.typed(Differences {
            anatomy: None,
            interface: false,
            judged_by: ConstraintUnit::Whole,
            preset: None,
        })?;
        let targets = &tracking.constraints.targets;
        tracking.connections = self.connections.connections(targets, tracking.seeds.are_chosen())?;
        let connects = tracking.connections.is_some();
        if connects {
            tracking.constraints.targets.clear();
        }
        let (seeds, per_seed) = args::number_of_rays(tracking.seeds, self.tracking.seeds.each());
        Ok(stages::TrackGeodesic {
            tensor: self.tensor.clone(),
            order: self.tensor_order.map(Into::into),
            mask: self.ends.mask.clone(),
            options: args::options(&self.rays, &self.ends, per_seed, connects)?,
            tracking: stages::tracking::Tracking { seeds, ..tracking },
        })
    }
}
