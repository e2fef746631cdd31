// From streamlines to sorted coefficients.
//
// Every point becomes a 64-bit word, (voxel | orientation | streamline) from the highest bit down, with its value beside
// it. The words are sorted by voxel and orientation; the sort is stable and points come streamline by streamline, so that
// equal words end as neighbours, in the order of their points, and are added up in that order.
//
// Arithmetic that decides something (the voxel, the orientation, the value) repeats the processor's operation by
// operation, in f64, so that the coefficients have the same bits.
#include "cuda.cuh"

typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
#define WARPS (THREADS / 32)
#define ALL 0xffffffffu
// Items that a thread has in a tile, and a block.
#define ROUNDS 8
#define TILE (THREADS * ROUNDS)
// Values of a digit: one for each thread of a block.
#define DIGITS 256u
// A voxel outside the mask.
#define NOWHERE 0xffffffffu
// A point that is no node. Its digits are the largest, so that it ends behind all nodes.
#define NO_NODE 0xffffffffffffffffull

// The sum of `value` over the threads before this one; `total` is that over the block. All threads take part.
__device__ __forceinline__ u32 sum_before(u32 value, u32* total)
{
    __shared__ u32 warps[WARPS];
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    u32 inclusive = value;
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
        const u32 other = __shfl_up_sync(ALL, inclusive, distance);
        if (lane >= distance) inclusive += other;
    }
    if (lane == 31) warps[warp] = inclusive;
    __syncthreads();
    u32 before = inclusive - value, all = 0;
#pragma unroll
    for (u32 other = 0; other < WARPS; ++other) {
        if (other < warp) before += warps[other];
        all += warps[other];
    }
    // The next call writes `warps` again.
    __syncthreads();
    *total = all;
    return before;
}

// ---- from points to words

struct Vector {
    double x, y, z;
};

__device__ __forceinline__ Vector point_at(const float* positions, u32 n)
{
    const float* point = positions + 3 * (u64)n;
    return {(double)point[0], (double)point[1], (double)point[2]};
}

__device__ __forceinline__ Vector apart(Vector a, Vector b)
{
    return {b.x - a.x, b.y - a.y, b.z - a.z};
}

