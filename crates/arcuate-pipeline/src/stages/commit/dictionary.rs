//! Reads dictionaries of `dmri-commit`. A dictionary contains the segments of streamlines in each voxel, and
//! the peaks.

use super::inputs::Encoded;
use super::options::{DictionaryFiles, EvaluateCommit};
use arcuate_core::{Error, Grid, Mask, Orientations, Result, StreamlineBatch, StreamlineSink};
use arcuate_evaluate::commit::{Axes, SegmentSummary, dictionary_segments, scanner_orientations};
use arcuate_io::{CommitDictionary, Space, read_commit_dictionary, read_triples, stream_tractogram_in};
use std::path::{Path, PathBuf};

impl DictionaryFiles {
    /// Returns all files of the dictionary.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let of_folder = CommitDictionary::FILES.iter().map(|name| self.folder.join(name));
        of_folder.chain([self.directions.clone()]).collect()
    }

    /// Reads the streamline segments and the peaks of the dictionary in the voxels of the mask `usable`.
    /// Peaks are used only if `extra` is true.
    pub(super) fn read(&self, command: &EvaluateCommit, usable: &Mask, extra: bool) -> Result<Encoded> {
        let (folder, directions) = (self.folder.as_path(), self.directions.as_path());
        let mut dictionary = read_commit_dictionary(folder)?;
        usable.grid().require_match(&dictionary.grid, folder.display(), "the diffusion series")?;
        if let Some(tractogram) = command.tracts.as_deref() {
            check_count(tractogram, usable.grid(), dictionary.inputs, folder)?;
        }
        let unusable = dictionary.keep(usable);
        if unusable > 0 && command.mask.is_none() {
            tracing::warn!("{unusable} voxels of the dictionary have no usable signal and are not used");
        }
        let orientations = orientations(directions, usable.grid())?;
        let (segments, mut axes) = dictionary_segments(&dictionary, &orientations)?;
        if !extra {
            axes = Axes::none(segments.voxels().len());
        } else if axes.is_empty() {
            tracing::warn!(
                "the dictionary has no peaks; the model is fitted without extra-axonal compartments"
            );
        }
        let mut passing = vec![false; dictionary.inputs];
        for stretch in &dictionary.stretches {
            passing[dictionary.kept[stretch.streamline as usize] as usize] = true;
        }
        let summary = SegmentSummary {
            streamlines: dictionary.inputs,
            outside: passing.iter().filter(|&&passes| !passes).count(),
            length_inside: dictionary.stretches.iter().map(|stretch| f64::from(stretch.length)).sum(),
            ..SegmentSummary::default()
        };
        Ok(Encoded { segments, axes, summary, orientations: Some(orientations) })
    }
}

/// Reads directions, whose components are along the image axes, from a file. Returns these directions in
/// scanner axes.
fn orientations(path: &Path, grid: &Grid) -> Result<Orientations> {
    let directions = read_triples(path, "a direction, x y z along the axes of the image")?;
    let along_image = Orientations::new(&directions).map_err(|e| e.about(path.display()))?;
    scanner_orientations(&along_image, grid)
}

/// Returns an error if the number of streamlines of a tractogram differs from that of the dictionary.
fn check_count(tractogram: &Path, grid: &Grid, expected: usize, folder: &Path) -> Result<()> {
    struct Count(usize);
    impl StreamlineSink for Count {
        fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
            self.0 += batch.len();
            Ok(())
        }
    }
    let mut count = Count(0);
    stream_tractogram_in(tractogram, Space::Likely(grid), &mut count)?;
    if count.0 == expected {
        return Ok(());
    }
    let problem = format!(
        "the tractogram has {} streamlines, but the dictionary {} was created from {expected}",
        count.0,
        folder.display()
    );
    Err(Error::invalid(
        tractogram.display(),
        problem,
        "give the tractogram that the dictionary was created \
                                                       from",
    ))
}
