//! Tests of image reconstruction.

#![cfg(test)]

mod misfit;
mod priors;
mod watch;
