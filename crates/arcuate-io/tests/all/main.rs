//! Tests of tractogram files.

mod common;
mod compressed_tractograms;
mod damaged_tractograms;
mod tractograms;
