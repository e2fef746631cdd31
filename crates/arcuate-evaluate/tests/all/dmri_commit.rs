//! Reads the files that the scripts `oracles/commit_*.py` write of `dmri-commit`'s problems.

use arcuate_evaluate::Dictionary;
use arcuate_evaluate::commit::Kernels;
use arcuate_io::CommitDictionary;
use std::path::{Path, PathBuf};

/// Returns the folder of the problem with a few streamlines, which is in `data`.
pub(crate) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/commit_dictionary")
}

fn singles(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    bytes.as_chunks().0.iter().map(|&four| f64::from(f32::from_le_bytes(four))).collect()
}

/// Reads a file of little-endian numbers in double precision without a header.
pub(crate) fn doubles(path: &Path) -> Vec<f64> {
    std::fs::read(path).unwrap().as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect()
}

/// Reads the response functions in the form in which `dmri-commit` uses them.
pub(crate) fn kernels(folder: &Path) -> Kernels {
    let text = std::fs::read_to_string(folder.join("shape.txt")).unwrap();
    let shape: Vec<usize> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [intra, extra, isotropic, orientations, samples] = shape.try_into().unwrap();
    let oriented = |name: &str, count: usize| -> Vec<Dictionary> {
        let values = singles(&folder.join(name));
        assert_eq!(values.len(), count * orientations * samples);
        let kernel = |values: &[f64]| Dictionary::new(samples, values.to_vec()).unwrap();
        values.chunks(orientations * samples).map(kernel).collect()
    };
    let rows = singles(&folder.join("iso.f32"));
    assert_eq!(rows.len(), isotropic * samples);
    Kernels {
        intra: oriented("wmr.f32", intra),
        extra: oriented("wmh.f32", extra),
        isotropic: (isotropic > 0).then(|| Dictionary::new(samples, rows).unwrap()),
    }
}

/// Returns, for each of Arcuate's unknowns, its index among the unknowns of `dmri-commit`. In `dmri-commit`,
/// all unknowns of one response come before those of the next.
pub(crate) fn places(dictionary: &CommitDictionary, kernels: &Kernels) -> Vec<usize> {
    let mut places = Vec::new();
    for (items, responses) in [
        (dictionary.kept.len(), kernels.intra.len()),
        (dictionary.peaks.len(), kernels.extra.len()),
        (dictionary.isotropic.len(), kernels.isotropic.as_ref().map_or(0, Dictionary::atoms)),
    ] {
        let before = places.len();
        places.extend((0..items).flat_map(|item| (0..responses).map(move |j| before + j * items + item)));
    }
    places
}
