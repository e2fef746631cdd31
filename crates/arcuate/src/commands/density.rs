use crate::meanings;
use crate::stage_command::Typed;
use arcuate_connect::{TrackContrast, TrackMapOptions};
use arcuate_core::Result;
use arcuate_pipeline::stages::MapDensity;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Map track density, mean length or direction per voxel
///
/// The voxels that a streamline passes are computed exactly. A streamline counts once per voxel, even if it
/// returns to the voxel. Voxels without streamlines have the value 0.
#[derive(Debug, Args)]
pub(crate) struct Density {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    #[arg(long, help = meanings::LIKE, value_name = "IMAGE")]
    like: PathBuf,
    /// Output: image of the map
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Quantity that the map shows in each voxel
    #[arg(long, value_enum, default_value_t = KindArg::Counts)]
    kind: KindArg,
    /// Sum the lengths of the streamlines inside each voxel, in mm
    ///
    /// Without this option, each streamline that passes the voxel counts 1.
    #[arg(long)]
    by_length: bool,
    #[arg(long, help = meanings::WEIGHTS, value_name = "FILE")]
    weights: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum KindArg {
    /// Number of streamlines that pass the voxel
    Counts,
    /// Mean length of the streamlines that pass the voxel, in mm
    Lengths,
    /// Mean unsigned direction (left–right, front–back, up–down) of the streamlines in the voxel, as a vector
    /// whose length is the number of streamlines
    Directional,
}

impl Typed for Density {
    type Work = MapDensity;

    fn typed(&self) -> Result<MapDensity> {
        let contrast = match self.kind {
            KindArg::Counts => TrackContrast::Counts,
            KindArg::Lengths => TrackContrast::MeanLength,
            KindArg::Directional => TrackContrast::Directions,
        };
        Ok(MapDensity {
            weights: self.weights.clone(),
            options: TrackMapOptions { contrast, by_length: self.by_length },
            ..MapDensity::new(&self.tractogram, &self.like, &self.out)
        })
    }
}
