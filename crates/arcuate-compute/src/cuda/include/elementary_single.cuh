// Exponential, logarithm, sine and cosine in single-precision operations. The results are bit-identical to
// elementary/single.rs, which describes the method and its accuracy. Both files perform the same operations in the same
// order; change them together.
#pragma once

// Adding and then subtracting SINGLE_ROUND rounds to the nearest integer. After the addition, the lowest bits of the
// sum hold this integer.
#define SINGLE_ROUND 12582912.0f
#define SINGLE_ROUND_BITS 0x4b400000u

// Returns 2^k for -126 <= k <= 127; the result is arbitrary for other k.
__device__ __forceinline__ float single_power_of_two(int k)
{
    return __uint_as_float((static_cast<unsigned>(k) + 127u) << 23);
}

__device__ __forceinline__ float single_nan() { return __uint_as_float(0x7fc00000u); }

__device__ __forceinline__ float single_exp(float x)
{
    const float above = x < -105.0f ? -105.0f : x;
    const float within = above > 89.0f ? 89.0f : above;
    const float shifted = fmaf(within, 1.442695f, SINGLE_ROUND);
    const float k = shifted - SINGLE_ROUND;
    const float r = fmaf(k, -1.4286068e-6f, fmaf(k, -0.69314575f, within));
    float sum = 0.0013838903f;
    sum = fmaf(sum, r, 0.008369192f);
    sum = fmaf(sum, r, 0.041668102f);
    sum = fmaf(sum, r, 0.16666517f);
    sum = fmaf(sum, r, 0.49999994f);
    const float value = fmaf(fmaf(sum, r, 1.0f), r, 1.0f);
    const int exponent = static_cast<int>(__float_as_uint(shifted) - SINGLE_ROUND_BITS);
    const int half = exponent >> 1;
    // The two integers are subtracted as unsigned numbers. If x is NaN, a signed subtraction could overflow.
    const int rest = static_cast<int>(static_cast<unsigned>(exponent) - static_cast<unsigned>(half));
    const float result = value * single_power_of_two(half) * single_power_of_two(rest);
    return x != x ? single_nan() : result;
}

__device__ __forceinline__ float single_decay(float x)
{
    const float within = x > -86.0f ? x : -86.0f;
    const float shifted = fmaf(within, 1.442695f, SINGLE_ROUND);
    const float r = fmaf(shifted - SINGLE_ROUND, -0.6931472f, within);
    float sum = 0.008312523f;
    sum = fmaf(sum, r, 0.04189015f);
    sum = fmaf(sum, r, 0.16667114f);
    sum = fmaf(sum, r, 0.4999923f);
    const float value = fmaf(fmaf(sum, r, 1.0f), r, 1.0f);
    return __uint_as_float(__float_as_uint(value) + (__float_as_uint(shifted) << 23));
}

__device__ __forceinline__ float single_inverse_root(float x)
{
    float y = __uint_as_float(0x5f375a86u - (__float_as_uint(x) >> 1));
    const float half = -0.5f * x;
    for (int step = 0; step < 3; ++step) y = y * fmaf(y * y, half, 1.5f);
    return y;
}

__device__ __forceinline__ float single_ln(float x)
{
    const float infinity = __uint_as_float(0x7f800000u);
    const bool small = x < 1.17549435e-38f;
    const float normal = small ? x * 8388608.0f : x;
    const int shift = small ? 23 : 0;
    const unsigned bits = __float_as_uint(normal);
    const unsigned two_thirds = 0x3f2aaaabu;
    const int exponent = static_cast<int>(bits - two_thirds) >> 23;
    const float m = __uint_as_float(bits - (static_cast<unsigned>(exponent) << 23));
    const float f = m - 1.0f;
    float sum = -0.12923583f;
    sum = fmaf(sum, f, 0.13996771f);
    sum = fmaf(sum, f, -0.12181344f);
    sum = fmaf(sum, f, 0.14004715f);
    sum = fmaf(sum, f, -0.1668066f);
    sum = fmaf(sum, f, 0.20010467f);
    sum = fmaf(sum, f, -0.24999794f);
    sum = fmaf(sum, f, 0.33333215f);
    const float series = fmaf(fmaf(sum, f, -0.5f), f * f, f);
    const float k = static_cast<float>(exponent - shift);
    const float result = fmaf(k, 0.6931472f, series);
    const float below = x == 0.0f ? -infinity : single_nan();
    const float finite = x > 0.0f ? result : below;
    return x == infinity ? x : finite;
}

