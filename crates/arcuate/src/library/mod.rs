//! The modules of the public library. Each module re-exports the stable items of one or several crates.

pub mod compute;
pub mod connect;
pub mod core;
pub mod evaluate;
pub mod fod;
pub mod io;
pub mod model;
pub mod phantom;
pub mod pipeline;
#[cfg(feature = "recon")]
pub mod recon;
pub mod solve;
pub mod track;
