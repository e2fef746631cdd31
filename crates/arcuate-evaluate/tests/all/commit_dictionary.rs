//! Compares products with operators that are built from `dmri-commit`'s dictionary files with `dmri-commit`'s
//! own products.
//!
//! The folder `data/commit_dictionary` has a few streamlines in an oblique image.
//! `oracles/commit_products.py` made it. If the environment variable `ARCUATE_COMMIT_PRODUCTS` names a folder
//! that this script wrote for a real scan, the test also uses that folder.

use crate::dmri_commit::{doubles, golden, kernels, places};
use arcuate_core::Orientations;
use arcuate_evaluate::commit::{
    SegmentEncoder, SegmentOptions, Segments, dictionary_operator, dictionary_segments, scanner_orientations,
};
use arcuate_io::{CommitDictionary, read_commit_dictionary, read_mask, read_triples, stream_tractogram};
use arcuate_solve::LinearOperator;
use std::collections::BTreeMap;
use std::path::Path;

fn largest_difference(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let largest = theirs.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// Compares A x and Aᵀ y with those of `dmri-commit`, entry by entry.
fn compare(folder: &Path) {
    let dictionary = read_commit_dictionary(folder).unwrap();
    let kernels = kernels(folder);
    let places = places(&dictionary, &kernels);
    let [x, y, ax, aty] = ["x", "y", "Ax", "Aty"].map(|name| doubles(&folder.join(format!("{name}.f64"))));
    let x: Vec<f64> = places.iter().map(|&place| x[place]).collect();
    let aty: Vec<f64> = places.iter().map(|&place| aty[place]).collect();

    // Both programs compute in double precision from the same single-precision numbers. `dmri-commit` also
    // rounds lengths divided by norms to single precision, with a relative error of 6e-8.
    let tolerance = 1e-7;
    let exact = dictionary_operator::<f64>(&dictionary, &kernels).unwrap();
    assert_eq!((exact.rows(), exact.columns()), (y.len(), x.len()));
    let (mut forward, mut adjoint) = (vec![0.0; y.len()], vec![0.0; x.len()]);
    exact.forward(&x, &mut forward);
    exact.adjoint(&y, &mut adjoint);
    let (a, b) = (largest_difference(&forward, &ax), largest_difference(&adjoint, &aty));
    println!("{}: A x differs by {a:.1e}, A' y by {b:.1e} of the largest entry", folder.display());
    assert!(a < tolerance && b < tolerance, "{a:e} {b:e}");
}

fn encode(folder: &Path, dictionary: &CommitDictionary) -> Segments {
    let mask = read_mask(&folder.join("mask.nii.gz")).unwrap();
    assert!(mask.grid().matches(&dictionary.grid));
    let mut encoder = SegmentEncoder::new(&mask, SegmentOptions::default()).unwrap();
    stream_tractogram(&folder.join("tracks.tck"), &mut encoder).unwrap();
    encoder.finish().unwrap().0
}

/// Compares Arcuate's length of each streamline in each voxel with that in the dictionary.
fn compare_lengths(folder: &Path) {
    let dictionary = read_commit_dictionary(folder).unwrap();
    let segments = encode(folder, &dictionary);
    let mut lengths = BTreeMap::<(u32, u32), [f64; 2]>::new();
    for (n, &voxel) in segments.voxels().iter().enumerate() {
        for segment in segments.of_voxel(n) {
            let length = segment.piece.iter().map(|&c| f64::from(c).powi(2)).sum::<f64>().sqrt();
            lengths.entry((voxel, segment.streamline)).or_default()[0] += length;
        }
    }
    for stretch in &dictionary.stretches {
        let streamline = dictionary.kept[stretch.streamline as usize];
        lengths.entry((stretch.voxel, streamline)).or_default()[1] += f64::from(stretch.length);
    }
    let total: f64 = lengths.values().map(|pair| pair[0]).sum();
    let apart: f64 = lengths.values().map(|pair| (pair[0] - pair[1]).abs()).sum();
    println!("{}: {apart:.3} mm of {total:.0} mm lie in other voxels", folder.display());
    // `dmri-commit` skips segments shorter than 1e-3 mm and computes in single precision. Its rounding errors
    // are 1e-5 mm at 100 mm, which moves points across voxel faces.
    assert!(apart < 1e-4 * total, "{apart} of {total} mm");
}

/// Compares the directions in each voxel, averaged over streamlines. It runs only for a folder that has the
/// orientations of `dmri-commit`, which may not be distributed with Arcuate.
fn compare_directions(folder: &Path) {
    let dictionary = read_commit_dictionary(folder).unwrap();
    let orientations = read_triples(&folder.join("orientations.txt"), "orientation").unwrap();
    let orientations = Orientations::new(&orientations).unwrap();
    let orientations = scanner_orientations(&orientations, &dictionary.grid).unwrap();
    let theirs = dictionary_segments(&dictionary, &orientations).unwrap().0;
    let ours = encode(folder, &dictionary);
    // The mean of d dᵀ over the length of the segments in a voxel does not depend on the signs of the
    // directions.
    let spread = |segments: &Segments, voxel: u32| {
        let mut sums = [[0.0; 3]; 3];
        if let Ok(n) = segments.voxels().binary_search(&voxel) {
            for segment in segments.of_voxel(n) {
                let piece = segment.piece.map(f64::from);
                let length = piece.iter().map(|c| c * c).sum::<f64>().sqrt();
                for (row, sums) in sums.iter_mut().enumerate() {
                    for (column, sum) in sums.iter_mut().enumerate() {
                        *sum += piece[row] * piece[column] / length;
                    }
                }
            }
        }
        sums.concat()
    };
    let (mut apart, mut all) = (0.0, 0.0);
    for &voxel in ours.voxels() {
        let (a, b) = (spread(&ours, voxel), spread(&theirs, voxel));
        apart += a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        all += a.iter().map(|a| a * a).sum::<f64>();
    }
    let apart = (apart / all).sqrt();
    println!("{}: directions differ by {apart:.4} of d dᵀ", folder.display());
    // The directions are rounded to 500 orientations, with errors of up to 3.5°. A single segment then has an
    // error of √2 sin 3.5° = 0.09.
    assert!(apart < 0.09, "{apart}");
}

#[test]
fn lengths_agree_with_dmri_commit() {
    compare_lengths(&golden());
    let Some(folder) = std::env::var_os("ARCUATE_COMMIT_PRODUCTS") else { return };
    let folder = Path::new(&folder);
    if !folder.join("tracks.tck").exists() {
        eprintln!("skipped for {}: the tractogram of the dictionary is not there", folder.display());
        return;
    }
    compare_lengths(folder);
    compare_directions(folder);
}

#[test]
fn products_agree_with_dmri_commit() {
    compare(&golden());
    if let Some(folder) = std::env::var_os("ARCUATE_COMMIT_PRODUCTS") {
        compare(Path::new(&folder));
    }
}
