use crate::meanings;
use crate::stage_command::Typed;
use arcuate_connect::{TrackContrast, TrackMapOptions};
use arcuate_core::Result;
use arcuate_pipeline::stages::MapDensity;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Map track density, mean length or direction per voxel
///
/// The voxels of each streamline are exact. A streamline counts once per voxel, however often it returns. Voxels
/// without streamlines are 0.
#[derive(Debug, Args)]
pub(crate) struct Density {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    #[arg(long, help = meanings::LIKE, value_name = "IMAGE")]
    like: PathBuf,
    /// Output: image
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Quantity of the map
    #[arg(long, value_enum, default_value_t = KindArg::Counts)]
    kind: KindArg,
    /// In each voxel, sum the lengths of streamline segments (mm), not their number
    #[arg(long)]
    by_length: bool,
    #[arg(long, help = meanings::WEIGHTS, value_name = "FILE")]
    weights: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum KindArg {
    /// Number of streamlines in the voxel
    Counts,
    /// Mean length of these streamlines in mm
    Lengths,
    /// Sum of unsigned streamline directions (left–right, front–back, up–down), scaled so that its length is
    /// the number of streamlines
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