__device__ __forceinline__ double norm(Vector v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Voxel coordinate along one axis, or -1 outside the image. `row` is that of the affine from RAS mm to voxels.
__device__ __forceinline__ double voxel_along(const double* row, u32 voxels, Vector point)
{
    const double rounded = floor(row[0] * point.x + row[1] * point.y + row[2] * point.z + row[3] + 0.5);
    return rounded >= 0.0 && rounded < (double)voxels ? rounded : -1.0;
}

// Column or row of the cell of a cube face that a direction falls into.
__device__ __forceinline__ u32 cell_along(double component, double largest, u32 cells)
{
    const double position = (component / largest + 1.0) * 0.5 * (double)cells;
    // Not a number is 0, as on the processor.
    return position > 0.0 ? min((u32)position, cells - 1) : 0u;
}

// The orientation nearest to a direction of any length, by the table of candidates: the first of equals.
__device__ __forceinline__ u32 nearest_orientation(
    Vector direction, u32 cells, const double* __restrict__ directions, const u32* __restrict__ cell_starts,
    const u32* __restrict__ candidates)
{
    const double x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    const u32 face = x >= y && x >= z ? 0u : y >= z ? 1u : 2u;
    const double largest = face == 0 ? direction.x : face == 1 ? direction.y : direction.z;
    const u32 column =
        cell_along(face == 0 ? direction.y : face == 1 ? direction.z : direction.x, largest, cells);
    const u32 row = cell_along(face == 0 ? direction.z : face == 1 ? direction.x : direction.y, largest, cells);
    const u32 cell = (face * cells + row) * cells + column;
    u32 best = 0;
    double highest = -1.0;
    for (u32 at = cell_starts[cell]; at < cell_starts[cell + 1]; ++at) {
        const u32 index = candidates[at];
        const double* d = directions + 3 * (u64)index;
        const double cosine = fabs(d[0] * direction.x + d[1] * direction.y + d[2] * direction.z);
        if (cosine > highest) {
            best = index;
            highest = cosine;
        }
    }
    return best;
}

// The streamline of a point: the last, from `first` on and before `end`, that does not begin after it. Streamlines
// without points begin where the next one does and are passed over.
__device__ __forceinline__ u32 streamline_of(u64 point, u32 first, u32 end, const u64* __restrict__ offsets)
{
    while (end - first > 1) {
        const u32 middle = first + (end - first) / 2;
        if (offsets[middle] <= point) first = middle;
        else end = middle;
    }
    return first;
}

// Words and values of `points` points, one thread each. `offsets` holds, for each of `streamlines` streamlines and the
// end of the last, the number of its first point, counted from that of the whole tractogram: `first_point` is the number
// of the first one here. `ranks` numbers the voxels of the mask. counters[0] += points outside the mask,
// counters[1] += nodes.
extern "C" __global__ void __launch_bounds__(THREADS) encoding_nodes(
    u32 points, u32 streamlines, u64 first_point, const u64* __restrict__ offsets,
    const float* __restrict__ positions, const double* __restrict__ inverse, u32 voxels_x, u32 voxels_y, u32 voxels_z,
    const u32* __restrict__ ranks, u32 cells, const double* __restrict__ directions,
    const u32* __restrict__ cell_starts, const u32* __restrict__ candidates, u32 atom_bits, u32 streamline_bits,
    u32 lengths, u64* __restrict__ words, float* __restrict__ values, u64* counters)
{
    // Few streamlines pass through a block: each thread looks among those alone.
    __shared__ u32 ends[2];
    const u32 first_here = blockIdx.x * THREADS;
    if (threadIdx.x < 2) {
        const u32 point = threadIdx.x == 0 ? first_here : min(first_here + THREADS, points) - 1;
        ends[threadIdx.x] = streamline_of(first_point + point, 0, streamlines, offsets);
    }
    __syncthreads();
    const u32 n = first_here + threadIdx.x;
    bool outside = false, node = false;
    if (n < points) {
        const u32 streamline = streamline_of(first_point + n, ends[0], ends[1] + 1, offsets);
        const u32 begin = (u32)(offsets[streamline] - first_point);
        const u32 last = (u32)(offsets[streamline + 1] - first_point) - 1;
        u64 word = NO_NODE;
        float value = 0.0f;
        if (begin < last) {
            const Vector here = point_at(positions, n);
            const double i = voxel_along(inverse, voxels_x, here);
            const double j = voxel_along(inverse + 4, voxels_y, here);
            const double k = voxel_along(inverse + 8, voxels_z, here);
            const bool in_image = i >= 0.0 && j >= 0.0 && k >= 0.0;
            const u32 rank = in_image ? ranks[(u32)i + voxels_x * ((u32)j + voxels_y * (u32)k)] : NOWHERE;
            outside = rank == NOWHERE;
            if (!outside) {
                const Vector before = point_at(positions, n > begin ? n - 1 : n);
                const Vector after = point_at(positions, n < last ? n + 1 : n);
                const Vector tangent = apart(before, after);
                // Not `!= 0`: what is not a number is a direction here, as on the processor.
                node = !(norm(tangent) == 0.0);
                if (node) {
                    const u32 atom = nearest_orientation(tangent, cells, directions, cell_starts, candidates);
                    word = ((u64)rank << atom_bits | atom) << streamline_bits | streamline;
                    value = lengths ? (float)(0.5 * (norm(apart(before, here)) + norm(apart(here, after)))) : 1.0f;
                }
            }
        }
        words[n] = word;
        values[n] = value;
    }
    const u32 all_outside = __syncthreads_count(outside), all_nodes = __syncthreads_count(node);
    if (threadIdx.x == 0) {
        if (all_outside != 0) atomicAdd(&counters[0], (u64)all_outside);
        if (all_nodes != 0) atomicAdd(&counters[1], (u64)all_nodes);
    }
}

// ---- sums of all values before each, over any number of values

// sums[block] = the sum of the block's tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    encoding_tile_sums(u32 count, const u32* __restrict__ values, u32* __restrict__ sums)
{
    u32 mine = 0, total;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        if (at < count) mine += values[at];
    }
    sum_before(mine, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block: each of `count` sums becomes that of the ones before it; total[0] is that of all.
extern "C" __global__ void __launch_bounds__(THREADS) encoding_sums_before(u32 count, u32* sums, u32* total)
{
    u32 before = 0;
    for (u32 first = 0; first < count; first += THREADS) {
        const u32 at = first + threadIdx.x;
        u32 all;
        const u32 here = sum_before(at < count ? sums[at] : 0u, &all);
        if (at < count) sums[at] = before + here;
        before += all;
    }
    if (threadIdx.x == 0) total[0] = before;
}

// Each value becomes the sum of those before it, in all tiles; sums[block] is that of the tiles before.
extern "C" __global__ void __launch_bounds__(THREADS)
    encoding_values_before(u32 count, u32* values, const u32* __restrict__ sums)
{
    u32 before = sums[blockIdx.x];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        u32 all;
        const u32 here = sum_before(at < count ? values[at] : 0u, &all);
        if (at < count) values[at] = before + here;
        before += all;
    }
}

// ---- sorting by one digit, the lowest first

__device__ __forceinline__ u32 digit_of(u64 word, u32 shift)
{
    return (u32)(word >> shift) & (DIGITS - 1);
}

// counts[digit * tiles + tile] = words of the tile with this digit.
extern "C" __global__ void __launch_bounds__(THREADS)
    encoding_digits(u32 count, u32 shift, const u64* __restrict__ words, u32* __restrict__ counts)
{
    __shared__ u32 here[DIGITS];
    here[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        if (at < count) atomicAdd(&here[digit_of(words[at], shift)], 1u);
    }
    __syncthreads();
    counts[(u64)threadIdx.x * gridDim.x + blockIdx.x] = here[threadIdx.x];
}

// Moves words and values to where their digit belongs, those of one digit in the order they had. `places` is the sum of
// the counts before each (digit, tile). The tile is put in order in shared memory first, so that neighbours are written
// together.
extern "C" __global__ void __launch_bounds__(THREADS) encoding_sort(
    u32 count, u32 shift, const u64* __restrict__ words, const float* __restrict__ values,
    const u32* __restrict__ places, u64* __restrict__ sorted_words, float* __restrict__ sorted_values)
{
    __shared__ u64 tile_words[TILE];
    __shared__ float tile_values[TILE];
    __shared__ u32 counts[WARPS][DIGITS];
    // Where a digit begins in the tile; what to add to a place in the tile for the place in the whole.
    __shared__ u32 begins[DIGITS], shifts[DIGITS];
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, begin = blockIdx.x * TILE;
    for (u32 digit = lane; digit < DIGITS; digit += 32) counts[warp][digit] = 0;
    __syncwarp();
    u64 word[ROUNDS];
    float value[ROUNDS];
    u32 rank[ROUNDS];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        // Each warp has a row of neighbours, so that its words are met in order.
        const u32 at = begin + (warp * ROUNDS + round) * 32 + lane;
        // Beyond the end: after everything that is in the tile.
        word[round] = at < count ? words[at] : NO_NODE;
        value[round] = at < count ? values[at] : 0.0f;
        const u32 digit = digit_of(word[round], shift);
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
        const u32 before = sum_before(all, &ignored);
        begins[digit] = before;
        shifts[digit] = places[(u64)digit * gridDim.x + blockIdx.x] - before;
    }
    __syncthreads();
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 digit = digit_of(word[round], shift);
        const u32 place = begins[digit] + counts[warp][digit] + rank[round];
        tile_words[place] = word[round];
        tile_values[place] = value[round];
    }
    __syncthreads();
    for (u32 place = threadIdx.x; place < min(TILE, count - begin); place += THREADS) {
        const u64 moved = tile_words[place];
        const u32 to = shifts[digit_of(moved, shift)] + place;
        sorted_words[to] = moved;
        sorted_values[to] = tile_values[place];
    }
}

