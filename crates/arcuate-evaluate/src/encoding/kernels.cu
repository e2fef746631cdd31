// GPU kernels that convert streamlines to sorted sparse coefficients, one per voxel, orientation and
// streamline.
//
// Every point of a streamline becomes a 64-bit word and a value. From the highest bits to the lowest, the
// word has the voxel, the orientation and the streamline. The words are sorted by voxel and orientation. The
// sort is stable, and points are in the order of streamlines. Equal words therefore become neighbours in the
// order of their points, and their values are added in this order.
//
// For the voxel, the orientation and the value of a point, the kernel performs the same f64 operations as the
// CPU, in the same order. The coefficients are therefore bit-identical on GPU and CPU.

typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

#define THREADS 256
// Value in the array `ranks` that marks a voxel outside the mask.
#define NOWHERE 0xffffffffu
// Word of a point that is not a node (a point outside the mask or without a direction). All bits of the word
// are 1, so that it is sorted after all nodes.
#define NO_NODE 0xffffffffffffffffull

// ---- convert points to words

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

// Returns the voxel index of a point along one axis of the image, or -1 outside the image. `row` is a row of
// the affine matrix from RAS mm to voxels.
__device__ __forceinline__ double voxel_along(const double* row, u32 voxels, Vector point)
{
    const double rounded = floor(row[0] * point.x + row[1] * point.y + row[2] * point.z + row[3] + 0.5);
    return rounded >= 0.0 && rounded < (double)voxels ? rounded : -1.0;
}

// Returns the index of the grid cell that contains a direction, along one side of a cube's face. The
// directions are divided into cells of the six faces of a cube.
__device__ __forceinline__ u32 cell_along(double component, double largest, u32 cells)
{
    const double position = (component / largest + 1.0) * 0.5 * (double)cells;
    // A position that is NaN is put into cell 0, as on the CPU.
    return position > 0.0 ? min((u32)position, cells - 1) : 0u;
}

// Returns the number of the orientation nearest to a direction of any length. The table `candidates` lists
// the possible orientations for each cell of directions. If several orientations are equally near, the first
// one is returned.
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

// Returns the streamline that contains a point. It is the last streamline in `first` .. `end` whose first
// point is at or before this point. A streamline without points begins where the next one begins, so it is
// never returned.
__device__ __forceinline__ u32 streamline_of(u64 point, u32 first, u32 end, const u64* __restrict__ offsets)
{
    while (end - first > 1) {
        const u32 middle = first + (end - first) / 2;
        if (offsets[middle] <= point) first = middle;
        else end = middle;
    }
    return first;
}

// Description of a batch of streamlines.
struct Task {
    // Number of the batch's first point in the whole tractogram, number of points and number of streamlines
    // in the batch, and number of the batch's first streamline.
    u64 first_point;
    u32 points, streamlines, first_streamline;
    // Number of voxels of the image along each axis.
    u32 shape[3];
    // Number of cells along each side of a cube's face. The table that finds the nearest orientation has a
    // list of orientations for each of these cells.
    u32 cells;
    u32 atom_bits, streamline_bits;
    // 1 if the value of a node (point of a streamline) is its length in mm. 0 if the value of each node is 1.
    u32 lengths;
};

// Computes the word and the value of each point, one thread per point. `offsets` has the number of each
// streamline's first point in the whole tractogram, and at the end the number of all points. `ranks` has the
// number of each voxel among the voxels of the mask. The kernel adds the number of points outside the mask to
// counters[0] and the number of nodes to counters[1].
extern "C" __global__ void __launch_bounds__(THREADS) encoding_nodes(
    const Task task, const u64* __restrict__ offsets, const float* __restrict__ positions,
    const double* __restrict__ inverse, const u32* __restrict__ ranks, const double* __restrict__ directions,
    const u32* __restrict__ cell_starts, const u32* __restrict__ candidates, u64* __restrict__ words,
    float* __restrict__ values, u64* counters)
{
    const u64 first_point = task.first_point;
    const u32 points = task.points, streamlines = task.streamlines;
    // The points of a block of threads belong to few streamlines. Each thread therefore searches only these
    // streamlines.
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
            const double i = voxel_along(inverse, task.shape[0], here);
            const double j = voxel_along(inverse + 4, task.shape[1], here);
            const double k = voxel_along(inverse + 8, task.shape[2], here);
            const bool in_image = i >= 0.0 && j >= 0.0 && k >= 0.0;
            const u32 rank = in_image ? ranks[(u32)i + task.shape[0] * ((u32)j + task.shape[1] * (u32)k)] : NOWHERE;
            outside = rank == NOWHERE;
            if (!outside) {
                const Vector before = point_at(positions, n > begin ? n - 1 : n);
                const Vector after = point_at(positions, n < last ? n + 1 : n);
                const Vector tangent = apart(before, after);
                // The condition is not written as `!= 0`, because a direction with NaN must be treated as a
                // direction, as on the CPU.
                node = !(norm(tangent) == 0.0);
                if (node) {
                    const u32 atom = nearest_orientation(tangent, task.cells, directions, cell_starts, candidates);
                    word = ((u64)rank << task.atom_bits | atom) << task.streamline_bits | streamline;
                    value = task.lengths ? (float)(0.5 * (norm(apart(before, here)) + norm(apart(here, after)))) : 1.0f;
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

// ---- convert sorted words to coefficients

// Converts `count` different words to coefficients. voxel_starts[rank] becomes 1 plus the index of the first
// coefficient of the voxel with this rank among the voxels of the mask.
extern "C" __global__ void __launch_bounds__(THREADS) encoding_coefficients(
    const Task task, u32 count, const u64* __restrict__ words, u16* __restrict__ atoms, u32* __restrict__ members,
    u32* __restrict__ voxel_starts)
{
    const u32 voxel_shift = task.atom_bits + task.streamline_bits, at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
    const u64 word = words[at];
    atoms[at] = (u16)(word >> task.streamline_bits & ((1ull << task.atom_bits) - 1));
    members[at] = task.first_streamline + (u32)(word & ((1ull << task.streamline_bits) - 1));
    if (at == 0 || words[at - 1] >> voxel_shift != word >> voxel_shift) voxel_starts[word >> voxel_shift] = at + 1;
}
