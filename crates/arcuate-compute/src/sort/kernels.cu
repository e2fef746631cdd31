// Prefix sums, sorting of pairs by key, and sums of the values with the same key.
//
// Each thread block processes a range of neighbouring items (a tile). Data that several tiles need are passed through
// global memory from one kernel launch to the next. Results do not depend on the order in which blocks run.
#include "scan.cuh"
#include "warp.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
#define WARPS (THREADS / 32)
// Number of items (keys or values) that each thread processes, and number of items that a thread block processes (a
// tile).
#define ROUNDS 8
#define TILE (THREADS * ROUNDS)
// Keys are sorted digit by digit. Number of values that a digit can have, which is the number of threads of a block.
#define DIGITS 256u

// ---- kernels for prefix sums of any number of values

// Each thread block sums the values of its tile (its range of items), and writes the sum to sums[block].
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_tile_sums(u32 count, const u32* __restrict__ values, u32* __restrict__ sums)
{
    u32 mine = 0, total;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        if (at < count) mine += values[at];
    }
    sum_before<THREADS>(mine, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// Replaces each of `count` sums by the sum of all earlier sums, and writes the sum of all sums to total[0]. The kernel
// runs in one thread block.
extern "C" __global__ void __launch_bounds__(THREADS) sort_sums_before(u32 count, u32* sums, u32* total)
{
    u32 before = 0;
    for (u32 first = 0; first < count; first += THREADS) {
        const u32 at = first + threadIdx.x;
        u32 all;
        const u32 here = sum_before<THREADS>(at < count ? sums[at] : 0u, &all);
        if (at < count) sums[at] = before + here;
        before += all;
    }
    if (threadIdx.x == 0) total[0] = before;
}

// Each value is replaced by the sum of all values before it. `sums[block]` is the sum of all values before the
// first value of the thread block's tile (range of items).
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_values_before(u32 count, u32* values, const u32* __restrict__ sums)
{
    u32 before = sums[blockIdx.x];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        u32 all;
        const u32 here = sum_before<THREADS>(at < count ? values[at] : 0u, &all);
        if (at < count) values[at] = before + here;
        before += all;
    }
}

// ---- kernels that sort by one digit, lowest digit first: `mask` selects the digit from the bits that start at `shift`

__device__ __forceinline__ u32 digit_of(u64 key, u32 shift, u32 mask)
{
    return (u32)(key >> shift) & mask;
}

// For each value of a digit, each thread block counts the keys of its tile (range of items) that have this digit. It
// writes the number to counts[digit * tiles + tile].
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_digits(u32 count, u32 shift, u32 mask, const u64* __restrict__ keys, u32* __restrict__ counts)
{
    __shared__ u32 here[DIGITS];
    here[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        if (at < count) atomicAdd(&here[digit_of(keys[at], shift, mask)], 1u);
    }
    __syncthreads();
    counts[(u64)threadIdx.x * gridDim.x + blockIdx.x] = here[threadIdx.x];
}

