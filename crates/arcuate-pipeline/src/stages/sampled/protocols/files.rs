//! Output files of tracking with protocols: a folder for each tract with the file names of XTRACT, and files
//! about all tracts.

use super::folder::Protocol;
use crate::output_files::{Kind, Map, OutputFile};
use std::path::{Path, PathBuf};

/// Folder of results that contains the folders of all tracts.
const TRACTS: &str = "tracts";
/// Subfolder in the folder of a tract. It contains the results of tracking in the reverse direction, from the
/// target to the seeds of the tract.
const INVERTED: &str = "tractsInv";
/// Image of the number of the tract with the largest density in each voxel of the scan.
pub(super) const STRONGEST: &str = "tracts.nii.gz";
/// File of the numbers and names of the tracts, which explains the numbers in the image [`STRONGEST`].
pub(super) const NAMES: &str = "tracts.txt";
/// Tractogram of some streamlines of each tract.
pub(super) const STREAMLINES: &str = "streamlines.trx";
/// Table of the statistics of each tract.
pub(super) const STATISTICS: &str = "tracts.tsv";
/// File of the connectivity blueprint: for each vertex of the cortex, the proportion of its streamlines that
/// belongs to each tract.
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

    /// Returns the folder of a tract for one tracking direction. `inverted` means from the target to the
    /// seeds.
    pub(super) fn folder(&self, inverted: bool) -> PathBuf {
        let folder = Path::new(&self.folder);
        if inverted { folder.join(INVERTED) } else { folder.to_owned() }
    }

    /// Returns the path of a file of a tract for one tracking direction. `inverted` means from the target to
    /// the seeds.
    pub(super) fn name_in_direction(&self, inverted: bool, name: &str) -> String {
        if inverted { self.within(&format!("{INVERTED}/{name}")) } else { self.within(name) }
    }

    /// Returns the path of a file of a tract that combines both tracking directions.
    pub(super) fn of_both(&self, name: &str) -> String {
        self.within(name)
    }

    /// Returns all files of the tract.
    pub(super) fn all(&self, tract: &str) -> Vec<OutputFile> {
        let mut files = Vec::new();
        for inverted in [false, true].into_iter().take(1 + usize::from(self.both_directions)) {
            let direction = if inverted { ", from its target to its seeds" } else { "" };
            let mut file = |name: &str, title: String, content: &str| {
                let file =
                    OutputFile::file(self.name_in_direction(inverted, name), format!("{title}{direction}"));
                files.push(file.with_content(format!("{content}{direction}")));
            };
            let content = "Number of accepted streamlines that pass each voxel, each counted once";
            file("density.nii.gz", format!("Streamlines of {tract} that pass each voxel"), content);
            if self.lengths {
                file(
                    "density_lengths.nii.gz",
                    format!("Mean length of their ways from the seeds, mm, of {tract}"),
                    "Mean distance from the seed along the streamline, mm",
                );
            }
            file("waytotal", format!("Accepted streamlines of {tract}"), "Number of accepted streamlines");
        }
        let mut file = |name: &str, title: String, content: &'static str| {
            files.push(OutputFile::file(self.of_both(name), title).with_content(content));
        };
        if self.both_directions {
            let title = format!("Streamlines of {tract} that pass each voxel, both ways");
            file("sum_density.nii.gz", title, "Sum of the densities of both directions");
            let title = format!("Accepted streamlines of {tract}, both ways");
            file("sum_waytotal", title, "Number of accepted streamlines of both directions");
        }
        let title = format!("Share of the streamlines of {tract} that pass each voxel");
        file("densityNorm.nii.gz", title, "Fraction of all accepted streamlines that pass each voxel");
        let title = format!("The same, 0 below the threshold, of {tract}");
        file("densityNorm_thresholded.nii.gz", title, "The fraction of densityNorm, 0 below the threshold");
        files
    }
}

/// Returns the output files of all tracts. `anatomy` is the name of the image on which the report draws
/// streamlines.
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
        OutputFile::shown(STREAMLINES, "Some streamlines of each tract", Kind::Streamlines { weights: None })
            .with_content("Up to 200 streamlines of each tract, one group per tract"),
        OutputFile::shown(STRONGEST, "Tracts", Kind::Map(strongest))
            .with_caption("The tract with the largest fraction of its streamlines in a voxel.")
            .with_content("Number of the tract with the largest densityNorm in each voxel, 0 if all are below the threshold"),
        OutputFile::file(NAMES, "Names of the tracts")
            .with_content("Names of the tracts by number, in alphabetical order"),
        OutputFile::file(STATISTICS, "Streamlines, volume, length and values of each tract").with_content(
            "tract, followed, accepted, volume_mm3 (voxels of the scan with at least the threshold) and mean_length_mm of each \
             tract, n/a if a tract is not in the scan. For each image of the tract maps also NAME_mean, NAME_median and \
             NAME_standard_deviation in these voxels",
        ),
        OutputFile::shown(anatomy, "Part of the signal that is of fibres", Kind::Map(backdrop))
            .with_content("Fraction of the signal that comes from fibres"),
    ];
    if !blueprint.is_empty() {
        let surfaces = blueprint.iter().map(|path| path.display().to_string().into()).collect();
        let kind = Kind::Vertices { surfaces, quantity: "shares of the vertex".into(), places: Vec::new() };
        let file = OutputFile::shown(BLUEPRINT, "Shares of tracts at each vertex of the cortex", kind);
        files.push(file.with_content("CIFTI-2: the fraction of each tract at each vertex of the cortex"));
    }
    for protocol in protocols {
        files.extend(TractFiles::new(protocol, lengths).all(&protocol.name));
    }
    files
}
