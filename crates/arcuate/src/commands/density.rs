use crate::references;
use crate::stage_command::Typed;
use arcuate_connect::{TrackContrast, TrackMapOptions};
use arcuate_core::Result;
use arcuate_pipeline::stages::MapDensity;
use arcuate_pipeline::stages::density::REFERENCES;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Map streamlines to the voxels they pass
///
/// Voxels are found by the exact walk along each streamline; each streamline counts once in a voxel, however often it
/// returns. Voxels without streamlines are 0.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Density {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Image whose voxels the result has
    #[arg(long, value_name = "IMAGE")]
    like: PathBuf,
    /// Where the result goes; an image
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the map shows
    #[arg(long, value_enum, default_value_t = KindArg::Counts)]
    kind: KindArg,
    /// Count each streamline with its length inside the voxel, in mm, instead of once
    #[arg(long)]
    by_length: bool,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum KindArg {
    /// Streamlines through the voxel
    Counts,
    /// Their mean length in mm
    Lengths,
    /// Their directions without sign, three volumes: left–right, front–back, up–down, of the counts' norm
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
