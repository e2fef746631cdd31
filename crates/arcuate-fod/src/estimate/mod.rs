//! Estimates response functions from the diffusion series that will be deconvolved.

mod dhollander;
mod selection;
mod tournier;
mod usable;
mod zonal;

pub use dhollander::{DhollanderOptions, DhollanderResponses, TissueResponse, dhollander_responses};
pub use tournier::{SingleFibreResponse, TournierOptions, tournier_response};
pub use usable::{UsableSeries, usable_series};
pub use zonal::{response_of_bundles, response_of_isotropic};
