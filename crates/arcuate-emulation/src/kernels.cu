// Kernels that test each feature of the emulation of CUDA. The kernels before the section of kernels with one
// error each are correct and give the same results on a GPU.
#include "async_copy.cuh"
#include "barrier.cuh"
#include "cuda.cuh"
#include "mma.cuh"

constexpr unsigned whole_warp = 0xffffffffu;

__constant__ unsigned emulation_primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

static __device__ __forceinline__ unsigned linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ unsigned linear_block()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

// Each thread of a 3-D grid of 3-D blocks adds 1 to its own element of `out`, and writes its block and thread
// coordinates there.
extern "C" __global__ void emulation_indices(unsigned* out)
{
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned* own = out + 8 * (linear_block() * threads + linear_thread());
    own[0] += 1;
    own[1] = blockIdx.x;
    own[2] = blockIdx.y;
    own[3] = blockIdx.z;
    own[4] = threadIdx.x;
    own[5] = threadIdx.y;
    own[6] = threadIdx.z;
    own[7] = emulation_primes[linear_thread() % 8];
}

// Each warp writes the results of eleven warp functions (shuffles, votes and matches) to `out`, with one
// number per lane for each function.
extern "C" __global__ void emulation_shuffles(const unsigned* in, unsigned* out, int width, int source, unsigned delta)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned value = in[threadIdx.x];
    unsigned* own = out + threadIdx.x / 32 * 11 * 32 + lane;
    own[0] = __shfl_sync(whole_warp, value, source, width);
    own[32] = __shfl_up_sync(whole_warp, value, delta, width);
    own[64] = __shfl_down_sync(whole_warp, value, delta, width);
    own[96] = __shfl_xor_sync(whole_warp, value, static_cast<int>(delta), width);
    own[128] = __ballot_sync(whole_warp, value % 3 == 0);
    own[160] = __any_sync(whole_warp, value == in[0]) | __all_sync(whole_warp, value >= in[0]) << 1;
    // Lanes exchange values within half of the warp, then within a part of this half, then in the whole warp
    // again. Some lanes reach a later exchange before other lanes have finished an earlier one.
    if (lane < 16) {
        own[192] = __shfl_sync(0x0000ffffu, value, static_cast<int>(lane ^ 5u));
        if (lane < 4) own[192] += __shfl_xor_sync(0x0000000fu, value, 1);
    } else {
        own[192] = __ballot_sync(0xffff0000u, value % 2);
    }
    own[224] = __match_any_sync(whole_warp, value % 5);
    const double wide = 1.0 / (1.0 + value);
    own[256] = __shfl_sync(whole_warp, wide, 7) == 1.0 / (1.0 + in[threadIdx.x / 32 * 32 + 7]);
    __syncwarp();
    const float2 pair = make_float2(__shfl_xor_sync(whole_warp, 0.5f * value, 3), 1.0f);
    own[288] = static_cast<unsigned>(2.0f * pair.x * pair.y);
    own[320] = (__activemask() >> lane) & 1u;
}

// Groups of eight threads exit one after another. The remaining threads still synchronise at barriers and
// within warps.
extern "C" __global__ void emulation_leaving(unsigned* out)
{
    for (unsigned turn = 0; turn < blockDim.x; turn += 8) {
        if (threadIdx.x < turn) return;
        const int count = __syncthreads_count(threadIdx.x % 2 == 0);
        const int all = __syncthreads_and(threadIdx.x >= turn), any = __syncthreads_or(threadIdx.x == turn);
        const unsigned ballot = __ballot_sync(whole_warp, 1);
        if (threadIdx.x == blockDim.x - 1) {
            out[turn / 2] = static_cast<unsigned>(count);
            out[turn / 2 + 1] = static_cast<unsigned>(all);
            out[turn / 2 + 2] = static_cast<unsigned>(any);
            out[turn / 2 + 3] = ballot;
        }
    }
}

