//! What every sum over weighted streamlines checks.

use arcuate_core::{Error, Result};

/// Fails on weights that are not finite. Negative ones are allowed: a difference of two fits is a fair map.
pub(crate) fn check_weights(weights: &[f64]) -> Result<()> {
    match weights.iter().position(|weight| !weight.is_finite()) {
        Some(row) => {
            let problem = format!("the weight of streamline {row} is {}", weights[row]);
            Err(Error::invalid("streamline weights", problem, "give finite numbers"))
        }
        None => Ok(()),
    }
}

/// Fails where there are fewer weights than streamlines.
pub(crate) fn check_enough(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() < streamlines => {
            let problem = format!("there are {} for {streamlines} streamlines or more", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}

/// Fails where there are more weights than streamlines.
pub(crate) fn check_all_used(weights: Option<&[f64]>, streamlines: usize) -> Result<()> {
    match weights {
        Some(weights) if weights.len() != streamlines => {
            let problem = format!("there are {} for {streamlines} streamlines", weights.len());
            Err(Error::invalid("streamline weights", problem, "give one weight per streamline"))
        }
        _ => Ok(()),
    }
}
