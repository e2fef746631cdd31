//! Writes several images at the same time.

use crate::job::Job;
use crate::output::OutputFolder;
use arcuate_core::{Result, Volume};
use arcuate_io::write_image;
use rayon::prelude::*;

/// Writes images in parallel. Each image is given with its file name in the folder of results.
pub fn write_images(folder: &OutputFolder, images: &[(&str, &Volume<f32>)], job: &Job) -> Result<()> {
    let options = job.image_options();
    let write = |(name, image): &(&str, &Volume<f32>)| {
        write_image(&folder.file(&format!("{name}.nii.gz")), image, &options)
    };
    images.par_iter().map(write).collect()
}
