// What the kernels of a sparse Tucker operator have in common: y = M w and q = Mᵀ y, or both at once for a step s of the
// weights (u = M s, r += u, q = Mᵀ u, the coefficients read once).
//
// Sums over voxels are taken in 64-bit fixed point: integer addition is associative, so that the result has the same
// bits whatever the order of blocks, the cut into chunks and the number of devices.
#pragma once
#include "fixed_point.cuh"
#include "warp.cuh"

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

// What a launch does: with the image u = M w of the weights…
#define FORWARD 1u  // … it is computed, else `data` is taken for it;
#define CARRY 2u    // … it is added to `data`, else written there;
#define ADJOINT 4u  // … its adjoint is added to `sums`.
