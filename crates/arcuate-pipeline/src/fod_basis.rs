//! Check of the basis of fibre orientation distributions (FODs). Images of coefficients do not state their
//! basis.

use arcuate_core::{Control, Result};
use arcuate_model::{AxesCheck, check_axes};
use arcuate_track::{BelowZero, FodImage};

/// Minimum negative fraction of the squared amplitudes for the first criterion. Below this fraction, a
/// comparison with rearranged coefficients is not meaningful, because FODs that point along the third axis do
/// not change with the basis.
const MIN_NEGATIVE_FRACTION: f64 = 0.02;
/// First criterion for another basis: the negative fraction exceeds this multiple of the median of the
/// rearranged coefficients.
const REARRANGED_RATIO: f64 = 0.6;
/// Second criterion for another basis: the negative fraction exceeds rounding errors and this multiple of the
/// fraction after the best conversion. The measurements are in `docs/src/algorithms/fod-tracking.md`.
const CONVERTED_RATIO: f64 = 1.25;
const ROUNDING: f64 = 3e-3;

/// Checks whether the coefficients have another basis, order or sign.
fn is_rearranged(BelowZero { stored, rearranged, least }: BelowZero) -> bool {
    let is_as_rearranged = stored > MIN_NEGATIVE_FRACTION && stored > REARRANGED_RATIO * rearranged;
    is_as_rearranged || stored > ROUNDING && stored > CONVERTED_RATIO * least
}

/// Warns if FOD coefficients seem to be in another basis than MRtrix's. The first sign is a negative fraction
/// as large as for rearranged coefficients. The second sign is that the FODs of neighbouring voxels continue
/// in mirrored directions. The warning begins with `name`.
///
/// # Errors
/// If the images are on different grids, which does not occur here.
pub fn warn_of_another_basis(image: &FodImage, name: &str, control: &Control) -> Result<()> {
    let found = image.below_zero();
    if is_rearranged(found) {
        control.warn(&format!(
            "{name}: {:.0} % of the squared amplitudes of its FODs are negative, which suggests another \
             basis, order or sign of coefficients than MRtrix's (rearranged coefficients have {:.0} %, and \
             {:.0} % at best); convert the coefficients, for example from DIPY's basis",
            100.0 * found.stored,
            100.0 * found.rearranged,
            100.0 * found.least
        ));
        return Ok(());
    }
    let (directions, counts) = image.largest_directions()?;
    if let Some(check) = check_axes(&directions, &counts, &image.mask()?)?.filter(AxesCheck::is_doubtful) {
        control.warn(&format!(
            "{name}: paths along its FODs would be {:.0} % longer if directions used the image axes {}; \
             check the signs of the coefficients (MRtrix's basis) and the axes of the gradient directions",
            100.0 * (check.best / check.as_given - 1.0),
            check.axes
        ));
    }
    Ok(())
}
