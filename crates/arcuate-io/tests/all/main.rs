//! Tests of tractogram files.

#![cfg(test)]

mod common;
mod compressed_tractograms;
mod damaged_tractograms;
mod tractograms;
