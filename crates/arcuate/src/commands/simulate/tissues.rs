//! Files with the true tissue fractions of a simulated brain.

use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use arcuate_core::Result;
use arcuate_io::{write_image, write_response};
use arcuate_phantom::TissueTruth;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output_files::FIVE_TISSUES;

/// Returns the additional files of a brain with tissues.
pub(super) fn output_files() -> Vec<OutputFile> {
    vec![
        OutputFile::file("truth_5tt.nii.gz", "Fractions of five tissues").with_content(FIVE_TISSUES),
        OutputFile::file("truth_bias.nii.gz", "Bias field that multiplies the signal"),
        OutputFile::file("truth_fod.nii.gz", "Orientations of fibres, MRtrix's harmonics up to degree 8")
            .with_content("Fibre orientations: 45 coefficients of MRtrix's spherical harmonics"),
        OutputFile::file("truth_response_wm.txt", "Response of white matter, a line for each shell"),
        OutputFile::file("truth_response_gm.txt", "Response of grey matter"),
        OutputFile::file("truth_response_csf.txt", "Response of CSF"),
    ]
}

/// Writes the files of [`output_files`].
pub(super) fn write(folder: &OutputFolder, truth: &TissueTruth, job: &Job) -> Result<()> {
    let options = job.image_options();
    write_image(&folder.file("truth_5tt.nii.gz"), truth.five_tissues.image(), &options)?;
    write_image(&folder.file("truth_bias.nii.gz"), &truth.bias, &options)?;
    write_image(&folder.file("truth_fod.nii.gz"), &truth.orientations, &options)?;
    for (tissue, response) in [("wm", &truth.white), ("gm", &truth.grey), ("csf", &truth.csf)] {
        let path = folder.file(&format!("truth_response_{tissue}.txt"));
        write_response(&path, &response.b_values, &response.coefficients)?;
    }
    Ok(())
}
