//! The lengths of the axes of an array of k-space samples or voxels. Two arrays whose elements belong
//! together must have the same axes.

use arcuate_core::{Error, Result};
use std::path::Path;

/// Lengths of the axes, first axis fastest. Axes of length 1 are omitted, because they do not change the
/// order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axes(Vec<usize>);

impl Axes {
    pub(super) fn new(lengths: &[usize]) -> Self {
        Self(lengths.iter().copied().filter(|&length| length != 1).collect())
    }

    fn count(&self) -> usize {
        self.0.iter().product()
    }

    fn is_flat(&self) -> bool {
        self.0.len() <= 1
    }

    /// Returns an error if the axes `found` of the `what` in file `path` differ from these axes of file
    /// `own`. A flat list with the right number of elements has no stated order; it is used as stored, with a
    /// warning.
    pub(super) fn require(&self, found: &Self, own: &Path, path: &Path, what: &str) -> Result<()> {
        if found == self {
            return Ok(());
        }
        let (path, own) = (path.display(), own.display());
        if found.count() == self.count() && (found.is_flat() || self.is_flat()) {
            let (flat, of_flat, other) =
                if found.is_flat() { (&path, &own, self) } else { (&own, &path, found) };
            tracing::warn!(
                "{flat}: this one-dimensional array is read as {other} {what}, as in {of_flat}, with the first axis \
                 fastest. If its values have another order, write it as an array with these axes"
            );
            return Ok(());
        }
        let problem = format!("it has {found} {what}, {own} has {self}");
        let mut sorted = [found.0.clone(), self.0.clone()];
        for lengths in &mut sorted {
            lengths.sort_unstable();
        }
        let advice = if sorted[0] == sorted[1] {
            "the axes of one of them are in another order: transpose it (bart transpose, numpy.transpose)"
        } else {
            "give two files that belong together, with the same axes"
        };
        Err(Error::invalid(path, problem, advice))
    }
}

impl std::fmt::Display for Axes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&if self.0.is_empty() { "1".to_owned() } else { by(&self.0) })
    }
}

/// Returns lengths as text, such as `128 × 64`.
pub(super) fn by(lengths: &[usize]) -> String {
    lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn require(found: &[usize], expected: &[usize]) -> std::result::Result<(), String> {
        let done = Axes::new(expected).require(&Axes::new(found), Path::new("t"), Path::new("k"), "samples");
        done.map_err(|error| error.to_string())
    }

    #[test]
    fn singleton_axes_are_ignored_and_flat_lists_are_rejected() {
        for (found, expected) in [
            (&[1, 48, 40][..], &[48, 40][..]),
            (&[48, 40, 1], &[48, 1, 40]),
            (&[1, 1920], &[1920]),
            (&[1], &[1, 1]),
            // One of the two arrays is flat.
            (&[1, 1920], &[48, 40]),
            (&[48, 40], &[1920]),
        ] {
            assert_eq!(require(found, expected), Ok(()), "{found:?} {expected:?}");
        }
        assert_eq!(
            require(&[1, 48, 40], &[40, 48]).unwrap_err(),
            "k: it has 48 × 40 samples, t has 40 × 48; the axes of one of them are in another order: transpose it (bart \
             transpose, numpy.transpose)"
        );
        let other = "; give two files that belong together, with the same axes";
        for (found, expected, problem) in [
            (&[1, 48, 40][..], &[48, 41][..], "k: it has 48 × 40 samples, t has 48 × 41"),
            (&[1, 48, 40], &[24, 80], "k: it has 48 × 40 samples, t has 24 × 80"),
            (&[1919], &[48, 40], "k: it has 1919 samples, t has 48 × 40"),
            (&[1], &[48, 40], "k: it has 1 samples, t has 48 × 40"),
            (&[48, 4, 10], &[48, 40], "k: it has 48 × 4 × 10 samples, t has 48 × 40"),
        ] {
            assert_eq!(require(found, expected).unwrap_err(), format!("{problem}{other}"));
        }
    }
}
