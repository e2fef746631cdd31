//! Check of the spherical harmonic basis of fibre orientation distributions (FODs). Images of FOD
//! coefficients do not state their basis.

use arcuate_core::{Control, Result};
use arcuate_model::{AxesCheck, check_axes};
use arcuate_track::{BelowZero, FodImage};

/// Minimum fraction of the squared FOD amplitudes that comes from negative amplitudes, for the first
/// criterion. Below this fraction, a comparison with rearranged coefficients is not meaningful, because FODs
/// along the z axis are the same in all bases.
const MIN_NEGATIVE_FRACTION: f64 = 0.02;
/// First criterion for another basis: the negative fraction of the stored coefficients exceeds this multiple
/// of a median. This is the median of the negative fractions of rearranged coefficients. The negative
/// fraction is the part of the squared FOD amplitudes that comes from negative amplitudes.
const REARRANGED_RATIO: f64 = 0.6;
/// Second criterion for another basis: the part of the squared FOD amplitudes that comes from negative
/// amplitudes exceeds two limits. One limit is the size of rounding errors. The other is this multiple of the
/// same part after the best conversion between bases. The measurements are in
/// `docs/src/algorithms/fod-tracking.md`.
const CONVERTED_RATIO: f64 = 1.25;
const ROUNDING: f64 = 3e-3;

/// Checks whether FOD coefficients seem to have another basis, order or sign than MRtrix's.
fn is_rearranged(BelowZero { stored, rearranged, minimum }: BelowZero) -> bool {
    let is_as_rearranged = stored > MIN_NEGATIVE_FRACTION && stored > REARRANGED_RATIO * rearranged;
    is_as_rearranged || stored > ROUNDING && stored > CONVERTED_RATIO * minimum
}

/// Warns if FOD coefficients seem to be in another basis than MRtrix's. The first sign is that negative
/// amplitudes are as large as with coefficients in a wrong order. The second sign is that paths through
/// neighbouring voxels are longer along mirrored FOD directions. The warning begins with `name`, the name of
/// the image.
///
/// # Errors
/// Returns an error if the images are on different voxel grids, which does not occur here.
pub fn warn_of_another_basis(image: &FodImage, name: &str, control: &Control) -> Result<()> {
    let found = image.below_zero();
    if is_rearranged(found) {
        control.warn(&format!(
            "{name}: {:.0} % of the squared amplitudes of its FODs are negative; this suggests another basis, order \
             or sign of coefficients than MRtrix's (rearranged: {:.0} %, at best {:.0} %); convert the \
             coefficients, for example from DIPY's basis",
            100.0 * found.stored,
            100.0 * found.rearranged,
            100.0 * found.minimum
        ));
        return Ok(());
    }
    let (directions, counts) = image.largest_directions()?;
    if let Some(check) = check_axes(&directions, &counts, &image.mask()?)?.filter(AxesCheck::is_doubtful) {
        control.warn(&format!(
            "{name}: paths along its FODs would be {:.0} % longer with directions in the image axes {}. Check the \
             signs of coefficients (MRtrix's basis) and the axes of the gradients",
            100.0 * (check.best / check.as_given - 1.0),
            check.axes
        ));
    }
    Ok(())
}
