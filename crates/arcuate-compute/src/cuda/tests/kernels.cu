// Kernels for the tests of the code that launches kernels.
#include "cuda.cuh"

// Writes the index of each thread of a three-dimensional grid. Indices count blocks, and then the threads in a block.
extern "C" __global__ void compute_test_number(unsigned* numbers) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned number = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    numbers[number] = number;
}

// Computes y[first + n] = scale * x[n] + offset + add. The kernel has one parameter of every type.
extern "C" __global__ void compute_test_scale(const float* x, double* y, unsigned count, long long first, float scale,
                                              double offset, int add, const float* nothing) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count && nothing == nullptr) {
        y[first + n] = fma((double)scale, (double)x[n], offset + (double)add);
    }
}

// An argument that is larger than any number and contains arrays.
struct Recipe {
    double factors[4];
    unsigned long long first;
    float offsets[2];
    unsigned count;
    int sign;
};

// Computes y[first + n] = sign * factors[n] + offsets[n % 2] with one thread.
extern "C" __global__ void compute_test_recipe(const Recipe recipe, double* y) {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
        if (n < recipe.count) y[recipe.first + n] = recipe.sign * recipe.factors[n] + (double)recipe.offsets[n % 2];
    }
}

// Computes y[n] += TIMES * x[n] + more. The pointer x may be null or point to the memory of y.
#define ADD(T, SUFFIX, TIMES)                                                                                          \
    extern "C" __global__ void compute_test_add_##SUFFIX##_##TIMES(unsigned count, T more, const T* x, T* y) {         \
        const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        if (n < count) y[n] += (x ? TIMES * x[n] : T(0)) + more;                                                       \
    }
ADD(float, f32, 1)
ADD(float, f32, 2)
ADD(double, f64, 1)
ADD(double, f64, 2)

// Adds 1 to each value `rounds` times, so that a stream is busy for some time.
extern "C" __global__ void compute_test_increment(unsigned* values, unsigned count, unsigned rounds) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count) {
        volatile unsigned* value = values + n;
        for (unsigned round = 0; round < rounds; ++round) {
            *value = *value + 1;
        }
    }
}

// Writes the sum of a block's part of `values` to sums[block]. The kernel uses `blockDim.x` doubles of dynamic shared
// memory and also writes the last of the `shared` doubles.
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