// The code that one warp runs. In each round, each lane writes a number to shared memory. It then adds a
// number that the partner warp has written to its sum. The partner is the next or the previous warp.
template <unsigned WARP>
static __device__ __forceinline__ unsigned hand_on(unsigned* numbers, unsigned rounds)
{
    constexpr unsigned pair = WARP / 2, partner = WARP ^ 1u;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        numbers[threadIdx.x] = 1000 * WARP + 10 * round + threadIdx.x % 2;
        barrier_sync(1 + pair, 64);
        sum += numbers[32 * partner + (threadIdx.x + 1) % 32];
        barrier_sync(1 + pair, 64);
    }
    numbers[threadIdx.x] = sum;
    barrier_sync(15, 128);
    return sum + numbers[(threadIdx.x + 64) % 128];
}

// Two pairs of warps run different numbers of rounds. Each pair synchronises at its own barrier in each
// round, and all four warps synchronise at the end.
extern "C" __global__ void __launch_bounds__(128) emulation_named_barriers(unsigned* out, unsigned rounds)
{
    __shared__ unsigned numbers[128];
    switch (threadIdx.x / 32) {
    case 0: out[threadIdx.x] = hand_on<0>(numbers, rounds); break;
    case 1: out[threadIdx.x] = hand_on<1>(numbers, rounds); break;
    case 2: out[threadIdx.x] = hand_on<2>(numbers, 3 * rounds); break;
    default: out[threadIdx.x] = hand_on<3>(numbers, 3 * rounds);
    }
}

// The lanes of two warps exit one after another. A warp whose lanes have all exited takes part in no further
// barrier.
extern "C" __global__ void __launch_bounds__(64) emulation_leaving_named(unsigned* out)
{
    __shared__ unsigned turns[2];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (unsigned turn = 0; turn < 31; ++turn) {
        if (lane < turn) return;
        if (lane == 31) turns[warp] = turn + 100 * warp;
        barrier_sync(7, 64);
        if (lane == turn) out[threadIdx.x] = turns[warp ^ 1u];
        barrier_sync(7, 64);
    }
    if (warp == 1) return;
    barrier_sync(7, 32);
    out[31] = 1;
}

// Each block sums its row of numbers: within warps by shuffles, and across warps through static shared
// memory. It also copies its row in reverse order through dynamic shared memory.
extern "C" __global__ void __launch_bounds__(256) emulation_block_sum(const float* __restrict__ in, float* __restrict__ sums,
                                                                     float* __restrict__ backwards)
{
    __shared__ float of_warps[8];
    __shared__ unsigned warps;
    DYNAMIC_SHARED(float, row);
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) warps = blockDim.x / 32;
    const float value = __ldg(in + at);
    row[threadIdx.x] = value;
    float sum = value;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(whole_warp, sum, offset);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    backwards[at] = row[blockDim.x - 1 - threadIdx.x];
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (unsigned warp = 0; warp < warps; ++warp) sum += of_warps[warp];
        sums[blockIdx.x] = sum;
    }
}

// Checks which argument types the atomic functions accept. With every compiler these must be the types that
// GPUs of compute capability 7.5 accept.
#define TAKES(FUNCTION, ...)                                                                                           \
    template <class T, class = void>                                                                                   \
    struct FUNCTION##_takes {                                                                                          \
        static constexpr bool value = false;                                                                           \
    };                                                                                                                 \
    template <class T>                                                                                                 \
    struct FUNCTION##_takes<T, decltype(static_cast<void>(FUNCTION(static_cast<T*>(nullptr), __VA_ARGS__)))> {         \
        static constexpr bool value = true;                                                                            \
    };
TAKES(atomicAdd, T())
TAKES(atomicMax, T())
TAKES(atomicExch, T())
TAKES(atomicInc, T())
TAKES(atomicCAS, T(), T())
static_assert(atomicAdd_takes<int>::value && atomicAdd_takes<unsigned>::value && atomicAdd_takes<float>::value &&
                  atomicAdd_takes<unsigned long long>::value && atomicAdd_takes<double>::value,
              "atomicAdd takes whole and real numbers of 32 and 64 bits");
static_assert(!atomicAdd_takes<unsigned short>::value && !atomicAdd_takes<short>::value &&
                  !atomicAdd_takes<unsigned char>::value && !atomicAdd_takes<long long>::value,
              "atomicAdd takes no others");
static_assert(atomicMax_takes<long long>::value && !atomicMax_takes<float>::value, "atomicMax takes whole numbers");
static_assert(atomicExch_takes<float>::value && !atomicExch_takes<double>::value, "atomicExch takes no double");
static_assert(atomicInc_takes<unsigned>::value && !atomicInc_takes<int>::value, "atomicInc takes unsigned alone");
static_assert(atomicCAS_takes<unsigned short>::value && !atomicCAS_takes<short>::value && !atomicCAS_takes<float>::value,
              "atomicCAS alone takes 16 bits");

