//! Response functions from the series itself.

mod tournier;
mod zonal;

pub use tournier::{SingleFibreResponse, TournierOptions, tournier_response};
pub use zonal::{response_of_bundles, response_of_isotropic};
