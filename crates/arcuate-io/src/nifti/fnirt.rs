//! Reads the files of spline coefficients that FSL's registration program FNIRT writes. These files are NIfTI
//! images that use header fields in a non-standard way. The documentation of `fsl.transform.fnirt` in fslpy
//! lists these fields.

use super::header::FnirtFields;
use super::read::{open, read_opened};
use crate::image_errors::require_real;
use crate::image_types::RequestedValues;
use arcuate_core::{Affine, Error, Result, Volume};
use std::path::Path;

/// The content of a coefficient file of FNIRT: coefficients of three-dimensional basis functions, such as
/// splines, whose sum is a displacement field.
#[derive(Debug, Clone, PartialEq)]
pub struct FnirtCoefficients {
    /// NIfTI's intent code, which states the basis functions: 2007 for cubic splines, 2008 for cosines, 2009
    /// for quadratic splines.
    pub intent: i64,
    /// The coefficients: for each knot of the splines, three numbers for the displacement along x, y and z in
    /// FSL's millimetres. The grid of this image has one voxel per knot; its affine has no meaning.
    pub coefficients: Volume<f32>,
    /// Distance between neighbouring knots of the splines along each axis, in voxels of the displacement
    /// field.
    pub knot_spacing: [f64; 3],
    /// Number of voxels of the displacement field along each axis. It is the shape of FNIRT's reference
    /// image.
    pub field_shape: [usize; 3],
    /// Edge lengths of a voxel of the displacement field, in mm.
    pub field_sizes: [f64; 3],
    /// The affine registration with which FNIRT began. It maps coordinates of the reference image to
    /// coordinates of the source image, both in FSL's millimetres.
    pub affine: Affine,
}

/// Maximum number of voxels of a displacement field. A small coefficient file can describe a field with about
/// ten thousand times as many voxels.
const MAX_VOXELS: f64 = (1u32 << 28) as f64;
/// Maximum distance between knots in voxels.
const WIDEST_SPACING: f64 = 64.0;

/// Reads a coefficient file of FNIRT with any kind of basis functions.
///
/// Returns an error if the header of the file is not the header of a coefficient file of FNIRT.
pub fn read_fnirt_coefficients(path: &Path) -> Result<FnirtCoefficients> {
    let opened = open(path)?;
    require_real(path, opened.header.data_type, RequestedValues::Real)?;
    let (intent, fields) = (opened.header.intent, opened.header.fnirt.clone());
    let coefficients = read_opened::<f32>(path, opened, RequestedValues::Real)?.volume;
    if coefficients.channels() != 3 {
        let problem =
            format!("the image has {} volumes, but a displacement field has three", coefficients.channels());
        return Err(Error::invalid(path.display(), problem, ADVICE));
    }
    if coefficients.values().iter().any(|value| !value.is_finite()) {
        return Err(Error::invalid(path.display(), "the field has values that are not numbers", ADVICE));
    }
    let FnirtFields { intent_parameters, pixel_sizes, quaternion_offset, sform } = fields;
    let within =
        |values: [f64; 3], minimum: f64, maximum: f64| values.iter().all(|v| (minimum..=maximum).contains(v));
    if !within(pixel_sizes, 1.0, WIDEST_SPACING) {
        return Err(wrong(path, "knots", pixel_sizes, "voxels apart"));
    }
    let whole = quaternion_offset.iter().all(|size| size.fract() == 0.0);
    let voxels: f64 = quaternion_offset.iter().product();
    if !whole || !within(quaternion_offset, 1.0, MAX_VOXELS) || voxels > MAX_VOXELS {
        return Err(wrong(path, "a field of", quaternion_offset, "voxels"));
    }
    if !within(intent_parameters, 1e-3, 1e3) {
        return Err(wrong(path, "voxels of", intent_parameters, "mm"));
    }
    let affine = Affine::from_rows(sform).and_then(|affine| affine.inverse().map(|_| affine));
    Ok(FnirtCoefficients {
        intent,
        coefficients,
        knot_spacing: pixel_sizes,
        field_shape: quaternion_offset.map(|size| size as usize),
        field_sizes: intent_parameters,
        affine: affine.map_err(|e| e.about(format_args!("{} (affine)", path.display())).advise(ADVICE))?,
    })
}

/// Advice to the user if a coefficient file cannot be read.
const ADVICE: &str =
    "give FNIRT's file of coefficients as it was written, or the field of it (fnirtfileutils --withaff)";

