// Random numbers as a function of (seed, purpose, item, draw). They have the same bits as those of arcuate_compute::Random,
// which documents the generator and its source.
#pragma once

// Computes four random words with Philox4x32-10. They are the draws from number 4 · `block` onwards of the random stream
// of one seed, purpose and item, as computed by arcuate_compute::random_blocks. A purpose has at most 8 bits.
__device__ __forceinline__ uint4 random_block(
    unsigned long long seed, unsigned purpose, unsigned long long item, unsigned long long block)
{
    // The block number has more than 32 bits. Its high bits are stored in the same counter word as the purpose.
    unsigned c0 = static_cast<unsigned>(block);
    unsigned c1 = static_cast<unsigned>(item);
    unsigned c2 = static_cast<unsigned>(item >> 32);
    unsigned c3 = purpose | static_cast<unsigned>(block >> 32) << 8;
    unsigned k0 = static_cast<unsigned>(seed), k1 = static_cast<unsigned>(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned long long product0 = 0xd2511f53ull * c0;
        const unsigned long long product1 = 0xcd9e8d57ull * c2;
        c0 = static_cast<unsigned>(product1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<unsigned>(product1);
        c2 = static_cast<unsigned>(product0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<unsigned>(product0);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    uint4 words;
    words.x = c0;
    words.y = c1;
    words.z = c2;
    words.w = c3;
    return words;
}
