//! `arcuate track geodesic`.

mod args;

use super::constraints::ConstraintArgs;
use super::propagation::{Geodesic, PropagationArgs};
use super::spaces::SpaceArgs;
use crate::stage_command::Typed;
use crate::tensor_order::TensorOrderArg;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::geodesic::KeptRays;
use arcuate_track::ConstraintUnit;
use args::{ConnectionArgs, EndArgs, RayArgs, SeedArgs};
use clap::Args;
use std::path::PathBuf;

/// Shortest paths through diffusion tensors: connections between regions, or all rays
///
/// Rays are geodesics of the metric D⁻¹: paths are short where diffusion is fast. With --targets the command
/// writes connections.trx and connections.tsv. connections.trx has the rays that reach a target, cut there,
/// strongest first, with a group per target. connections.tsv lists rank, target, connectivity measure, length
/// and drift of each. With --all the command writes rays.trx. Streamlines have dpv/cm and dps/cm (the
/// connectivity measure, length divided by geodesic length, up to each point and of the whole), dps/length
/// (mm) and dps/drift (relative change of the ray's energy). fa.nii.gz is the background of the report. The
/// same seeds give the same rays at any number of threads, and on GPUs.
#[derive(Debug, Args)]
pub(crate) struct TrackGeodesic {
    /// Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image
    ///
    /// [default: that of the header, otherwise arcuate]
    #[arg(long, value_enum)]
    tensor_order: Option<TensorOrderArg>,
    /// Output: folder for the rays
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    propagation: PropagationArgs<Geodesic>,
    #[command(flatten)]
    rays: RayArgs,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
}

impl TrackGeodesic {
    /// Returns true if random numbers are drawn.
    pub(super) fn draws(&self) -> bool {
        self.seeds.are_random()
    }
}

impl Typed for TrackGeodesic {
    type Work = stages::TrackGeodesic;

    fn typed(&self) -> Result<stages::TrackGeodesic> {
        let selection = self.connections.selection(&self.seeds)?;
        self.constraints.check()?;
        let targets = self.connections.targets.clone();
        Ok(stages::TrackGeodesic {
            order: self.tensor_order.map(Into::into),
            mask: self.ends.mask.clone(),
            seeds: self.seeds.source(),
            seed_number: self.seeds.number(),
            kept: selection.map_or(KeptRays::All, |selection| KeptRays::Connections { targets, selection }),
            constraints: self.constraints.files_with(&[], ConstraintUnit::Whole),
            space: self.spaces.space(),
            options: args::options(
                self.propagation.propagation(),
                &self.rays,
                &self.ends,
                !self.connections.all,
            )?,
            ..stages::TrackGeodesic::new(&self.tensor, &self.out)
        })
    }
}
