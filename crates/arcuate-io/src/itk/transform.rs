//! A spatial transform as the files of ITK store it, and the order of several transforms.

use arcuate_core::{Error, Result};
use std::path::Path;

/// A spatial transform that maps points, with the numbers that ITK stores for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ItkTransform {
    /// ITK's name for the kind of transform, such as `AffineTransform`, without the number type and the
    /// number of dimensions.
    pub kind: String,
    /// The parameters of the transform that the registration optimised: matrix elements, angles, or
    /// displacements in mm (LPS axes).
    pub parameters: Vec<f64>,
    /// The parameters of the transform that the registration did not change: the centre of rotation, or the
    /// grid of a displacement field.
    pub fixed: Vec<f64>,
}

/// Returns the kind of a transform from its name in the file, without the suffix for number type and
/// dimensions. The transform must be three-dimensional.
pub(super) fn kind_of(path: &Path, written: &str) -> Result<String> {
    let kind = ["_double_3_3", "_float_3_3"].iter().find_map(|end| written.strip_suffix(end));
    kind.map(str::to_owned).ok_or_else(|| {
        let shown: String = written.chars().take(60).collect();
        let problem = format!("the transform `{shown}` in the file is not three-dimensional");
        Error::invalid(path.display(), problem, "give a transform between images of three dimensions")
    })
}

/// ITK's name for a composite transform, which consists of several transforms that are applied one after the
/// other.
const COMPOSITE: &str = "CompositeTransform";

/// Replaces a composite transform by the transforms of which it consists. They are returned in the order in
/// which they are applied to points: the last transform in the file is applied first. `kind` returns the kind
/// of a transform. A composite transform inside another one is an error, because the file does not mark where
/// the inner one ends.
///
/// Returns an error if the file has no transform, or if it has several transforms that do not form a
/// composite transform. Also returns an error if a composite transform consists of no transforms.
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
