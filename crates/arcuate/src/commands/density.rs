use crate::context::Context;
use crate::output::require_file;
use crate::references;
use crate::space::{image_grid, warn_of_another_image};
use crate::weights::about_weights;
use arcuate_connect::{TrackContrast, TrackMap, TrackMapOptions};
use arcuate_core::Result;
use arcuate_io::{WriteOptions, read_weights, stream_tractogram, write_image};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const REFERENCES: &[&str] = &[
    "Calamante F et al. (2010) Track-density imaging (TDI): super-resolution white matter imaging using whole-brain \
     track-density mapping. doi:10.1016/j.neuroimage.2010.07.024",
    "Pannek K et al. (2011) The average pathlength map: a diffusion MRI tractography-derived index for studying brain \
     pathology. doi:10.1016/j.neuroimage.2010.12.021",
];

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
    /// Image whose voxels the map has
    #[arg(long, value_name = "IMAGE")]
    like: PathBuf,
    /// Image to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the map shows
    #[arg(long, value_enum, default_value_t = Kind::Counts)]
    kind: Kind,
    /// Count each streamline with its length inside the voxel, in mm, instead of once
    #[arg(long)]
    by_length: bool,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Streamlines through the voxel
    Counts,
    /// Their mean length in mm
    Lengths,
    /// Their directions without sign, three volumes: left–right, front–back, up–down, of the counts' norm
    Directional,
}

impl Density {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let inputs: Vec<PathBuf> =
            [&self.tractogram, &self.like].into_iter().chain(&self.weights).cloned().collect();
        require_file(&self.out, &inputs, context.force)?;
        let grid = image_grid(&self.like)?;
        warn_of_another_image(&self.tractogram, &grid, "that of --like")?;
        let weights = self.weights.as_deref().map(read_weights).transpose()?;
        let options = TrackMapOptions {
            contrast: match self.kind {
                Kind::Counts => TrackContrast::Counts,
                Kind::Lengths => TrackContrast::MeanLength,
                Kind::Directional => TrackContrast::Directions,
            },
            by_length: self.by_length,
        };
        let about_weights = about_weights(self.weights.as_deref());
        let (summary, map) = context.step("map the streamlines", |_| {
            let mut map = TrackMap::new(grid, options, weights)?;
            let summary = stream_tractogram(&self.tractogram, &mut map).map_err(about_weights)?;
            Ok((summary, map.into_volume().map_err(about_weights)?))
        })?;
        write_image(&self.out, &map, &WriteOptions::default())?;
        let passed =
            map.values().chunks_exact(map.channels()).filter(|v| v.iter().any(|&x| x != 0.0)).count();
        if passed == 0 && summary.points > 0 {
            tracing::warn!(
                "no streamline passes a voxel of {}; check that the two belong together",
                self.like.display()
            );
        }
        context.say(format_args!("{} streamlines through {passed} voxels", summary.streamlines));
        Ok(())
    }
}
