//! Reads transforms between spaces in the formats of ITK and FNIRT.

#![no_main]

use std::path::Path;

const NAMES: &[&[&str]] = &[&["a.txt"], &["a.mat"], &["a.h5"], &["a.nii"]];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::is_itk_transform(path);
    let _ = arcuate_io::read_itk_transforms(path);
    let _ = arcuate_io::read_fnirt_coefficients(path);
    let _ = arcuate_io::read_numbers(path);
});
