//! Transforms in ITK's files of any format.

use arcuate_core::{Error, Result};
use std::path::Path;

/// A transform of points as stored by ITK.
#[derive(Debug, Clone, PartialEq)]
pub struct ItkTransform {
    /// ITK's name of its kind, without number type and dimensions: `AffineTransform`.
    pub kind: String,
    /// Parameters optimised by registration: matrix elements, angles, displacements in LPS mm.
    pub parameters: Vec<f64>,
    /// Fixed parameters: centres, grids of displacements.
    pub fixed: Vec<f64>,
}

/// The name of a kind in three dimensions, without the suffix for number type and dimensions.
pub(super) fn kind_of(path: &Path, written: &str) -> Result<String> {
    let kind = ["_double_3_3", "_float_3_3"].iter().find_map(|end| written.strip_suffix(end));
    kind.map(str::to_owned).ok_or_else(|| {
        let shown: String = written.chars().take(60).collect();
        let problem = format!("its transform `{shown}` is not three-dimensional");
        Error::invalid(path.display(), problem, "give a transform between images of three dimensions")
    })
}

/// ITK's name of several transforms, one after the other.
const COMPOSITE: &str = "CompositeTransform";

/// Replaces a composite by its transforms, for any representation of a transform with a `kind`. They are in
/// the order of application to points: the last one in the file is first. Composites inside composites have
/// no end mark in such files.
///
/// Returns an error if there is no transform, if a non-composite transform is followed by others, or if a
/// composite is empty.
pub(super) fn in_order<T>(path: &Path, mut written: Vec<T>, kind: impl Fn(&T) -> &str) -> Result<Vec<T>> {
    let fail = |problem: &str| Err(Error::invalid(path.display(), problem, "write the transform again"));
    let composites = written.iter().filter(|one| kind(one) == COMPOSITE).count();
    match (written.len(), written.first().is_some_and(|first| kind(first) == COMPOSITE)) {
        (0, _) => fail("it holds no transform"),
        (1, false) => Ok(written),
        (_, false) => fail("it holds several transforms without saying that they are one (a composite)"),
        (1, true) => fail("its composite transform consists of nothing"),
        (_, true) if composites > 1 => fail("it holds a composite transform in another"),
        (_, true) => {
            written.remove(0);
            written.reverse();
            Ok(written)
        }
    }
}
