//! Parts of the names of matrix files.

use arcuate_core::Measure;
use std::path::Path;

/// Returns the stem of a file name (the name without extension), and two shorter stems. The shorter stems
/// lack the last word and the last two words, which `_` separates. Each stem is returned with the words that
/// it lacks.
pub(super) fn stems(path: &Path) -> Vec<(String, String)> {
    let whole = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut stems = vec![(whole.clone(), String::new())];
    for (at, _) in whole.rmatch_indices('_').take(2) {
        stems.push((whole[..at].to_owned(), whole[at + 1..].to_owned()));
    }
    stems
}

/// Returns the measure that a file name states after its last `_` (`x_lengths.dot`, `x_mean_fa.npz`). If the
/// name states no measure, the measure is the number of streamlines.
pub(super) fn measure_of(path: &Path) -> Measure {
    let named = stems(path).into_iter().rev().find_map(|(_, word)| Measure::of_word(&word));
    named.unwrap_or(Measure::Count)
}
