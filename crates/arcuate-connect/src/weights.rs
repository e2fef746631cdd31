//! Checks of streamline weights, for all sums over weighted streamlines.

use arcuate_core::{Error, Result};

/// Returns an error if a weight is negative or not finite. A negative weight has no meaning. With negative
/// weights, a sum of weights may be 0, and a mean is divided by this sum.
pub(crate) fn check_weights(weights: &[f64]) -> Result<()> {
    match weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        Some(row) => {
            let problem = format!("the weight of streamline {row} (counted from 0) is {}", weights[row]);
            Err(Error::invalid("streamline weights", problem, "give finite weights of at least 0"))
        }
        None => Ok(()),
    }
}

/// Returns an error if there are fewer weights than streamlines.
pub(crate) fn check_enough(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() < streamlines => {
            let problem =
                format!("there are {} weights, but at least {streamlines} streamlines", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}

/// Returns an error if there are more weights than streamlines.
pub(crate) fn check_all_used(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() != streamlines => {
            let problem = format!("there are {} weights, but {streamlines} streamlines", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}
