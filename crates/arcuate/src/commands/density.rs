use crate::context::Context;
use crate::memory;
use crate::output::require_file_and_record;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{self, Record};
use crate::references;
use crate::space::{image_grid, warn_of_another_image};
use crate::stage_command::StageCommand;
use crate::weights::about_weights;
use arcuate_connect::{TrackContrast, TrackMap, TrackMapOptions};
use arcuate_core::Result;
use arcuate_io::{Space, read_weights, stream_tractogram_in, write_image};
use arcuate_pipeline::caller::Caller;
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

impl Density {
    fn inputs(&self) -> Vec<PathBuf> {
        [&self.tractogram, &self.like].into_iter().chain(&self.weights).cloned().collect()
    }

    /// Bytes that a map takes while it is made.
    fn bytes_of_a_voxel(&self) -> u64 {
        match self.kind {
            KindArg::Counts => 8 + 4,
            KindArg::Lengths => 2 * 8 + 4,
            KindArg::Directional => 4 * 8 + 3 * 4,
        }
    }

    fn output_file(&self) -> OutputFile {
        let map = |title, unit: &'static str| {
            let kind = Kind::Map(Map { unit: unit.into(), heat: true, ..Map::default() });
            OutputFile::shown(record::name_of(&self.out), title, kind)
        };
        match (self.kind, self.weights.is_some()) {
            (KindArg::Counts, false) if self.by_length => map("Length of streamlines in a voxel", "mm"),
            (KindArg::Counts, false) => map("Track density", "streamlines"),
            (KindArg::Counts, true) => map("Track density, weighted", "sum of weights"),
            (KindArg::Lengths, _) => map("Mean length of streamlines", "mm"),
            (KindArg::Directional, _) => {
                OutputFile::file(record::name_of(&self.out), "Directions of streamlines, scanner axes")
            }
        }
    }
}

impl StageCommand for Density {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::beside(&self.out)]
    }

    fn check(&self, _: &Context) -> Result<()> {
        Ok(())
    }

    fn run(&self, context: &Context) -> Result<()> {
        require_file_and_record(&self.out, &self.inputs(), context)?;
        let grid = image_grid(&self.like)?;
        // The image is not read: its header may claim what it likes.
        let bytes = grid.len() as u64 * self.bytes_of_a_voxel();
        let subject = format!("--like {}", self.like.display());
        memory::require(bytes, &subject, "maps of its voxels", "give an image of fewer voxels")?;
        warn_of_another_image(&self.tractogram, &grid, "that of --like")?;
        let weights = self.weights.as_deref().map(read_weights).transpose()?;
        let options = TrackMapOptions {
            contrast: match self.kind {
                KindArg::Counts => TrackContrast::Counts,
                KindArg::Lengths => TrackContrast::MeanLength,
                KindArg::Directional => TrackContrast::Directions,
            },
            by_length: self.by_length,
        };
        let about_weights = about_weights(self.weights.as_deref());
        let (summary, map) = context.step("map the streamlines", |_| {
            let mut map = TrackMap::new(grid, options, weights)?;
            let summary = stream_tractogram_in(&self.tractogram, Space::Likely(&grid), &mut map)
                .map_err(about_weights)?;
            Ok((summary, map.into_volume().map_err(about_weights)?))
        })?;
        write_image(&self.out, &map, &context.image_options())?;
        let passed =
            map.values().chunks_exact(map.channels()).filter(|v| v.iter().any(|&x| x != 0.0)).count();
        if passed == 0 && summary.points > 0 {
            tracing::warn!(
                "no streamline passes a voxel of {}; check that the two belong together",
                self.like.display()
            );
        }
        let mut record = Record::new("Track density", vec![self.output_file()], context);
        record.add_inputs(&self.inputs(), context)?;
        record.figure("streamlines", summary.streamlines).key();
        record.figure("voxels that streamlines pass", passed).key();
        record.done("In each voxel of an image the streamlines that pass it were counted.");
        record.cite(REFERENCES);
        record.write_beside(&self.out, context)?;
        context.say(format_args!("{} streamlines through {passed} voxels", summary.streamlines));
        Ok(())
    }
}
