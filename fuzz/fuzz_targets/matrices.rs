//! Reads matrices, arrays and CIFTI-2 files in every format.

#![no_main]

use arcuate_io::CiftiFile;
use std::path::Path;

const CIFTI: &[&[&str]] = &[&["a.dscalar.nii"], &["a.dlabel.nii"], &["a.pconn.nii"]];
const NAMES: &[&[&str]] = &[
    CIFTI[0],
    CIFTI[1],
    CIFTI[2],
    &["a.csv"],
    &["a.npz"],
    &["a.npy"],
    &["a.dot"],
    &["a_1.mtx", "a_2.mtx", "a_3.mtx"],
    &["a.hdr", "a.cfl"],
];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::read_matrix(path);
    let _ = arcuate_io::read_matrix_csv(path);
    let _ = arcuate_io::read_complex_array(&path.with_extension(match path.extension() {
        Some(ending) if ending == "hdr" => "cfl".as_ref(),
        ending => ending.unwrap_or_default(),
    }));
    if let Ok(file) = CiftiFile::open(path) {
        let mut row = vec![0.0; file.columns().len()];
        let _ = (0..file.rows().len()).try_for_each(|n| file.read_row(n, &mut row));
    }
});
