//! Tractography protocols (seeds, waypoints and other regions) for the bundles of a simulated brain, as files
//! in XTRACT's layout.

use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use arcuate_core::{Affine, Mask, Result};
use arcuate_io::{write_file, write_image};
use arcuate_phantom::{Protocol, protocols, standard_space};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::transforms::fsl_millimetres_of;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Folder of the protocols in the folder of the brain.
const FOLDER: &str = "protocols";
/// File of the transform from the standard space to the brain.
const TRANSFORM: &str = "protocols/standard2diff.mat";
const LIST: &str = "protocols/structureList";
/// Number of streamlines per seed voxel, in thousands.
const THOUSANDS: &str = "1";

/// Returns the masks of a protocol with their names, and the name of its flag file.
fn files(protocol: &Protocol) -> (Vec<(String, &Mask)>, Option<String>) {
    let name = |of: &str| format!("{FOLDER}/{}/{of}", protocol.name);
    let mut masks = vec![(name("seed.nii.gz"), &protocol.seed), (name("stop.nii.gz"), &protocol.stop)];
    masks.extend(protocol.exclude.as_ref().map(|mask| (name("exclude.nii.gz"), mask)));
    match protocol.targets.as_slice() {
        [target] => masks.push((name("target.nii.gz"), target)),
        several => {
            let numbered = (1..).zip(several);
            masks.extend(numbered.map(|(n, target)| (name(&format!("target{n}.nii.gz")), target)));
        }
    }
    (masks, protocol.both_ways.then(|| name("invert")))
}

/// Protocols of a brain; the bundles are the same in every brain.
pub(super) struct Protocols {
    all: Vec<Protocol>,
}

impl Protocols {
    /// Creates the protocols.
    pub(super) fn new() -> Result<Self> {
        Ok(Self { all: protocols()? })
    }

    /// Returns the files as listed in the record.
    pub(super) fn output_files(&self) -> Vec<OutputFile> {
        let mut output_files = vec![
            OutputFile::file(LIST, "Bundles that have a protocol, in the format of XTRACT's list"),
            OutputFile::file(
                TRANSFORM,
                "Transform from the standard space to the brain, in the format of FLIRT",
            ),
        ];
        for protocol in &self.all {
            let (masks, flag) = files(protocol);
            for (name, _) in masks {
                output_files
                    .push(OutputFile::file(name, format!("Mask of the protocol of {}", protocol.name)));
            }
            output_files.extend(
                flag.map(|flag| OutputFile::file(flag, "Flag: the bundle is tracked in both directions")),
            );
        }
        output_files
    }

    /// Writes the protocols. `dwi` is the existing image of the brain.
    pub(super) fn write(&self, folder: &OutputFolder, dwi: &Path, job: &Job) -> Result<()> {
        let options = job.image_options();
        let (_, to_brain) = standard_space()?;
        let mut list = String::new();
        let mut first: Option<PathBuf> = None;
        for protocol in &self.all {
            folder.create_below(&Path::new(FOLDER).join(&protocol.name))?;
            let (masks, flag) = files(protocol);
            for (name, mask) in masks {
                let path = folder.file(&name);
                write_image(&path, &mask.to_volume(), &options)?;
                first.get_or_insert(path);
            }
            flag.map_or(Ok(()), |flag| write_file(&folder.file(&flag), ""))?;
            // Writing to a string cannot fail.
            let _ = writeln!(list, "{} {THOUSANDS}", protocol.name);
        }
        write_file(&folder.file(LIST), list)?;
        if let Some(masks) = first {
            // A matrix of FLIRT maps millimetres of one image to millimetres of another image.
            let matrix =
                fsl_millimetres_of(dwi)?.after(&to_brain).after(&fsl_millimetres_of(&masks)?.inverse()?);
            write_file(&folder.file(TRANSFORM), text(&matrix))?;
        }
        Ok(())
    }
}

/// Returns four rows of four numbers.
fn text(matrix: &Affine) -> String {
    let row = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join("  ") + "\n";
    matrix.rows().iter().map(|numbers| row(numbers)).collect::<String>() + &row(&[0.0, 0.0, 0.0, 1.0])
}
