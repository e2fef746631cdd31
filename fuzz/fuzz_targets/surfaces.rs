//! Reads surfaces and values at their vertices in every format.

#![no_main]

use std::path::Path;

const NAMES: &[&[&str]] =
    &[&["a.gii"], &["a.vtk"], &["a.asc"], &["lh.white"], &["lh.thickness"], &["lh.parts.annot"]];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::read_surface_file(path);
});
