//! Tests of image reconstruction.

mod misfit;
mod priors;
mod watch;
