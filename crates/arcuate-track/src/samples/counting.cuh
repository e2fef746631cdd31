// All lanes of a warp together count the voxels or matrix columns in the list of a streamline.
#pragma once

#include "warp.cuh"

// Counts each voxel of one streamline once, with all lanes of a warp. `voxels` lists `count` voxels in the
// order in which the streamline passes them. The voxel `own` is not counted. Voxels that do not fit into the
// hash table are counted in another round.
__device__ __forceinline__ void count_voxels(u32 lane, u32* table, u32* voxels, const u32* steps, u32 count, u32 own, u32* counts,
                                             u64* sums)
{
  u32 room = 64;
  while (room < ROOM && room < 2 * count) room *= 2;
  for (;;) {
    for (u32 n = lane; n < room; n += 32) table[n] = NOWHERE;
    __syncwarp();
    bool left = false;
    for (u32 begin = 0; begin < count; begin += 32) {
      const u32 n = begin + lane;
      const u32 voxel = n < count ? voxels[n] : NOWHERE;
      // The first lane among the lanes with the same voxel counts this voxel, with its own number of steps.
      const u32 same = __match_any_sync(ALL, voxel);
      const bool leads = voxel != NOWHERE && voxel != own && static_cast<u32>(__ffs(static_cast<int>(same))) == lane + 1;
      bool placed = !leads;
      if (leads) {
        u32 at = (voxel * 0x9e3779b1u) >> 8 & (room - 1);
        for (u32 probe = 0; probe < room; ++probe) {
          const u32 known = atomicCAS(&table[at], NOWHERE, voxel);
          if (known == NOWHERE) {
            atomicAdd(&counts[voxel], 1u);
            if (sums) atomicAdd(&sums[voxel], static_cast<u64>(steps[n]));
          }
          if (known == NOWHERE || known == voxel) {
            placed = true;
            break;
          }
          at = (at + 1) & (room - 1);
        }
      }
      // `without` contains the lanes whose voxel found no place in the hash table. Several lanes can have the
      // same voxel. If the first of these lanes found no place, the others have none, either.
      const u32 without = __ballot_sync(ALL, !placed);
      const bool stays = voxel != NOWHERE && (without & same) != 0;
      left = left || stays;
      if (2 * count > room && n < count && !stays) voxels[n] = NOWHERE;
      __syncwarp();
    }
    if (!__any_sync(ALL, left)) return;
    __syncwarp();
  }
}

// Counts each different matrix column in the list of a streamline once, and sums the number of steps to its
// first occurrence. The list can be in any order; `ranks` gives the order in which the streamline met the
// columns.
__device__ __forceinline__ void count_ranked(u32 lane, u32* table, u32* least, u32* entries, const u32* ranks, u32 count, u32 own,
                                             u32* counts, u64* sums)
{
  for (;;) {
    for (u32 n = lane; n < ROOM; n += 32) table[n] = least[n] = NOWHERE;
    __syncwarp();
    bool left = false;
    for (u32 n = lane; n < count; n += 32) {
      const u32 entry = entries[n];
      if (entry == NOWHERE || entry == own) continue;
      bool placed = false;
      u32 at = (entry * 0x9e3779b1u) >> 8 & (ROOM - 1);
      for (u32 probe = 0; probe < ROOM && !placed; ++probe) {
        const u32 known = atomicCAS(&table[at], NOWHERE, entry);
        placed = known == NOWHERE || known == entry;
        if (placed) atomicMin(&least[at], ranks[n]);
        at = (at + 1) & (ROOM - 1);
      }
      // Either all copies of a column number find a place in the hash table, or none does, because no number
      // leaves the table in a round.
      if (placed) entries[n] = NOWHERE;
      left = left || !placed;
    }
    __syncwarp();
    for (u32 n = lane; n < ROOM; n += 32) {
      if (table[n] == NOWHERE) continue;
      atomicAdd(&counts[table[n]], 1u);
      atomicAdd(&sums[table[n]], static_cast<u64>(least[n] & ~BEHIND));
    }
    if (!__any_sync(ALL, left)) return;
    __syncwarp();
  }
}
