//! Whether an image of fibre orientation distributions is in the basis that it is read in. Coefficients do not name their basis.

use arcuate_core::{Control, Result};
use arcuate_model::{AxesCheck, check_axes};
use arcuate_track::{BelowZero, FodImage};

/// Distributions that have less of their squared amplitudes below 0 are right, whatever rearranged ones have: those that point along
/// the third axis do not change with the basis.
const POSITIVE: f64 = 0.02;
/// Coefficients of another basis have at least this part of what rearranged ones have below 0 (`docs/src/algorithms/deconvolution.md` has
/// the figures of both).
const AS_REARRANGED: f64 = 0.8;

/// Whether so much is below 0 that coefficients are of another basis, order or sign.
fn is_rearranged(found: BelowZero) -> bool {
    found.stored > POSITIVE && found.stored > AS_REARRANGED * found.rearranged
}

/// Warns if the coefficients of distributions seem to be in another basis than MRtrix's: if they are below 0 as much as rearranged ones,
/// or if the distributions of neighbours go on in mirrored directions. `name` is what the warning is about.
///
/// # Errors
/// Fails if images are on different grids, which they are not.
pub fn warn_of_another_basis(image: &FodImage, name: &str, control: &Control) -> Result<()> {
    let found = image.below_zero();
    if is_rearranged(found) {
        control.warn(&format!(
            "{name}: {:.0} % of its distributions' squared amplitudes are below 0, and {:.0} % with rearranged coefficients: they may \
             be in another basis, order or sign than MRtrix's; convert them, for example from DIPY's",
            100.0 * found.stored,
            100.0 * found.rearranged
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
