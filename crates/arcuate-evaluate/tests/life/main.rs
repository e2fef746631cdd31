//! LiFE's weights: one program, so that its solvers are compiled once for all tests.

mod philips;
mod shells;