// Every thread adds its number to one sum in global memory and to one sum of its block in shared memory.
#define ATOMIC_ADD(NAME, TYPE)                                                                                         \
    extern "C" __global__ void emulation_atomic_add_##NAME(TYPE* sum, TYPE* sums_of_blocks)                            \
    {                                                                                                                  \
        __shared__ TYPE of_block;                                                                                      \
        if (threadIdx.x == 0) of_block = 0;                                                                            \
        __syncthreads();                                                                                               \
        atomicAdd(sum, static_cast<TYPE>(threadIdx.x + 1));                                                            \
        atomicAdd(&of_block, static_cast<TYPE>(threadIdx.x + 1));                                                      \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) sums_of_blocks[blockIdx.x] = of_block;                                                   \
    }
ATOMIC_ADD(i32, int)
ATOMIC_ADD(u32, unsigned)
ATOMIC_ADD(u64, unsigned long long)
ATOMIC_ADD(f32, float)
ATOMIC_ADD(f64, double)

extern "C" __global__ void emulation_atomics(int* places, unsigned long long* ticket)
{
    const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicMax(places + 0, number);
    atomicMin(places + 1, -number);
    atomicAnd(places + 2, ~(1 << number % 31));
    atomicOr(places + 3, 1 << number % 31);
    atomicXor(places + 4, number);
    atomicExch(places + 5, number);
    atomicSub(places + 6, 2);
    for (int seen = places[7];;) {
        const int before = atomicCAS(places + 7, seen, seen + 3);
        if (before == seen) break;
        seen = before;
    }
    __threadfence();
    atomicMax(ticket, static_cast<unsigned long long>(number) << 32);
}

// Threads of several warps of one block increase a counter one at a time, protected by a lock. They wait for
// the lock without a barrier.
extern "C" __global__ void emulation_lock(unsigned* lock, unsigned* counter)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            __threadfence();
            *static_cast<volatile unsigned*>(counter) += 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

extern "C" __global__ void emulation_integers(const unsigned* in, unsigned long long* out)
{
    const unsigned a = in[threadIdx.x], b = in[blockDim.x - 1 - threadIdx.x];
    const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
    unsigned long long* own = out + 16 * threadIdx.x;
    own[0] = __popc(a);
    own[1] = __popcll(wide);
    own[2] = __clz(static_cast<int>(a));
    own[3] = __clzll(static_cast<long long>(wide));
    own[4] = __ffs(static_cast<int>(a));
    own[5] = __ffsll(static_cast<long long>(wide));
    own[6] = __brev(a);
    own[7] = __brevll(wide);
    own[8] = __umulhi(a, b);
    own[9] = __umul64hi(wide, ~wide);
    own[10] = __funnelshift_l(a, b, a % 32);
    own[11] = __funnelshift_r(a, b, a % 32);
    own[12] = __byte_perm(a, b, 0x6240);
    own[13] = min(a, b);
    own[14] = static_cast<unsigned long long>(max(static_cast<long long>(a), 1ll - static_cast<long long>(b)));
    own[15] = __double_as_longlong(__longlong_as_double(static_cast<long long>(wide))) ==
              static_cast<long long>(wide);
}

extern "C" __global__ void emulation_reals(const float* in, float* out, const double* in64, double* out64, long long* whole)
{
    const unsigned next = (threadIdx.x + 1) % blockDim.x;
    const float a = in[threadIdx.x], b = in[next];
    float* own = out + 12 * threadIdx.x;
    own[0] = __fmul_rn(a, b) + a; // Two roundings.
    own[1] = fmaf(a, b, a); // One rounding.
    own[2] = __fadd_rn(a, b);
    own[3] = __fdiv_rn(a, b);
    own[4] = __fsqrt_rn(fabsf(a));
    own[5] = fminf(a, b);
    own[6] = max(a, b);
    own[7] = __uint_as_float(__float_as_uint(a) ^ 0x80000000u);
    own[8] = static_cast<float>(__float2int_rn(a));
    own[9] = static_cast<float>(__float2int_rz(a));
    own[10] = floorf(a);
    own[11] = a * b + a; // Compilers keep this as two roundings.
    const double c = in64[threadIdx.x], d = in64[next];
    double* own64 = out64 + 8 * threadIdx.x;
    own64[0] = __dmul_rn(c, d) + c;
    own64[1] = fma(c, d, c);
    own64[2] = __dadd_rn(c, d);
    own64[3] = __dsqrt_rn(fabs(c));
    own64[4] = __ll2double_rn(__double2ll_rn(c));
    own64[5] = rint(c);
    own64[6] = fmax(c, d);
    own64[7] = c / d;
    whole[2 * threadIdx.x] = __double2ll_rn(c * 1e6);
    whole[2 * threadIdx.x + 1] = __float2ll_rn(a);
}

