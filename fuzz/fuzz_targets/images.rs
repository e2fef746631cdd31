//! Reads images in every format.

#![no_main]

use arcuate_core::Affine;
use std::path::Path;

const NAMES: &[&[&str]] = &[
    &["a.nii"],
    &["a.nii.gz"],
    &["a.mif"],
    &["a.mif.gz"],
    &["a.mgh"],
    &["a.mgz"],
    &["a.hdr", "a.img"],
    &["a.mih", "a.dat"],
];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::describe_image(path);
    let _ = arcuate_io::read_image(path);
    let _ = arcuate_io::read_labels(path);
    let _ = arcuate_io::read_components::<f64>(path);
    let _ = arcuate_io::read_gradients(path, &Affine::identity(), None);
});
