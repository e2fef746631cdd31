use arcuate_core::{Error, Result};

/// Returns an error if the list of positions is empty, or if a coordinate of a position is not finite.
pub(super) fn check_places(what: &str, places: &[[f64; 3]]) -> Result<()> {
    if places.is_empty() {
        return Err(Error::invalid(what, "it has no samples", "give one with samples"));
    }
    match places.iter().position(|place| place.iter().any(|c| !c.is_finite())) {
        Some(n) => {
            let problem = format!("position number {n} (counted from 0) is not finite");
            Err(Error::invalid(what, problem, "remove or correct this position"))
        }
        None => Ok(()),
    }
}
