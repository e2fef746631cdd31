//! Vectors in `W` lanes, one for each of `W` streamlines that are tracked in parallel by SIMD instructions.
//!
//! Tracking a streamline is a chain of dependent operations. A processor needs several cycles for each
//! operation, although it could execute dozens of operations at the same time. The chains of `W` streamlines
//! together keep the SIMD units busy. Each lane of a vector rounds as a single number would, so the number of
//! lanes does not change any bit. If W = 1, this is the calculation for a single streamline.
//!
//! All operations are inlined into the functions that call them, so that they use the SIMD instructions for
//! which the caller is compiled.

use arcuate_numbers::{Lanes, Operations, vector3};
use std::array::from_fn;

/// Three coordinates or components of a vector, each in all lanes.
pub(crate) type Vector<const W: usize> = arcuate_numbers::Vector<f64, W>;

/// One boolean per lane.
pub(crate) type Flags<const W: usize> = [bool; W];

/// Normalises a vector to unit length. A vector of length 0 gives NaN.
#[inline(always)]
pub(crate) fn unit<const W: usize>(v: Vector<W>) -> Vector<W> {
    let scale = 1.0 / vector3::dot(v, v).root();
    v.map(|c| c * scale)
}

/// Copies one vector to all lanes.
#[inline(always)]
pub(crate) fn vector<const W: usize>(v: [f64; 3]) -> Vector<W> {
    v.map(Lanes::all)
}

/// Returns the vector of one lane.
#[inline(always)]
pub(crate) fn lane<const W: usize>(v: &Vector<W>, lane: usize) -> [f64; 3] {
    [v[0].0[lane], v[1].0[lane], v[2].0[lane]]
}

/// Sets the vector of one lane.
#[inline(always)]
pub(crate) fn set_lane<const W: usize>(v: &mut Vector<W>, lane: usize, value: [f64; 3]) {
    for axis in 0..3 {
        v[axis].0[lane] = value[axis];
    }
}

/// Returns the logical AND of two arrays of flags, lane by lane.
#[inline(always)]
pub(crate) fn both<const W: usize>(a: Flags<W>, b: Flags<W>) -> Flags<W> {
    from_fn(|lane| a[lane] & b[lane])
}
