// Code shared by the GPU kernels of the sparse Tucker operator M. The kernels compute y = M w, or q = Mᵀ y,
// or both products at once for a step s of the weights. In the last case (u = M s, r += u, q = Mᵀ u), the
// coefficients are read only once.
//
// Sums over voxels use 64-bit fixed-point numbers. Integer addition is associative. The result is therefore
// bit-identical for any order of blocks, any division of the coefficients into chunks and any number of GPUs.
#pragma once
#include "fixed_point.cuh"
#include "warp.cuh"

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

// Flags for the operations of a launch. The image is u = M w.
#define FORWARD 1u // Computes the image. Without this flag, `data` is the image.
#define CARRY 2u // Adds the image to `data`. Without this flag, it overwrites `data`.
#define ADJOINT 4u // Adds the adjoint of the image to `sums`.