fn wrong(path: &Path, what: &str, [x, y, z]: [f64; 3], unit: &str) -> Error {
    let problem = format!("the header states impossible spline coefficients: {what} {x}, {y} and {z} {unit}");
    Error::invalid(path.display(), problem, ADVICE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WriteOptions, write_image};
    use arcuate_core::Grid;

    const AFFINE: [[f64; 4]; 3] = [[1.0, 0.125, 0.0, 3.0], [0.0, 0.875, 0.0, -2.0], [0.0, 0.25, 1.0, 1.5]];

    /// Creates a coefficient file for tests, with a NIfTI-1 or NIfTI-2 header. `change` modifies the fields
    /// of the header.
    fn file(folder: &Path, nifti_2: bool, change: impl Fn(&mut Fields<'_>)) -> std::path::PathBuf {
        let path = folder.join("coefficients.nii");
        let grid = Grid::new([6, 5, 4], Affine::identity()).unwrap();
        let values = (0..360).map(|n| n as f32).collect();
        let options = WriteOptions { nifti_2, ..WriteOptions::default() };
        write_image(&path, &Volume::new(grid, 3, values).unwrap(), &options).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let mut fields = Fields { bytes: &mut bytes, nifti_2 };
        fields.put(if nifti_2 { 104 } else { 76 }, 1, &[5.0, 4.0, 6.0]);
        fields.put(if nifti_2 { 80 } else { 56 }, 0, &[2.0, 2.5, 3.0]);
        fields.put(if nifti_2 { 376 } else { 268 }, 0, &[14.0, 9.0, 7.0]);
        fields.put(if nifti_2 { 400 } else { 280 }, 0, AFFINE.as_flattened());
        change(&mut fields);
        bytes[if nifti_2 { 504 } else { 68 }..][..2].copy_from_slice(&2007_i16.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        path
    }

    struct Fields<'a> {
        bytes: &'a mut [u8],
        nifti_2: bool,
    }

    impl Fields<'_> {
        /// Writes numbers to a header field with several elements, starting at the element `first`.
        fn put(&mut self, field: usize, first: usize, values: &[f64]) {
            for (n, value) in values.iter().enumerate() {
                let n = n + first;
                if self.nifti_2 {
                    self.bytes[field + 8 * n..][..8].copy_from_slice(&value.to_le_bytes());
                } else {
                    self.bytes[field + 4 * n..][..4].copy_from_slice(&(*value as f32).to_le_bytes());
                }
            }
        }
    }

    #[test]
    fn header_fields_are_interpreted_as_in_fnirt() {
        let folder = tempfile::tempdir().unwrap();
        for nifti_2 in [false, true] {
            let read = read_fnirt_coefficients(&file(folder.path(), nifti_2, |_| ())).unwrap();
            assert_eq!((read.intent, read.field_shape), (2007, [14, 9, 7]));
            assert_eq!((read.knot_spacing, read.field_sizes), ([5.0, 4.0, 6.0], [2.0, 2.5, 3.0]));
            assert_eq!(read.affine.rows(), AFFINE);
            assert_eq!(read.coefficients.grid().shape(), [6, 5, 4]);
            assert_eq!(read.coefficients.voxel(7), [21.0, 22.0, 23.0]);
        }
    }

    #[test]
    fn impossible_fields_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let problem = |field: usize, first: usize, value: f64| {
            let path = file(folder.path(), false, |fields| fields.put(field, first, &[value]));
            read_fnirt_coefficients(&path).unwrap_err().problem().to_owned()
        };
        let claims = "the header states impossible spline coefficients:";
        assert_eq!(problem(76, 2, 0.0), format!("{claims} knots 5, 0 and 6 voxels apart"));
        assert_eq!(problem(76, 1, 1e9), format!("{claims} knots 1000000000, 4 and 6 voxels apart"));
        assert_eq!(problem(268, 0, 1e9), format!("{claims} a field of 1000000000, 9 and 7 voxels"));
        assert_eq!(problem(268, 1, 9.5), format!("{claims} a field of 14, 9.5 and 7 voxels"));
        assert_eq!(problem(268, 1, f64::NAN), format!("{claims} a field of 14, NaN and 7 voxels"));
        // A displacement field is rejected if it has far more voxels than its coefficient file has knots.
        assert_eq!(problem(268, 2, 4e6), format!("{claims} a field of 14, 9 and 4000000 voxels"));
        assert_eq!(problem(56, 0, 0.0), format!("{claims} voxels of 0, 2.5 and 3 mm"));
        // This change makes the first two rows of the sform equal, so that it cannot be inverted.
        assert!(problem(280, 5, 0.0).contains("linearly dependent"));
        assert!(problem(280, 5, f64::INFINITY).contains("not numbers"));
        assert_eq!(problem(352, 30, f64::NAN), "the field has values that are not numbers");
    }
}
