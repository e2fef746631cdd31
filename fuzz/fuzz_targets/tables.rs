//! Reads tables of numbers and names.

#![no_main]

use arcuate_core::Measure;
use std::path::Path;

const NAMES: &[&[&str]] = &[&["a.txt"], &["a.csv"], &["a.tsv"], &["a.json"]];

arcuate_fuzz::target!(NAMES, |path: &Path| {
    let _ = arcuate_io::read_label_names(path);
    let _ = arcuate_io::read_numbers(path);
    let _ = arcuate_io::read_triples(path, "points");
    let _ = arcuate_io::read_weights(path);
    let _ = arcuate_io::read_axis_csv(path);
    let _ = arcuate_io::read_axis_tsv(path);
    let _ = arcuate_io::read_dot(path, Measure::Count);
});
