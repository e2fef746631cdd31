//! ITK matrix transforms. A point x is mapped to M·(x − c) + c + t in LPS mm, with the matrix M, the centre c
//! and the translation t. This is described in the ITK Software Guide, book 2, “Transforms”.

use arcuate_core::{Affine, Error, Result};
use arcuate_io::ItkTransform;
use std::path::Path;

/// Returns the transform from LPS mm to RAS mm. It is also the transform from RAS mm to LPS mm.
pub(super) fn flipped() -> Affine {
    Affine::scaling([-1.0, -1.0, 1.0], [0.0; 3])
}

/// Converts a mapping in LPS mm to the same mapping in RAS mm.
pub(super) fn to_ras(affine: &Affine) -> Affine {
    flipped().after(&affine.after(&flipped()))
}

type Matrix = [[f64; 3]; 3];

/// Returns the transform in RAS mm.
///
/// Returns an error if the type of the transform is not supported as a matrix, or if the number of its
/// parameters is wrong.
pub(super) fn matrix_of(path: &Path, transform: &ItkTransform) -> Result<Affine> {
    let ItkTransform { kind, parameters, fixed } = transform;
    let wrong = || {
        let problem = format!(
            "the transform of type {kind} has {} parameters and {} fixed parameters, which is not possible",
            parameters.len(),
            fixed.len()
        );
        Error::invalid(path.display(), problem, "write the transform again")
    };
    let (matrix, translation) = match (kind.as_str(), parameters.as_slice()) {
        ("IdentityTransform", []) => (scaling([1.0; 3]), [0.0; 3]),
        ("TranslationTransform", &[x, y, z]) => (scaling([1.0; 3]), [x, y, z]),
        ("ScaleTransform", &[x, y, z]) => (scaling([x, y, z]), [0.0; 3]),
        ("VersorTransform", &[a, b, c]) => (versor(path, [a, b, c])?, [0.0; 3]),
        ("VersorRigid3DTransform", &[a, b, c, x, y, z]) => (versor(path, [a, b, c])?, [x, y, z]),
        ("Similarity3DTransform", &[a, b, c, x, y, z, scale]) => {
            (versor(path, [a, b, c])?.map(|row| row.map(|value| scale * value)), [x, y, z])
        }
        ("Euler3DTransform", &[a, b, c, x, y, z]) => {
            let is_zyx = fixed.get(3).is_some_and(|&flag| flag != 0.0);
            (euler([a, b, c], is_zyx), [x, y, z])
        }
        ("AffineTransform" | "MatrixOffsetTransformBase", &[a, b, c, d, e, f, g, h, i, x, y, z]) => {
            ([[a, b, c], [d, e, f], [g, h, i]], [x, y, z])
        }
        (
            "IdentityTransform"
            | "TranslationTransform"
            | "ScaleTransform"
            | "VersorTransform"
            | "VersorRigid3DTransform"
            | "Similarity3DTransform"
            | "Euler3DTransform"
            | "AffineTransform"
            | "MatrixOffsetTransformBase",
            _,
        ) => return Err(wrong()),
        _ => {
            let problem = format!("the file contains a transform of type {kind}, which is not supported");
            let advice =
                "make it a matrix or a field: antsApplyTransforms -d 3 -r IMAGE -t FILE -o [FIELD,1]";
            return Err(Error::invalid(path.display(), problem, advice));
        }
    };
    let has_centre = !matches!(kind.as_str(), "IdentityTransform" | "TranslationTransform");
    let centre = match (has_centre, fixed.as_slice()) {
        (false, []) => [0.0; 3],
        (true, &[x, y, z]) => [x, y, z],
        // The fixed parameters of an Euler transform can end with a flag for the order of its rotations.
        (true, &[x, y, z, _]) if kind == "Euler3DTransform" => [x, y, z],
        _ => return Err(wrong()),
    };
    let rows = std::array::from_fn(|r| {
        let row = matrix[r];
        let moved = (0..3).map(|c| row[c] * centre[c]).sum::<f64>();
        [row[0], row[1], row[2], translation[r] + centre[r] - moved]
    });
    Affine::from_rows(rows).map(|affine| to_ras(&affine)).map_err(|e| e.about(path.display()))
}

fn scaling([x, y, z]: [f64; 3]) -> Matrix {
    [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
}

fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

/// Returns the product of the rotations about the x, y and z axes by the given angles. It is z·y·x if
/// `is_zyx` is true, and z·x·y if not.
fn euler([x, y, z]: [f64; 3], is_zyx: bool) -> Matrix {
    let [(sx, cx), (sy, cy), (sz, cz)] = [x, y, z].map(f64::sin_cos);
    let x = [[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]];
    let y = [[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]];
    let z = [[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]];
    if is_zyx { product(z, product(y, x)) } else { product(z, product(x, y)) }
}

/// Returns the rotation matrix of a unit quaternion, from its vector part. The scalar part follows from the
/// norm 1 and is not negative.
fn versor(path: &Path, [x, y, z]: [f64; 3]) -> Result<Matrix> {
    let rest = 1.0 - (x * x + y * y + z * z);
    // For a rotation by 180°, the squared norm of the vector part can be slightly above 1, because text files
    // contain rounded numbers.
    if rest < -1e-6 {
        let problem = "its rotation is none: the versor is longer than 1";
        return Err(Error::invalid(path.display(), problem, "write the transform again"));
    }
    let w = rest.max(0.0).sqrt();
    Ok([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ])
}
