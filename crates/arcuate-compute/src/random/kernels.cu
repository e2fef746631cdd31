// Fills arrays with random draws. For item `first + n`, the kernel computes `draws` draws, starting with draw number
// `first_draw` of the item's random stream. It writes them to `values + n * draws * components`, in the order drawn.
// One thread handles one item at a time. The grid may have fewer threads than items.
#include "philox.cuh"

typedef unsigned long long u64;

// Describes the draws to compute: `draws` draws for each of `items` items. `first` is the number of the first item, and
// `first_draw` is the number of the first draw of each item.
struct Wanted {
    u64 seed, purpose, first, items, first_draw, draws;
    double parameter;
};

#define FILL(NAME, COMPONENTS, DRAW)                                                                                   \
    extern "C" __global__ void NAME(const Wanted wanted, double* __restrict__ values)                                  \
    {                                                                                                                  \
        const u64 step = static_cast<u64>(gridDim.x) * blockDim.x;                                                     \
        for (u64 n = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; n < wanted.items; n += step) {           \
            Random random = Random(wanted.seed, static_cast<unsigned>(wanted.purpose), wanted.first + n)               \
                                .at(wanted.first_draw);                                                                \
            double* out = values + n * wanted.draws * COMPONENTS;                                                      \
            for (u64 draw = 0; draw < wanted.draws; ++draw, out += COMPONENTS) {                                       \
                DRAW;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

FILL(random_uniform, 1, out[0] = random.uniform())
FILL(random_below, 1, out[0] = static_cast<double>(random.below(static_cast<u64>(wanted.parameter))))
FILL(random_normal, 1, out[0] = random.normal())
FILL(random_exponential, 1, out[0] = random.exponential())
FILL(random_gamma, 1, out[0] = random.gamma(wanted.parameter))
FILL(random_on_sphere, 3, random.on_sphere(out[0], out[1], out[2]))