// Writes the results of mathematical functions whose last bits differ between platforms.
extern "C" __global__ void emulation_functions(const float* in, float* out)
{
    const float x = in[threadIdx.x];
    float* own = out + 8 * threadIdx.x;
    own[0] = rsqrtf(x);
    sincospif(x, own + 1, own + 2);
    own[3] = expf(-x);
    own[4] = logf(x);
    double sine, cosine;
    sincospi(static_cast<double>(x), &sine, &cosine);
    own[5] = static_cast<float>(sine);
    own[6] = static_cast<float>(cosine);
    own[7] = norm3df(x, 2.0f * x, 2.0f * x);
}

template <class T>
static __device__ unsigned layout()
{
    return static_cast<unsigned>(sizeof(T) << 8 | alignof(T));
}

extern "C" __global__ void emulation_layouts(unsigned* out)
{
    const unsigned layouts[] = {layout<float2>(), layout<float3>(),  layout<float4>(), layout<double2>(),
                                layout<int2>(),   layout<int4>(),    layout<uint2>(),  layout<uint4>(),
                                layout<ushort2>(), layout<ushort4>(), layout<uchar4>(), layout<ulonglong2>()};
    for (unsigned at = 0; at < 12; ++at) out[at] = layouts[at];
    const float4 four = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    const uint2 two = make_uint2(5, 6);
    out[12] = static_cast<unsigned>(four.x + 10.0f * four.w) + 100 * two.x + 1000 * two.y;
}

extern "C" __global__ void emulation_parameters(unsigned char flag, double real, float single, long long wide,
                                                const float* pointer, unsigned short small, double* out)
{
    out[0] = flag + real + single + static_cast<double>(wide) + small + (pointer == nullptr ? 0.5 : pointer[0]);
}

extern "C" __global__ void emulation_increment(unsigned* values, unsigned count)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) values[at] += 1;
}

// Computes D = A B + D in one warp. Matrices are stored row by row: A is 16 x 16, B is 16 x 8 and D is 16 x 8.
extern "C" __global__ void emulation_matrix_product(const float* a, const float* b, float* d)
{
    const unsigned g = threadIdx.x / 4, t = threadIdx.x % 4;
    unsigned left[4], right[2];
    for (unsigned at = 0; at < 4; ++at) {
        const float* pair = a + (g + 8 * (at % 2)) * 16 + 2 * t + 8 * (at / 2);
        left[at] = pack_f16(pair[0], pair[1]);
    }
    for (unsigned at = 0; at < 2; ++at) {
        const float* pair = b + (2 * t + 8 * at) * 8 + g;
        right[at] = pack_f16(pair[0], pair[8]);
    }
    float sum[4];
    for (unsigned at = 0; at < 4; ++at) sum[at] = d[(g + 8 * (at / 2)) * 8 + 2 * t + at % 2];
    mma_f16_16x8x16(sum, left, right);
    for (unsigned at = 0; at < 4; ++at) d[(g + 8 * (at / 2)) * 8 + 2 * t + at % 2] = sum[at];
}

extern "C" __global__ void emulation_halves(const float* in, unsigned* bits, float* back)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    bits[at] = pack_f16(in[2 * at], in[2 * at + 1]);
    const float2 pair = unpack_f16(bits[at]);
    back[2 * at] = pair.x;
    back[2 * at + 1] = pair.y;
}