// Computes the sine and cosine of an angle with the sign of x. The angle is the sum of `quarters` quarter turns and a
// remaining angle, whose sine and cosine are given. The results are NaN if `valid` is false.
__device__ __forceinline__ void single_turned(float x, bool valid, unsigned quarters, float sin_of_rest,
                                              float cos_of_rest, float* sin_of, float* cos_of)
{
    const bool swapped = quarters & 1;
    const float sin_turned = swapped ? cos_of_rest : sin_of_rest;
    const float cos_turned = swapped ? sin_of_rest : cos_of_rest;
    const unsigned sin_sign = ((quarters << 30) ^ __float_as_uint(x)) & 0x80000000u;
    const unsigned cos_sign = ((quarters + 1) << 30) & 0x80000000u;
    *sin_of = valid ? __uint_as_float(__float_as_uint(sin_turned) ^ sin_sign) : single_nan();
    *cos_of = valid ? __uint_as_float(__float_as_uint(cos_turned) ^ cos_sign) : single_nan();
}

__device__ __forceinline__ void single_sin_cos(float x, float* sin_of, float* cos_of)
{
    const float size = fabsf(x);
    const float shifted = fmaf(size, 0.63661975f, SINGLE_ROUND);
    const float quarters = shifted - SINGLE_ROUND;
    const float first = fmaf(quarters, -1.5707964f, size);
    const float product = quarters * -4.371139e-8f;
    const float high = first - product;
    const float rest = fmaf(quarters, -1.7151245e-15f, fmaf(quarters, -4.371139e-8f, -product));
    const float low = ((first - high) - product) - rest;
    const float z = high * high;
    float sum = -0.00019507883f;
    sum = fmaf(sum, z, 0.008332106f);
    sum = fmaf(sum, z, -0.16666654f);
    const float sin_of_rest = high + fmaf(high * z, sum, low);
    sum = 0.000024430745f;
    sum = fmaf(sum, z, -0.0013887301f);
    sum = fmaf(sum, z, 0.041666646f);
    const float cos_of_rest = 1.0f + fmaf(fmaf(sum, z, -0.5f), z, -(high * low));
    single_turned(x, size <= 1048576.0f, __float_as_uint(shifted), sin_of_rest, cos_of_rest, sin_of, cos_of);
}

__device__ __forceinline__ void single_sin_cos_turns(float turns, float* sin_of, float* cos_of)
{
    const float size = fabsf(turns);
    const float shifted = fmaf(size, 4.0f, SINGLE_ROUND);
    const float r = fmaf(shifted - SINGLE_ROUND, -0.25f, size);
    const float z = r * r;
    float sum = -75.42754f;
    sum = fmaf(sum, z, 81.59343f);
    sum = fmaf(sum, z, -41.34167f);
    const float sin_of_rest = fmaf(r, 6.2831855f, r * fmaf(sum, z, -1.7484555e-7f));
    sum = 58.62106f;
    sum = fmaf(sum, z, -85.42452f);
    sum = fmaf(sum, z, 64.93915f);
    sum = fmaf(sum, z, -19.739208f);
    const float cos_of_rest = fmaf(sum, z, 1.0f);
    single_turned(turns, size <= 1048576.0f, __float_as_uint(shifted), sin_of_rest, cos_of_rest, sin_of, cos_of);
}

#undef SINGLE_ROUND
#undef SINGLE_ROUND_BITS
