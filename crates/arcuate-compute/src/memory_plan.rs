//! Estimates how much GPU memory work needs, and divides the work into pieces that fit.

use crate::bytes::show_bytes;
use arcuate_core::{Error, Result};
use std::ops::Range;

/// Default size in bytes of each of the two staging slots. A slot is an area of GPU memory through which data
/// are copied in chunks. Slots of this size are copied at full speed, and leave memory for items that stay in
/// GPU memory.
const SLOT: u64 = 256 << 20;

/// The GPU memory that a computation needs, known before the memory is allocated. Some bytes are always in
/// GPU memory (resident). The number of other bytes depends on how the work is divided into pieces.
///
/// Work that processes the same sequence of items several times uses [`keep_most`](Self::keep_most), which
/// keeps as many items as possible in GPU memory. All other work, including [streamed](crate::streaming)
/// work, uses [`first_fit`](Self::first_fit).
#[derive(Debug, Clone, Copy)]
pub struct MemoryPlan<'a> {
    needs: &'a str,
    resident: u64,
}

/// A sequence of items that was divided to fit into GPU memory. The first items stay there; the other items
/// are copied to the GPU in chunks whenever they are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks {
    /// Items that stay in GPU memory, starting with the first item. The range may be empty.
    pub kept: Range<usize>,
    /// The items that do not stay in GPU memory, in order. Each chunk fits into one staging slot. Empty if
    /// all items stay in GPU memory.
    pub streamed: Vec<Range<usize>>,
    /// Size in bytes of each of the two staging slots, enough for the largest chunk. It is 0 if all items
    /// stay in GPU memory.
    pub slot_bytes: u64,
}

impl<'a> MemoryPlan<'a> {
    /// Creates a plan for work that always needs `resident` bytes of GPU memory. `needs` is the beginning of
    /// an error message: the name of the work with a verb, as in "LiFE's operator needs".
    pub fn new(needs: &'a str, resident: u64) -> Self {
        Self { needs, resident }
    }

    /// Finds the first division of the work into pieces that fits into `budget` bytes. The first candidate is
    /// the division `cut`; `smaller` returns each further candidate, until it returns `None`. `bytes`
    /// computes the bytes that a division needs in addition to the resident bytes.
    ///
    /// Returns an error if even the smallest division of the work does not fit.
    pub fn first_fit<C, E: Into<Error>>(
        &self,
        budget: u64,
        mut cut: C,
        bytes: impl Fn(&C) -> std::result::Result<u64, E>,
        smaller: impl Fn(&mut C) -> bool,
    ) -> Result<C> {
        loop {
            let needed = self.resident.saturating_add(bytes(&cut).map_err(Into::into)?);
            if needed <= budget {
                return Ok(cut);
            }
            if !smaller(&mut cut) {
                return Err(self.too_small(needed, budget));
            }
        }
    }

    /// Divides `items` items. `bytes_before(n)` is the number of bytes of all items before item n, for n = 0
    /// ..= `items`. `bytes_before(0)` is 0, the numbers increase with n, and they include all data of an
    /// item. If all items fit into `budget` bytes, they stay in GPU memory. If not, as many items as possible
    /// stay there. The other items are copied to the GPU in chunks, through two staging slots: one slot is
    /// filled while the other slot is processed ([`Staging`](crate::cuda::Staging)).
    ///
    /// Returns an error if the budget is below the resident bytes plus twice the size of the largest item.
    pub fn keep_most(
        &self,
        budget: u64,
        items: usize,
        bytes_before: impl Fn(usize) -> u64,
    ) -> Result<Chunks> {
        self.keep_beside_slots_of(SLOT, budget, &Row { items, bytes_before })
    }

