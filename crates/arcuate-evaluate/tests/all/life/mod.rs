//! Tests of LiFE's weights. They are one program, so that the solvers are compiled only once.

mod philips;
mod shells;
