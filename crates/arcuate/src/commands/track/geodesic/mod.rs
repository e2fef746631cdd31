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
use arcuate_track::JudgedBy;
use args::{ConnectionArgs, EndArgs, RayArgs, SeedArgs};
use clap::Args;
use std::path::PathBuf;

/// Shortest paths through diffusion tensors: the connections between regions, or every ray
///
/// Where tensors are long, ways are short: rays are geodesics of the metric D⁻¹. With --targets writes connections.trx (those
/// that reach a target, cut there, strongest first, a group for each target) and connections.tsv (rank, target, connectivity
/// measure, length, drift of each); with --all rays.trx. Streamlines have dpv/cm and dps/cm (the connectivity measure,
/// length over geodesic length: up to each point, and of the whole), dps/length (mm) and dps/drift (how far the ray's
/// energy strays, relative). fa.nii.gz is what the report shows them before. The same seeds give the same rays at any
/// number of threads, and on GPUs.
#[derive(Debug, Args)]
pub(crate) struct TrackGeodesic {
    /// Tensor image, as `arcuate fit tensor` writes it (D11 D22 D33 D12 D13 D23, scanner axes)
    tensor: PathBuf,
    /// Order and axes of the six volumes of the tensor image; by default the header's, or arcuate
    #[arg(long, value_enum)]
    tensor_order: Option<TensorOrderArg>,
    /// Output: folder
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
    /// Whether anything is drawn at random.
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
            constraints: self.constraints.files_with(&[], JudgedBy::Whole),
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