    fn keep_beside_slots_of(
        &self,
        slot: u64,
        budget: u64,
        row: &Row<impl Fn(usize) -> u64>,
    ) -> Result<Chunks> {
        let items = row.items;
        if self.resident.saturating_add((row.bytes_before)(items)) <= budget {
            return Ok(Chunks { kept: 0..items, streamed: Vec::new(), slot_bytes: 0 });
        }
        let largest = (0..items).map(|item| row.bytes_of(&(item..item + 1))).max().unwrap_or(0);
        let minimum = self.resident.saturating_add(largest.saturating_mul(2));
        if minimum > budget {
            return Err(self.too_small(minimum, budget));
        }
        let free = budget - self.resident;
        // If little GPU memory is free, the slots are small. Then most of the memory is available for items
        // that stay, which are copied only once.
        let slot = slot.min(free / 16).max(largest);
        let kept = 0..row.end_of(0, free - 2 * slot);
        let mut streamed = Vec::new();
        let mut start = kept.end;
        while start < items {
            // No item is larger than a slot, so each chunk has at least one item.
            let end = row.end_of(start, slot);
            streamed.push(start..end);
            start = end;
        }
        let slot_bytes = streamed.iter().map(|chunk| row.bytes_of(chunk)).max().unwrap_or(0);
        Ok(Chunks { kept, streamed, slot_bytes })
    }

    fn too_small(&self, minimum: u64, budget: u64) -> Error {
        let problem = format!(
            "{} at least {} of GPU memory, but only {} may be used",
            self.needs,
            show_bytes(minimum),
            show_bytes(budget)
        );
        let advice = "raise the limit, close other programs that use the GPU, or use ‘device’ cpu";
        Error::device_too_small("‘device_memory’", problem, advice)
    }
}

/// Halves a number of items and rounds the half up to a multiple of `minimum`. Returns `false`, without a
/// change, if the number was at most `minimum`.
pub fn halve(count: &mut usize, minimum: usize) -> bool {
    let is_more = *count > minimum;
    if is_more {
        *count = (*count / 2).next_multiple_of(minimum);
    }
    is_more
}

/// A sequence of items in memory, and a function that returns the number of bytes before each item.
struct Row<F> {
    items: usize,
    bytes_before: F,
}

impl<F: Fn(usize) -> u64> Row<F> {
    fn bytes_of(&self, items: &Range<usize>) -> u64 {
        (self.bytes_before)(items.end) - (self.bytes_before)(items.start)
    }

    /// Finds the longest range of items that starts at item `start` and needs at most `bytes` bytes, and
    /// returns the end of this range.
    fn end_of(&self, start: usize, bytes: u64) -> usize {
        let (mut end, mut beyond) = (start, self.items + 1);
        while beyond - end > 1 {
            let middle = usize::midpoint(end, beyond);
            if self.bytes_of(&(start..middle)) <= bytes {
                end = middle;
            } else {
                beyond = middle;
            }
        }
        end
    }
}

impl Chunks {
    /// Returns whether all items stay in GPU memory.
    pub fn all_stay(&self) -> bool {
        self.streamed.is_empty()
    }

