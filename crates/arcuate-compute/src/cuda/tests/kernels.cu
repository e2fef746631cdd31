// Kernels for the tests of the layer that launches them.
#include "cuda.cuh"

// Each thread of a three-dimensional grid writes its number, counted by blocks and then by threads in the block.
extern "C" __global__ void compute_test_number(unsigned* numbers) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned number = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    numbers[number] = number;
}

// y[first + n] = scale * x[n] + offset + add, with an argument of every kind.
extern "C" __global__ void compute_test_scale(const float* x, double* y, unsigned count, long long first, float scale,
                                              double offset, int add, const float* nothing) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count && nothing == nullptr) {
        y[first + n] = fma((double)scale, (double)x[n], offset + (double)add);
    }
}

// Adds 1 to each value, `rounds` times over: the work of a stream.
extern "C" __global__ void compute_test_increment(unsigned* values, unsigned count, unsigned rounds) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count) {
        volatile unsigned* value = values + n;
        for (unsigned round = 0; round < rounds; ++round) {
            *value = *value + 1;
        }
    }
}

// sums[block] = the sum of a block's part of `values`, through `blockDim.x` doubles of dynamic shared memory and more
// behind them, of which the last is touched.
extern "C" __global__ void compute_test_sum(const float* values, unsigned count, unsigned shared, double* sums) {
    DYNAMIC_SHARED(double, partial);
    double sum = 0.0;
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
        sum += (double)values[n];
    }
    if (threadIdx.x == 0) {
        partial[shared - 1] = 0.0;
    }
    __syncthreads();
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}