// ---- from sorted words to coefficients

// Whether node `at` of `nodes` is the first of its word.
__device__ __forceinline__ bool is_first(u32 at, u32 nodes, const u64* __restrict__ words)
{
    return at < nodes && (at == 0 || words[at] != words[at - 1]);
}

// firsts[block] = number of different words that begin in the block's tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    encoding_firsts(u32 nodes, const u64* __restrict__ words, u32* __restrict__ firsts)
{
    u32 all = 0;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        all += __syncthreads_count(is_first(blockIdx.x * TILE + round * THREADS + threadIdx.x, nodes, words));
    }
    if (threadIdx.x == 0) firsts[blockIdx.x] = all;
}

// One coefficient for each word, its value the sum of the word's values in order. `places` is, for each tile, the number
// of words that begin before it. voxel_starts[rank] = 1 + the first coefficient of the voxel.
extern "C" __global__ void __launch_bounds__(THREADS) encoding_coefficients(
    u32 nodes, u32 atom_bits, u32 streamline_bits, u32 first_streamline, const u64* __restrict__ words,
    const float* __restrict__ values, const u32* __restrict__ places, u16* __restrict__ atoms,
    u32* __restrict__ members, float* __restrict__ sums, u32* __restrict__ voxel_starts)
{
    const u32 voxel_shift = atom_bits + streamline_bits;
    u32 place = places[blockIdx.x];
#pragma unroll
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        const bool first = is_first(at, nodes, words);
        u32 all;
        const u32 to = place + sum_before(first, &all);
        place += all;
        if (!first) continue;
        const u64 word = words[at];
        float sum = values[at];
        for (u32 next = at + 1; next < nodes && words[next] == word; ++next) sum += values[next];
        atoms[to] = (u16)(word >> streamline_bits & ((1ull << atom_bits) - 1));
        members[to] = first_streamline + (u32)(word & ((1ull << streamline_bits) - 1));
        sums[to] = sum;
        if (at == 0 || words[at - 1] >> voxel_shift != word >> voxel_shift) {
            voxel_starts[word >> voxel_shift] = to + 1;
        }
    }
}