    /// All chunks as ranges of items, in the order of the items. If some items stay in GPU memory, they are
    /// the first chunk.
    pub fn all(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let kept = (!self.kept.is_empty()).then(|| self.kept.clone());
        kept.into_iter().chain(self.streamed.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Random};

    /// Returns the number of bytes before each item, and at the end the number of bytes of all items.
    fn sums(bytes: &[u64]) -> Vec<u64> {
        let mut sums = vec![0];
        for (n, bytes) in bytes.iter().enumerate() {
            sums.push(sums[n] + bytes);
        }
        sums
    }

    fn cut(bytes: &[u64], resident: u64, slot: u64, budget: u64) -> Result<Chunks> {
        let sums = sums(bytes);
        let row = Row { items: bytes.len(), bytes_before: |n| sums[n] };
        MemoryPlan::new("the test needs", resident).keep_beside_slots_of(slot, budget, &row)
    }

    #[test]
    fn data_that_fit_stay_resident() {
        let chunks = cut(&[10, 20, 30], 5, 16, 65).unwrap();
        assert_eq!(chunks, Chunks { kept: 0..3, streamed: vec![], slot_bytes: 0 });
        assert!(chunks.all_stay());
        assert_eq!(chunks.all().collect::<Vec<_>>(), vec![0..3]);
        assert!(cut(&[10, 20, 30], 5, 16, 64).is_err());
    }

    #[test]
    fn data_that_do_not_fit_are_streamed_and_the_rest_stays_resident() {
        // The memory budget is 410 bytes, of which 10 are resident. Two staging slots of 20 bytes leave 360
        // bytes for items that stay in GPU memory.
        let chunks = cut(&[10; 41], 10, 20, 410).unwrap();
        assert_eq!(chunks.kept, 0..36);
        assert_eq!(chunks.streamed, vec![36..38, 38..40, 40..41]);
        assert_eq!(chunks.slot_bytes, 20);
        assert_eq!(chunks.all().count(), 4);
    }

    #[test]
    fn slots_shrink_with_the_memory_and_grow_with_the_items() {
        // There are 39 free bytes, and each item has 10 bytes. So each of the two staging slots has one item,
        // and one item stays in GPU memory.
        let tight = cut(&[10; 4], 0, 20, 39).unwrap();
        assert_eq!((tight.kept.clone(), tight.streamed.len(), tight.slot_bytes), (0..1, 3, 10));
        let tighter = cut(&[10; 4], 0, 20, 29).unwrap();
        assert_eq!((tighter.kept.clone(), tighter.all().count()), (0..0, 4));
        // Each staging slot has a sixteenth of the 320 bytes of the budget.
        let roomy = cut(&[5; 100], 0, 1000, 320).unwrap();
        assert_eq!((roomy.kept.clone(), roomy.streamed.len(), roomy.slot_bytes), (0..56, 11, 20));
        // The largest item exceeds the default slot size, so the staging slots have the size of this item.
        let large = cut(&[10, 40, 10, 40], 0, 20, 95).unwrap();
        assert_eq!((large.kept.clone(), large.streamed.len(), large.slot_bytes), (0..1, 3, 40));
    }

    #[test]
    fn too_little_memory_is_one_line_with_required_and_available_bytes() {
        let error = cut(&[600, 100], 1000, 256, 1500).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::DeviceTooSmall);
        assert_eq!(
            error.to_string(),
            "‘device_memory’: the test needs at least 2.15 KiB of GPU memory, but only 1.46 KiB may be used; raise \
             the \
             limit, close other programs that use the GPU, or use ‘device’ cpu"
        );
        // The resident bytes alone exceed the budget.
        assert!(cut(&[], 1000, 256, 999).is_err());
        assert!(cut(&[], 1000, 256, 1000).unwrap().all_stay());
    }

    #[test]
    fn plans_are_complete_ordered_and_within_the_budget() {
        let mut random = Random::new(1, Purpose::Resampling, 0);
        let mut streamed = 0;
        for _ in 0..2000 {
            let bytes: Vec<u64> = (0..random.below(40)).map(|_| random.below(50) as u64).collect();
            let sums = sums(&bytes);
            let total = sums[bytes.len()];
            let (resident, slot) = (random.below(100) as u64, 1 + random.below(200) as u64);
            let budget = random.below((resident + total + 20) as usize) as u64;
            let largest = bytes.iter().copied().max().unwrap_or(0);
            let Ok(chunks) = cut(&bytes, resident, slot, budget) else {
                assert!(resident + total > budget && resident + 2 * largest > budget);
                continue;
            };
            // The chunks contain each item once, in order.
            let mut next = 0;
            for chunk in chunks.all() {
                assert!(chunk.start == next && (chunk.end > next || bytes.is_empty()), "{chunks:?}");
                next = chunk.end;
            }
            assert_eq!(next, bytes.len());
            let of = |chunk: &Range<usize>| sums[chunk.end] - sums[chunk.start];
            assert!(chunks.streamed.iter().all(|chunk| of(chunk) <= chunks.slot_bytes));
            assert!(resident + of(&chunks.kept) + 2 * chunks.slot_bytes <= budget, "{chunks:?} in {budget}");
            streamed += chunks.streamed.len();
        }
        assert!(streamed > 1000, "too few of the problems were cut");
    }
}