// Copies rows of numbers, four per thread, asynchronously through shared memory. Up to two groups of copies
// are pending at a time.
extern "C" __global__ void emulation_async_copy(const float4* in, float4* out, unsigned rows)
{
    DYNAMIC_SHARED(float4, stages);
    const unsigned width = blockDim.x;
    async_copy_16(stages + threadIdx.x, in + threadIdx.x);
    async_copy_commit();
    for (unsigned row = 0; row < rows; ++row) {
        if (row + 1 < rows) async_copy_16(stages + (row + 1) % 2 * width + threadIdx.x, in + (row + 1) * width + threadIdx.x);
        async_copy_commit();
        async_copy_wait<1>();
        __syncthreads();
        out[row * width + threadIdx.x] = stages[row % 2 * width + (threadIdx.x + 1) % width];
        __syncthreads();
    }
}

// Reverses a row of numbers through shared memory, with asynchronous copies. If `waits` is 0, the kernel does
// not wait for the copies, which is wrong.
extern "C" __global__ void emulation_async_copy_words(const unsigned* in, unsigned* out, int waits)
{
    DYNAMIC_SHARED(unsigned, staged);
    async_copy_4(staged + threadIdx.x, in + threadIdx.x);
    async_copy_commit();
    if (waits) async_copy_wait<0>();
    __syncthreads();
    out[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// ---- kernels with one error each: for the emulation only

extern "C" __global__ void emulation_wrong_race(unsigned* out)
{
    __shared__ unsigned values[64];
    values[threadIdx.x] = threadIdx.x;
    // A barrier is missing here: threads read elements of `values` that other threads may not have written
    // yet.
    out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

extern "C" __global__ void emulation_wrong_order(unsigned* last)
{
    atomicExch(last, blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void emulation_wrong_barrier(unsigned* out)
{
    if (threadIdx.x == 3 && blockIdx.x == 1) {
        while (*static_cast<volatile unsigned*>(out) == 0) __syncwarp(1u << 3 | 1u << 4);
    }
    __syncthreads();
}

extern "C" __global__ void emulation_wrong_shuffle(unsigned* out)
{
    if (threadIdx.x < 8) out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x, 0);
    else __syncthreads();
}

extern "C" __global__ void emulation_wrong_mask(unsigned* out)
{
    out[threadIdx.x] = __shfl_sync(0x000000ffu, threadIdx.x, 0);
}

extern "C" __global__ void emulation_wrong_barriers(unsigned* out)
{
    if (threadIdx.x % 2 == 0) __syncthreads();
    else out[0] = static_cast<unsigned>(__syncthreads_count(1));
}

template <unsigned WARP>
static __device__ __forceinline__ void meet()
{
    __syncthreads();
}

extern "C" __global__ void emulation_wrong_code()
{
    if (threadIdx.x < 32) meet<0>();
    else meet<1>();
}

extern "C" __global__ void emulation_wrong_meeting(unsigned number, unsigned threads)
{
    if (threadIdx.x < 64) barrier_sync(number, threads);
}

extern "C" __global__ void emulation_wrong_count() { barrier_sync(1, threadIdx.x < 32 ? 64 : 96); }

extern "C" __global__ void emulation_wrong_lanes()
{
    if (threadIdx.x % 2 == 0) barrier_sync(1, 32);
    else barrier_sync(1, 32);
}

extern "C" __global__ void emulation_wrong_place(unsigned* out, unsigned count) { out[count] = 1; }

extern "C" __global__ void emulation_wrong_read(const unsigned* in, unsigned* out, unsigned count) { out[0] = in[count]; }

extern "C" __global__ void emulation_wrong_shared(unsigned count)
{
    DYNAMIC_SHARED(unsigned, values);
    values[count] = 1;
}

extern "C" __global__ void emulation_wrong_index(unsigned* out, unsigned at)
{
    __shared__ unsigned values[4];
    values[threadIdx.x % 4] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[at];
}

// Reads shared memory that was never written.
extern "C" __global__ void emulation_wrong_unwritten(unsigned* out)
{
    __shared__ unsigned fixed[2];
    DYNAMIC_SHARED(unsigned, asked);
    out[2 * blockIdx.x] = fixed[1];
    out[2 * blockIdx.x + 1] = asked[0];
    fixed[1] = asked[0] = 7;
}

extern "C" __global__ void emulation_wrong_trap(unsigned* out)
{
    if (out[0] == 0) __trap();
}
