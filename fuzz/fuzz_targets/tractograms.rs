//! Reads streamlines in every format.

#![no_main]

use std::path::Path;

const NAMES: &[&[&str]] = &[&["a.tck"], &["a.tck.gz"], &["a.trk"], &["a.trk.gz"], &["a.trx"]];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::describe_tractogram(path);
    let _ = arcuate_io::read_tractogram_grid(path);
    let _ = arcuate_io::read_tractogram(path);
});
