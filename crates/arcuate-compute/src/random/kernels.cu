// Fills values with draws: those of item `first + n`, from number `first_draw` of its stream on, at `values + n * draws *
// components`, in the order drawn. One thread per item; the grid may be smaller than the items.
#include "philox.cuh"

typedef unsigned long long u64;

#define FILL(NAME, COMPONENTS, DRAW)                                                                                   \
    extern "C" __global__ void NAME(u64 seed, unsigned purpose, u64 first, u64 items, u64 first_draw, u64 draws,       \
                                    [[maybe_unused]] double parameter, double* __restrict__ values)                    \
    {                                                                                                                  \
        const u64 step = static_cast<u64>(gridDim.x) * blockDim.x;                                                     \
        for (u64 n = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; n < items; n += step) {                  \
            Random random = Random(seed, purpose, first + n).at(first_draw);                                           \
            double* out = values + n * draws * COMPONENTS;                                                             \
            for (u64 draw = 0; draw < draws; ++draw, out += COMPONENTS) {                                              \
                DRAW;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

FILL(random_uniform, 1, out[0] = random.uniform())
FILL(random_below, 1, out[0] = static_cast<double>(random.below(static_cast<u64>(parameter))))
FILL(random_normal, 1, out[0] = random.normal())
FILL(random_exponential, 1, out[0] = random.exponential())
FILL(random_gamma, 1, out[0] = random.gamma(parameter))
FILL(random_on_sphere, 3, random.on_sphere(out[0], out[1], out[2]))
