// Logarithm, exponential, sine and cosine in plain double-precision operations. The results are bit-identical to
// `elementary/double.rs`, which describes the method and its accuracy. Both files perform the same operations in the
// same order; only operations without rounding may differ. Change both files together.
#pragma once

__device__ __forceinline__ unsigned long long elementary_bits(double x)
{
    return static_cast<unsigned long long>(__double_as_longlong(x));
}

__device__ __forceinline__ double elementary_number(unsigned long long bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}

// Returns 2^k for -1022 <= k <= 1023.
__device__ __forceinline__ double elementary_power_of_two(long long k)
{
    return elementary_number(static_cast<unsigned long long>(k + 1023) << 52);
}

// ln 2 as the sum of a high and a low part.
#define ELEMENTARY_LN_2_HIGH 0.6931471805598903
#define ELEMENTARY_LN_2_LOW 5.497923018708371e-14

__device__ __forceinline__ double elementary_ln(double x)
{
    const double infinity = elementary_number(0x7ff0000000000000ull);
    if (!(x > 0.0 && x < infinity)) {
        return x == 0.0 ? -infinity : x > 0.0 ? x : elementary_number(0x7ff8000000000000ull);
    }
    long long shift = 0;
    if (x < 2.2250738585072014e-308) {
        x *= elementary_power_of_two(54);
        shift = 54;
    }
    const unsigned long long bits = elementary_bits(x);
    const unsigned long long sqrt_half = 0x3fe6a09e667f3bcdull;
    long long k = static_cast<long long>(bits - sqrt_half) >> 52;
    const double m = elementary_number(bits - (static_cast<unsigned long long>(k) << 52));
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double sum = 2.0 / 21.0;
    sum = sum * z + 2.0 / 19.0;
    sum = sum * z + 2.0 / 17.0;
    sum = sum * z + 2.0 / 15.0;
    sum = sum * z + 2.0 / 13.0;
    sum = sum * z + 2.0 / 11.0;
    sum = sum * z + 2.0 / 9.0;
    sum = sum * z + 2.0 / 7.0;
    sum = sum * z + 2.0 / 5.0;
    sum = sum * z + 2.0 / 3.0;
    const double series = z * sum;
    const double exponent = static_cast<double>(k - shift);
    return exponent * ELEMENTARY_LN_2_HIGH + (f - (s * (f - series) - exponent * ELEMENTARY_LN_2_LOW));
}

__device__ __forceinline__ double elementary_exp(double x)
{
    if (x != x) return elementary_number(0x7ff8000000000000ull);
    if (x > 709.79) return elementary_number(0x7ff0000000000000ull);
    if (x < -745.14) return 0.0;
    const double exponent = floor(x * 1.4426950408889634 + 0.5);
    const double r = (x - exponent * ELEMENTARY_LN_2_HIGH) - exponent * ELEMENTARY_LN_2_LOW;
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 1.0 / 2.0;
    const double value = 1.0 + (r + r * r * sum);
    const long long k = static_cast<long long>(exponent);
    const long long half = k >> 1;
    return value * elementary_power_of_two(half) * elementary_power_of_two(k - half);
}

#undef ELEMENTARY_LN_2_HIGH
#undef ELEMENTARY_LN_2_LOW

__device__ __forceinline__ void elementary_sin_cos_turns(double turns, double* sin_of, double* cos_of)
{
    const double quarters = floor(4.0 * turns + 0.5);
    const double r = turns - 0.25 * quarters;
    const double z = r * r;
    double sum = 0.10422916220813984;
    sum = sum * z + -0.7181223017785006;
    sum = sum * z + 3.819952584848282;
    sum = sum * z + -15.09464257682299;
    sum = sum * z + 42.058693944897655;
    sum = sum * z + -76.70585975306139;
    sum = sum * z + 81.60524927607506;
    sum = sum * z + -41.34170224039976;
    const double tau_high = 6.283185243606567, tau_low = 6.357301909411278e-8;
    const double high = elementary_number(elementary_bits(r) & ~((1ull << 27) - 1));
    const double sin_r = high * tau_high + ((r - high) * tau_high + r * (tau_low + z * sum));
    sum = 0.28200596845579123;
    sum = sum * z + -1.714390711088672;
    sum = sum * z + 7.903536371318469;
    sum = sum * z + -26.4262567833744;
    sum = sum * z + 60.24464137187666;
    sum = sum * z + -85.45681720669373;
    sum = sum * z + 64.9393940226683;
    sum = sum * z + -19.739208802178716;
    const double cos_r = 1.0 + z * sum;
    const long long quarter = static_cast<long long>(quarters) & 3;
    const bool swapped = quarter & 1;
    const double sin_turned = swapped ? cos_r : sin_r;
    const double cos_turned = swapped ? sin_r : cos_r;
    *sin_of = quarter >= 2 ? -sin_turned : sin_turned;
    *cos_of = quarter == 1 || quarter == 2 ? -cos_turned : cos_turned;
}
