//! Output files of protocol tracking: a folder for each tract with the file names of XTRACT, and files about all
//! tracts.

use super::folder::Protocol;
use crate::output_files::{Kind, Map, OutputFile};
use std::path::{Path, PathBuf};

/// Folder that contains the folder of each tract.
const TRACTS: &str = "tracts";
/// Subfolder of a tract for the streamlines from its target to its seeds.
const INVERTED: &str = "tractsInv";
/// Image of the strongest tract in each voxel of the scan.
pub(super) const STRONGEST: &str = "tracts.nii.gz";
/// File of the numbers and names of the tracts in [`STRONGEST`].
pub(super) const NAMES: &str = "tracts.txt";
/// Tractogram of some streamlines of each tract.
pub(super) const STREAMLINES: &str = "streamlines.trx";
/// Table of the statistics of each tract.
pub(super) const STATISTICS: &str = "tracts.tsv";
/// Connectivity blueprint: the proportion of each tract at each vertex of the cortex.
pub(super) const BLUEPRINT: &str = "blueprint.dscalar.nii";

/// The output files of one tract.
pub(super) struct TractFiles {
    folder: String,
    both_directions: bool,
    lengths: bool,
}

impl TractFiles {
    pub(super) fn new(protocol: &Protocol, lengths: bool) -> Self {
        Self {
            folder: format!("{TRACTS}/{}", protocol.name),
            both_directions: protocol.both_directions,
            lengths,
        }
    }

    fn within(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// Returns the folder of one direction of a tract.
    pub(super) fn folder(&self, inverted: bool) -> PathBuf {
        let folder = Path::new(&self.folder);
        if inverted { folder.join(INVERTED) } else { folder.to_owned() }
    }

    /// Returns a file of one direction of a tract.
    pub(super) fn of_way(&self, inverted: bool, name: &str) -> String {
        if inverted { self.within(&format!("{INVERTED}/{name}")) } else { self.within(name) }
    }

    /// Returns a file of both directions of a tract together.
    pub(super) fn of_both(&self, name: &str) -> String {
        self.within(name)
    }

    /// Returns all files of the tract.
    pub(super) fn all(&self, tract: &str) -> Vec<OutputFile> {
        let mut files = Vec::new();
        for inverted in [false, true].into_iter().take(1 + usize::from(self.both_directions)) {
            let way = if inverted { ", from its target to its seeds" } else { "" };
            let mut file = |name: &str, title: String| {
                files.push(OutputFile::file(self.of_way(inverted, name), format!("{title}{way}")));
            };
            file("density.nii.gz", format!("Streamlines of {tract} that pass each voxel"));
            if self.lengths {
                file(
                    "density_lengths.nii.gz",
                    format!("Mean length of their ways from the seeds, mm, of {tract}"),
                );
            }
            file("waytotal", format!("Accepted streamlines of {tract}"));
        }
        let mut file = |name: &str, title: String| files.push(OutputFile::file(self.of_both(name), title));
        if self.both_directions {
            file("sum_density.nii.gz", format!("Streamlines of {tract} that pass each voxel, both ways"));
            file("sum_waytotal", format!("Accepted streamlines of {tract}, both ways"));
        }
        file("densityNorm.nii.gz", format!("Share of the streamlines of {tract} that pass each voxel"));
        file("densityNorm_thresholded.nii.gz", format!("The same, 0 below the threshold, of {tract}"));
        files
    }
}

/// Returns the output files of all tracts. `anatomy` is the background image in the report.
pub(super) fn output_files(
    protocols: &[Protocol],
    lengths: bool,
    anatomy: &'static str,
    blueprint: &[PathBuf],
) -> Vec<OutputFile> {
    let classes = protocols.iter().map(|protocol| protocol.name.clone().into()).collect();
    let strongest = Map { classes, ..Map::default() };
    let backdrop = Map { window: Some([0.0, 1.0]), backdrop: true, aside: true, ..Map::default() };
    let mut files = vec![
        OutputFile::shown(STREAMLINES, "Some streamlines of each tract", Kind::Streamlines { weights: None }),
        OutputFile::shown(STRONGEST, "Tracts", Kind::Map(strongest))
            .with_caption("The tract with the largest fraction of its streamlines in a voxel."),
        OutputFile::file(NAMES, "Names of the tracts"),
        OutputFile::file(STATISTICS, "Streamlines, volume, length and values of each tract"),
        OutputFile::shown(anatomy, "Part of the signal that is of fibres", Kind::Map(backdrop)),
    ];
    if !blueprint.is_empty() {
        let surfaces = blueprint.iter().map(|path| path.display().to_string().into()).collect();
        let kind = Kind::Vertices { surfaces, quantity: "shares of the vertex".into(), places: Vec::new() };
        files.push(OutputFile::shown(BLUEPRINT, "Shares of tracts at each vertex of the cortex", kind));
    }
    for protocol in protocols {
        files.extend(TractFiles::new(protocol, lengths).all(&protocol.name));
    }
    files
}
