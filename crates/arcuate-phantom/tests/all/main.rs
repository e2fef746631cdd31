//! Tests of simulated brains.

mod phantom;
mod tissues;
