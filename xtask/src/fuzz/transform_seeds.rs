//! Transforms between spaces, in the formats of FLIRT, FNIRT and ITK. They hardly move any point.

use crate::process;
use std::fs;

/// Returns the name and the content of each file. Displacement fields are created from `three`, a NIfTI-1
/// image with three volumes.
pub(super) fn transform_seeds(three: &[u8]) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    // SimpleITK wrote this file. It contains a matrix and a small displacement field.
    let composite = process::root().join("crates/arcuate-io/tests/itk_composite.h5");
    let composite = fs::read(&composite).map_err(|e| format!("{}: {e}", composite.display()))?;
    Ok(vec![
        ("affine.txt", AFFINE.into()),
        ("affine.mat", matlab()),
        ("flirt.mat", "1 0 0 2\n0 1 0.01 0\n0 0 1 0\n0 0 0 1\n".into()),
        ("composite.h5", composite),
        ("warp.nii", warp(three)),
        ("displacements.nii", displacements(three)),
        ("coefficients.nii", coefficients(three)),
    ])
}

const AFFINE: &str = "#Insight Transform File V1.0\n#Transform 0\nTransform: CompositeTransform_double_3_3\n#Transform 1\n\
                      Transform: AffineTransform_double_3_3\nParameters: 1.01 0 0 0 1 0.02 0 0 1 1 -1 0.5\n\
                      FixedParameters: 1 2 3\n#Transform 2\nTransform: Euler3DTransform_double_3_3\n\
                      Parameters: 0.01 0.02 -0.01 0 0 1\nFixedParameters: 0 0 0 0\n";

/// Returns a matrix file in MATLAB's format, level 4. Its header has the type, the rows, the columns, a flag
/// for complex numbers, and the length of the name in bytes.
fn matlab() -> Vec<u8> {
    let vector = |name: &[u8], values: &[f64]| {
        let head = [0, values.len() as u32, 1, 0, name.len() as u32];
        let head = head.into_iter().flat_map(u32::to_le_bytes).chain(name.iter().copied());
        head.chain(values.iter().flat_map(|value| value.to_le_bytes())).collect::<Vec<u8>>()
    };
    let entries = [1.01, 0.0, 0.0, 0.0, 1.0, 0.02, 0.0, 0.0, 1.0, 1.0, -1.0, 0.5];
    [vector(b"AffineTransform_double_3_3\0", &entries), vector(b"fixed\0", &[1.0, 2.0, 3.0])].concat()
}

fn put(bytes: &mut [u8], at: usize, values: &[f32]) {
    for (n, value) in values.iter().enumerate() {
        bytes[at + 4 * n..][..4].copy_from_slice(&value.to_le_bytes());
    }
}

/// Sets the intent in the header of an image with signals of several hundreds. Scales the signals to
/// displacements of some tenths of a millimetre.
fn displacements(three: &[u8]) -> Vec<u8> {
    let mut bytes = three.to_vec();
    bytes[68..70].copy_from_slice(&2006_i16.to_le_bytes());
    put(&mut bytes, 112, &[1e-3, 0.0]);
    bytes
}

/// Returns a displacement field in ITK's format, which has the vectors in the fifth dimension.
fn warp(three: &[u8]) -> Vec<u8> {
    let mut bytes = displacements(three);
    bytes[68..70].copy_from_slice(&1007_i16.to_le_bytes());
    for (place, size) in [(40, 5_i16), (48, 1), (50, 3)] {
        bytes[place..place + 2].copy_from_slice(&size.to_le_bytes());
    }
    bytes
}

/// Returns spline coefficients in FNIRT's format, with knots three voxels apart, and the size of the field
/// that they cover.
fn coefficients(three: &[u8]) -> Vec<u8> {
    let mut bytes = displacements(three);
    bytes[68..70].copy_from_slice(&2007_i16.to_le_bytes());
    put(&mut bytes, 80, &[3.0; 3]);
    put(&mut bytes, 56, &[8.0 / 3.0; 3]);
    let sizes = [0, 1, 2].map(|axis| i16::from_le_bytes([three[42 + 2 * axis], three[43 + 2 * axis]]));
    put(&mut bytes, 268, &sizes.map(|knots| f32::from(3 * (knots - 4) + 1)));
    put(&mut bytes, 280, &[1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bytes
}
