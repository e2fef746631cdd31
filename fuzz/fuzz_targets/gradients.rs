//! Reads gradient tables in every format.

#![no_main]

use arcuate_core::Affine;
use arcuate_io::GradientReading;
use std::path::Path;

const NAMES: &[&[&str]] = &[&["a.bval", "a.bvec"], &["a.b"], &["a.scheme"], &["a.prtcl"]];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    for measurements in [None, Some(9)] {
        if let Ok(stored) = arcuate_io::read_gradients(path, &Affine::identity(), measurements) {
            let _ = stored.table(&GradientReading::default());
        }
    }
});
