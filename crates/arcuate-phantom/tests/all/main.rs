//! Tests of simulated brains.

#![cfg(test)]

mod phantom;
mod tissues;
