//! A test of the basis of an image of fibre orientation distributions. Coefficients do not name their basis.

use arcuate_core::{Control, Result};
use arcuate_model::{AxesCheck, check_axes};
use arcuate_track::{BelowZero, FodImage};

/// Rearranged coefficients are no measure below this part of the squared amplitudes: distributions that point along the third axis
/// do not change with the basis.
const POSITIVE: f64 = 0.02;
/// Coefficients of another basis have at least this part of the median of rearranged ones below 0 …
const AS_REARRANGED: f64 = 0.6;
/// … or more than this times the part that is left if they are brought back from that basis, and more than rounding leaves.
/// `docs/src/algorithms/fod-tracking.md` has the figures.
const BY_FAR: f64 = 1.25;
const ROUNDING: f64 = 3e-3;

/// Tells whether the coefficients are of another basis, order or sign.
fn is_rearranged(BelowZero { stored, rearranged, least }: BelowZero) -> bool {
    let is_as_rearranged = stored > POSITIVE && stored > AS_REARRANGED * rearranged;
    is_as_rearranged || stored > ROUNDING && stored > BY_FAR * least
}

/// Warns if the coefficients of distributions seem to be in another basis than MRtrix's: if they are below 0 as much as rearranged ones,
/// or if the distributions of neighbours go on in mirrored directions. The warning begins with `name`.
///
/// # Errors
/// Fails if images are on different grids, which they are not.
pub fn warn_of_another_basis(image: &FodImage, name: &str, control: &Control) -> Result<()> {
    let found = image.below_zero();
    if is_rearranged(found) {
        control.warn(&format!(
            "{name}: {:.0} % of its distributions' squared amplitudes are below 0, as if coefficients were in another basis, order or \
             sign than MRtrix's (rearranged ones have {:.0} %, and {:.0} % at best); convert them, for example from DIPY's basis",
            100.0 * found.stored,
            100.0 * found.rearranged,
            100.0 * found.least
        ));
        return Ok(());
    }
    let (directions, counts) = image.largest_directions()?;
    if let Some(check) = check_axes(&directions, &counts, &image.mask()?)?.filter(AxesCheck::is_doubtful) {
        control.warn(&format!(
            "{name}: ways along its distributions would be {:.0} % longer if directions were along the image's axes {}: some \
             coefficients may have another sign than in MRtrix's basis, or directions of gradients other axes",
            100.0 * (check.best / check.as_given - 1.0),
            check.axes
        ));
    }
    Ok(())
}
