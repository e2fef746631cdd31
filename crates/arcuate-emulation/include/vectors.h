// CUDA's built-in vector types with the alignment of the CUDA compiler.
#pragma once

#define ARCUATE_VECTORS(name, type)                                                                                    \
    struct name##1 {                                                                                                   \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct alignas(2 * sizeof(type)) name##2 {                                                                         \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 {                                            \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    inline name##1 make_##name##1(type x) { return {x}; }                                                              \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                                   \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                        \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

ARCUATE_VECTORS(char, signed char)
ARCUATE_VECTORS(uchar, unsigned char)
ARCUATE_VECTORS(short, short)
ARCUATE_VECTORS(ushort, unsigned short)
ARCUATE_VECTORS(int, int)
ARCUATE_VECTORS(uint, unsigned)
ARCUATE_VECTORS(longlong, long long)
ARCUATE_VECTORS(ulonglong, unsigned long long)
ARCUATE_VECTORS(float, float)
ARCUATE_VECTORS(double, double)
#undef ARCUATE_VECTORS

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
