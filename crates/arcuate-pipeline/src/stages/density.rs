//! Computes a map of streamlines: their number, mean length or direction in each voxel that they pass.

use super::work::Work;
use crate::job::Job;
use crate::memory;
use crate::output::require_file_and_record;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{self, Record};
use crate::space::{image_grid, warn_of_another_image};
use arcuate_connect::{TrackContrast, TrackMap, TrackMapOptions};
use arcuate_core::{Result, Volume};
use arcuate_io::{Space, read_weights, stream_tractogram_in, write_image};
use std::fmt::Display;
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Calamante F et al. (2010) Track-density imaging (TDI): super-resolution white matter imaging using whole-brain \
     track-density mapping. doi:10.1016/j.neuroimage.2010.07.024",
    "Pannek K et al. (2011) The average pathlength map: a diffusion MRI tractography-derived index for studying brain \
     pathology. doi:10.1016/j.neuroimage.2010.12.021",
];

/// Computes a map of streamlines on the voxel grid of an image (track-density imaging).
#[derive(Debug, Clone, PartialEq)]
pub struct MapDensity {
    /// The tractogram.
    pub tracts: PathBuf,
    /// Image whose voxel grid the map has.
    pub lattice: PathBuf,
    /// File with a weight for each streamline.
    pub weights: Option<PathBuf>,
    /// Image file of the map.
    pub out: PathBuf,
    /// Quantity that the map shows.
    pub options: TrackMapOptions,
}

impl MapDensity {
    /// Creates the computation of a map: the number of streamlines that pass each voxel of the image
    /// `lattice`.
    pub fn new(tracts: impl Into<PathBuf>, lattice: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            tracts: tracts.into(),
            lattice: lattice.into(),
            weights: None,
            out: out.into(),
            options: TrackMapOptions::default(),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        [&self.tracts, &self.lattice].into_iter().chain(&self.weights).cloned().collect()
    }

    /// Returns the memory that the computation needs for each voxel of the map, in bytes.
    fn bytes_of_a_voxel(&self) -> u64 {
        match self.options.contrast {
            TrackContrast::Counts => 8 + 4,
            TrackContrast::MeanLength => 2 * 8 + 4,
            TrackContrast::Directions => 4 * 8 + 3 * 4,
        }
    }

    fn output_file(&self) -> OutputFile {
        let map = |title, unit: &'static str| {
            let kind = Kind::Map(Map { unit: unit.into(), heat: true, ..Map::default() });
            OutputFile::shown(record::name_of(&self.out), title, kind)
        };
        let tracts = record::name_of(&self.tracts);
        match (self.options.contrast, self.weights.is_some()) {
            (TrackContrast::Counts, false) if self.options.by_length => {
                map("Length of streamlines in a voxel", "mm")
                    .with_content("Sum of the lengths of the streamlines in each voxel, mm")
            }
            (TrackContrast::Counts, false) => map("Track density", "streamlines")
                .with_caption(format!("All streamlines of {tracts} are counted."))
                .with_content("Number of streamlines that pass each voxel"),
            (TrackContrast::Counts, true) => map("Track density, weighted", "sum of weights")
                .with_caption(format!(
                    "All streamlines of {tracts}, with their weights. Streamlines with weight 0 have no effect."
                ))
                .with_content("Sum of the weights of the streamlines that pass each voxel"),
            (TrackContrast::MeanLength, _) => map("Mean length of streamlines", "mm")
                .with_content("Mean length of the streamlines that pass each voxel, mm"),
            (TrackContrast::Directions, _) => {
                OutputFile::file(record::name_of(&self.out), "Directions of streamlines, scanner axes")
            }
        }
    }

    /// Computes and writes the map, on the voxel grid of the image `lattice`. The map has one volume. A map
    /// of directions has three.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Volume<f32>> {
        require_file_and_record(&self.out, &self.inputs(), job)?;
        let grid = image_grid(&self.lattice)?;
        // Only the header of the image `lattice` is read. A damaged header can state any size, so the memory
        // is checked.
        let bytes = grid.len() as u64 * self.bytes_of_a_voxel();
        let subject = format!("‘lattice’ {}", self.lattice.display());
        memory::require(bytes, &subject, "maps of its voxels", "give an image of fewer voxels")?;
        warn_of_another_image(&self.tracts, &grid, "that of ‘lattice’")?;
        if let Some(weights) = &self.weights {
            job.came_from("streamline weights", &weights.display());
        }
        let weights = self.weights.as_deref().map(read_weights).transpose()?;
        let (summary, map) = job.step("map the streamlines", || {
            let mut map = TrackMap::new(grid, self.options, weights)?;
            let summary = stream_tractogram_in(&self.tracts, Space::Likely(&grid), &mut map)?;
            Ok((summary, map.into_volume()?))
        })?;
        write_image(&self.out, &map, &job.image_options())?;
        let passed = warn_of_none_passing(&map, summary.points > 0, &self.lattice.display());
        let mut record = Record::new("Track density", vec![self.output_file()], job);
        record.add_inputs(&self.inputs(), job)?;
        record.figure("streamlines", summary.streamlines).key();
        record.figure("voxels that streamlines pass", passed).key();
        record.done("In each voxel of an image the streamlines that pass it were counted.");
        record.cite(REFERENCES);
        record.write_next_to(&self.out, job)?;
        job.show_message(format!("{} streamlines through {passed} voxels", summary.streamlines));
        Ok(map)
    }
}

/// Returns the number of voxels of the map that streamlines pass. Warns if there are streamlines, but no
/// streamline passes a voxel. `lattice` is the name of the image that defines the voxels, for the warning.
pub fn warn_of_none_passing(map: &Volume<f32>, has_streamlines: bool, lattice: &dyn Display) -> usize {
    let is_passed = |values: &&[f32]| values.iter().any(|&value| value != 0.0);
    let passed = map.values().chunks_exact(map.channels()).filter(is_passed).count();
    if passed == 0 && has_streamlines {
        tracing::warn!(
            "no streamline passes a voxel of {lattice}; check that tractogram and image belong \
                        together"
        );
    }
    passed
}

impl Work for MapDensity {
    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), record::companion_path(&self.out)]
    }

    fn check(&self, _: &Job) -> Result<()> {
        Ok(())
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
