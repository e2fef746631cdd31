//! Transforms as ITK's files of any format store them.

use arcuate_core::{Error, Result};
use std::path::Path;

/// A transform of points, with the numbers that ITK stores.
#[derive(Debug, Clone, PartialEq)]
pub struct ItkTransform {
    /// ITK's name for the kind of transform, without number type and dimensions, such as `AffineTransform`.
    pub kind: String,
    /// Parameters that the registration optimised: matrix elements, angles, or displacements in LPS mm.
    pub parameters: Vec<f64>,
    /// Parameters that the registration did not change: centres, or grids of displacements.
    pub fixed: Vec<f64>,
}

/// Returns the kind of a three-dimensional transform from its written name, without the suffix for number
/// type and dimensions.
pub(super) fn kind_of(path: &Path, written: &str) -> Result<String> {
    let kind = ["_double_3_3", "_float_3_3"].iter().find_map(|end| written.strip_suffix(end));
    kind.map(str::to_owned).ok_or_else(|| {
        let shown: String = written.chars().take(60).collect();
        let problem = format!("the transform `{shown}` in the file is not three-dimensional");
        Error::invalid(path.display(), problem, "give a transform between images of three dimensions")
    })
}

/// ITK's name for a composite: several transforms that are applied one after the other.
const COMPOSITE: &str = "CompositeTransform";

/// Replaces a composite transform by its parts. The parts are returned in the order in which they are applied
/// to points: the last one in the file is the first one. `kind` returns the kind of a transform. If a
/// composite contains a composite, the file does not mark where the inner one ends.
///
/// Returns an error if there is no transform, if a transform that is no composite is followed by others, or
/// if a composite is empty.
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