// Moves each pair to its place in the order of one digit of the keys. Pairs with the same digit keep their order. For
// each digit and tile (range of items of a thread block), `places` holds the place of the first pair. The pairs of a
// tile are first sorted in shared memory, so that neighbouring threads write to neighbouring places.
extern "C" __global__ void __launch_bounds__(THREADS) sort_pairs(
    u32 count, u32 shift, u32 mask, const u64* __restrict__ keys, const u32* __restrict__ values,
    const u32* __restrict__ places, u64* __restrict__ sorted_keys, u32* __restrict__ sorted_values)
{
    __shared__ u64 tile_keys[TILE];
    __shared__ u32 tile_values[TILE];
    __shared__ u32 counts[WARPS][DIGITS];
    // For each digit, `begins` is the place of the first pair with this digit in the sorted tile. `shifts` is the
    // difference between the place of such a pair in the whole array and its place in the tile.
    __shared__ u32 begins[DIGITS], shifts[DIGITS];
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, begin = blockIdx.x * TILE;
    for (u32 digit = lane; digit < DIGITS; digit += 32) counts[warp][digit] = 0;
    __syncwarp();
    u64 key[ROUNDS];
    u32 value[ROUNDS], rank[ROUNDS];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        // Each warp (32 threads) reads 32 neighbouring keys at a time, in the order of the array. So keys with the same
        // digit keep their order.
        const u32 at = begin + (warp * ROUNDS + round) * 32 + lane;
        // Threads beyond the end of the array use the largest key, which is sorted after all other keys of the tile.
        key[round] = at < count ? keys[at] : ~0ull;
        value[round] = at < count ? values[at] : 0u;
        const u32 digit = digit_of(key[round], shift, mask);
        const u32 equal = __match_any_sync(ALL, digit), before = counts[warp][digit];
        rank[round] = before + __popc(equal & ((1u << lane) - 1));
        __syncwarp();
        if (lane == (u32)__ffs((int)equal) - 1) counts[warp][digit] = before + __popc(equal);
        __syncwarp();
    }
    __syncthreads();
    {
        const u32 digit = threadIdx.x;
        u32 all = 0, ignored;
#pragma unroll
        for (u32 other = 0; other < WARPS; ++other) {
            const u32 here = counts[other][digit];
            counts[other][digit] = all;
            all += here;
        }
        const u32 before = sum_before<THREADS>(all, &ignored);
        begins[digit] = before;
        shifts[digit] = places[(u64)digit * gridDim.x + blockIdx.x] - before;
    }
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 digit = digit_of(key[round], shift, mask);
        const u32 place = begins[digit] + counts[warp][digit] + rank[round];
        tile_keys[place] = key[round];
        tile_values[place] = value[round];
    }
    __syncthreads();
    for (u32 place = threadIdx.x; place < min(TILE, count - begin); place += THREADS) {
        const u64 moved = tile_keys[place];
        const u32 to = shifts[digit_of(moved, shift, mask)] + place;
        sorted_keys[to] = moved;
        sorted_values[to] = tile_values[place];
    }
}

// ---- kernels for sums of the values with the same key

// The keys of the `count` items are sorted. Returns true if the item with index `at` is the first item with its key.
__device__ __forceinline__ bool is_first(u32 at, u32 count, const u64* __restrict__ keys)
{
    return at < count && (at == 0 || keys[at] != keys[at - 1]);
}

// Each thread block counts the distinct keys whose first item is in its tile (its range of items), and writes the
// number to firsts[block].
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_firsts(u32 count, const u64* __restrict__ keys, u32* __restrict__ firsts)
{
    u32 all = 0;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        all += __syncthreads_count(is_first(blockIdx.x * TILE + round * THREADS + threadIdx.x, count, keys));
    }
    if (threadIdx.x == 0) firsts[blockIdx.x] = all;
}

// Writes one pair for each distinct key: the key, and the sum of its values, added in their order. For each tile (range
// of items of a thread block), `places` holds the number of distinct keys whose first item is before the tile.
template <class T>
__device__ __forceinline__ void reduce(
    u32 count, const u64* __restrict__ keys, const T* __restrict__ values, const u32* __restrict__ places,
    u64* __restrict__ different, T* __restrict__ sums)
{
    u32 place = places[blockIdx.x];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        const bool first = is_first(at, count, keys);
        u32 all;
        const u32 to = place + sum_before<THREADS>(first, &all);
        place += all;
        if (!first) continue;
        const u64 key = keys[at];
        T sum = values[at];
        for (u32 next = at + 1; next < count && keys[next] == key; ++next) sum += values[next];
        different[to] = key;
        sums[to] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) sort_reduce_f32(
    u32 count, const u64* __restrict__ keys, const float* __restrict__ values, const u32* __restrict__ places,
    u64* __restrict__ different, float* __restrict__ sums)
{
    reduce(count, keys, values, places, different, sums);
}

extern "C" __global__ void __launch_bounds__(THREADS) sort_reduce_u32(
    u32 count, const u64* __restrict__ keys, const u32* __restrict__ values, const u32* __restrict__ places,
    u64* __restrict__ different, u32* __restrict__ sums)
{
    reduce(count, keys, values, places, different, sums);
}
