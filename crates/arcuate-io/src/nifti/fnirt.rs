//! FNIRT's files of spline coefficients: NIfTI images whose headers say other things in fields of their own (the documentation of
//! `fsl.transform.fnirt` in fslpy lists them).

use super::header::FnirtFields;
use super::read::{open, read_opened};
use crate::image_errors::require_real;
use crate::image_types::Wanted;
use arcuate_core::{Affine, Error, Result, Volume};
use std::path::Path;

/// Coefficients of splines in three dimensions, whose sum is a field of displacements.
#[derive(Debug, Clone, PartialEq)]
pub struct FnirtCoefficients {
    /// NIfTI's intent: 2007 for cubic splines, 2008 for cosines, 2009 for quadratic splines.
    pub intent: i64,
    /// Three for each knot: x, y and z in FSL's mm. Its lattice is that of the knots and its affine means nothing.
    pub coefficients: Volume<f32>,
    /// Voxels of the field from a knot to the next.
    pub knot_spacing: [f64; 3],
    /// Voxels of the field, which are those of FNIRT's reference image.
    pub field_shape: [usize; 3],
    /// Their edge lengths in mm.
    pub field_sizes: [f64; 3],
    /// The registration that FNIRT began with: FSL's mm of the image that the field leads to, to those of the one it comes from.
    pub affine: Affine,
}

/// Voxels beyond which no field is: what is expanded may be some ten thousand times larger than its file.
const MOST_VOXELS: f64 = (1u32 << 28) as f64;
/// Voxels between knots beyond which nobody places them.
const WIDEST_SPACING: f64 = 64.0;

/// Reads them, whatever the kind of their functions.
///
/// Fails where the header's fields are none of such a file.
pub fn read_fnirt_coefficients(path: &Path) -> Result<FnirtCoefficients> {
    let opened = open(path)?;
    require_real(path, opened.header.data_type, Wanted::Real)?;
    let (intent, fields) = (opened.header.intent, opened.header.fnirt.clone());
    let coefficients = read_opened::<f32>(path, opened, Wanted::Real)?.volume;
    if coefficients.channels() != 3 {
        let problem = format!("it has {} volumes, not the three of a field", coefficients.channels());
        return Err(Error::invalid(path.display(), problem, ADVICE));
    }
    if coefficients.values().iter().any(|value| !value.is_finite()) {
        return Err(Error::invalid(path.display(), "it holds values that are not numbers", ADVICE));
    }
    let FnirtFields { intent_parameters, pixel_sizes, quaternion_offset, sform } = fields;
    let within = |values: [f64; 3], least: f64, most: f64| values.iter().all(|v| (least..=most).contains(v));
    if !within(pixel_sizes, 1.0, WIDEST_SPACING) {
        return Err(wrong(path, "knots", pixel_sizes, "voxels apart"));
    }
    let whole = quaternion_offset.iter().all(|size| size.fract() == 0.0);
    let voxels: f64 = quaternion_offset.iter().product();
    if !whole || !within(quaternion_offset, 1.0, MOST_VOXELS) || voxels > MOST_VOXELS {
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

/// What else may be done than to read the coefficients.
const ADVICE: &str =
    "give FNIRT's file of coefficients as it was written, or the field of it (fnirtfileutils --withaff)";

fn wrong(path: &Path, what: &str, [x, y, z]: [f64; 3], unit: &str) -> Error {
    let problem = format!("as coefficients of splines, its header claims {what} {x}, {y} and {z} {unit}");
    Error::invalid(path.display(), problem, ADVICE)
}
