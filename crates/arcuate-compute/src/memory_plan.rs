use crate::bytes::show_bytes;
use arcuate_core::{Error, Result};
use std::ops::Range;

/// Bytes of one of the two places through which items are streamed, where nothing demands more: enough for copies to
/// run at full speed, little enough to leave the memory to what stays.
const PLACE: u64 = 256 << 20;

/// What a piece of work needs on a GPU, said before anything is allocated: bytes that are there all the time, and a row
/// of items, in order, that can be worked on a few at a time.
///
/// [`MemoryPlan::cut`] cuts the items for the memory there is. All of them stay in the GPU where they fit; otherwise as
/// many as fit stay, and the rest is streamed through two places that take turns, one being filled while the other is
/// worked on ([`Staging`](crate::cuda::Staging)).
pub struct MemoryPlan<'a> {
    what: &'a str,
    resident: u64,
    items: usize,
    bytes_before: Box<dyn Fn(usize) -> u64 + 'a>,
}

/// Items cut for the memory there is: those that stay, then those that are streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks {
    /// Items that stay in the GPU all the time, from the first on; may be none.
    pub kept: Range<usize>,
    /// The other items in order, a few at a time: each lot fits one place. None where everything stays.
    pub streamed: Vec<Range<usize>>,
    /// Bytes of each of the two places, enough for the largest lot; 0 where everything stays.
    pub place_bytes: u64,
}

impl<'a> MemoryPlan<'a> {
    /// A plan for `what` (as in "LiFE's operator"), of bytes that are there all the time and of `items` items.
    /// `bytes_before(n)` is what the items before item n need together, n = 0 ..= `items`: it grows, from 0 on, and
    /// counts all that comes with an item.
    pub fn new(what: &'a str, resident: u64, items: usize, bytes_before: impl Fn(usize) -> u64 + 'a) -> Self {
        Self { what, resident, items, bytes_before: Box::new(bytes_before) }
    }

    /// Bytes with which nothing has to be streamed.
    pub fn bytes(&self) -> u64 {
        self.resident.saturating_add((self.bytes_before)(self.items))
    }

    /// Cuts the items for `budget` bytes. Fails where the bytes that are there all the time and the largest item, twice,
    /// do not fit.
    pub fn cut(&self, budget: u64) -> Result<Chunks> {
        self.cut_with_places_of(PLACE, budget)
    }

    fn cut_with_places_of(&self, place: u64, budget: u64) -> Result<Chunks> {
        if self.bytes() <= budget {
            return Ok(Chunks { kept: 0..self.items, streamed: Vec::new(), place_bytes: 0 });
        }
        let largest = (0..self.items).map(|item| self.bytes_of(&(item..item + 1))).max().unwrap_or(0);
        let least = self.resident.saturating_add(largest.saturating_mul(2));
        if least > budget {
            let problem = format!(
                "{} needs {} of GPU memory at the least, and {} may be used",
                self.what,
                show_bytes(least),
                show_bytes(budget)
            );
            let advice = "raise the limit, close other programs that use the GPU, or use --device cpu";
            return Err(Error::device_too_small("--device-memory", problem, advice));
        }
        let free = budget - self.resident;
        // Where memory is short, small places leave most of it to items that stay, which are never copied again.
        let place = place.min(free / 16).max(largest);
        let kept = 0..self.end_of(0, free - 2 * place);
        let mut streamed = Vec::new();
        let mut start = kept.end;
        while start < self.items {
            // No item is larger than a place, so each lot has one at least.
            let end = self.end_of(start, place);
            streamed.push(start..end);
            start = end;
        }
        let place_bytes = streamed.iter().map(|lot| self.bytes_of(lot)).max().unwrap_or(0);
        Ok(Chunks { kept, streamed, place_bytes })
    }

    fn bytes_of(&self, items: &Range<usize>) -> u64 {
        (self.bytes_before)(items.end) - (self.bytes_before)(items.start)
    }

    /// The end of the longest row of items from `start` on that needs no more than `bytes`.
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

impl std::fmt::Debug for MemoryPlan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryPlan({}: {} bytes and {} items)", self.what, self.resident, self.items)
    }
}

impl Chunks {
    /// Whether everything stays in the GPU.
    pub fn all_stay(&self) -> bool {
        self.streamed.is_empty()
    }

    /// All lots in order of their items: what stays first, where anything does.
    pub fn lots(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let kept = (!self.kept.is_empty()).then(|| self.kept.clone());
        kept.into_iter().chain(self.streamed.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Random};

    /// Bytes before each item, and after the last.
    fn sums(bytes: &[u64]) -> Vec<u64> {
        let mut sums = vec![0];
        for (n, bytes) in bytes.iter().enumerate() {
            sums.push(sums[n] + bytes);
        }
        sums
    }

    fn cut(bytes: &[u64], resident: u64, place: u64, budget: u64) -> Result<Chunks> {
        let sums = sums(bytes);
        MemoryPlan::new("the test", resident, bytes.len(), |n| sums[n]).cut_with_places_of(place, budget)
    }

    #[test]
    fn everything_stays_where_it_fits() {
        let chunks = cut(&[10, 20, 30], 5, 16, 65).unwrap();
        assert_eq!(chunks, Chunks { kept: 0..3, streamed: vec![], place_bytes: 0 });
        assert!(chunks.all_stay());
        assert_eq!(chunks.lots().collect::<Vec<_>>(), vec![0..3]);
        assert!(cut(&[10, 20, 30], 5, 16, 64).is_err());
    }

    #[test]
    fn what_does_not_fit_is_streamed_and_the_rest_stays() {
        // 410 − 10 bytes: two places of 20 leave 360 for items that stay.
        let chunks = cut(&[10; 41], 10, 20, 410).unwrap();
        assert_eq!(chunks.kept, 0..36);
        assert_eq!(chunks.streamed, vec![36..38, 38..40, 40..41]);
        assert_eq!(chunks.place_bytes, 20);
        assert_eq!(chunks.lots().count(), 4);
    }

    #[test]
    fn places_shrink_with_the_memory_and_grow_with_the_items() {
        // 39 bytes are free: places of one item, and one that stays.
        let tight = cut(&[10; 4], 0, 20, 39).unwrap();
        assert_eq!((tight.kept.clone(), tight.streamed.len(), tight.place_bytes), (0..1, 3, 10));
        let tighter = cut(&[10; 4], 0, 20, 29).unwrap();
        assert_eq!((tighter.kept.clone(), tighter.lots().count()), (0..0, 4));
        // A sixteenth of 320 each.
        let roomy = cut(&[5; 100], 0, 1000, 320).unwrap();
        assert_eq!((roomy.kept.clone(), roomy.streamed.len(), roomy.place_bytes), (0..56, 11, 20));
        // One item is larger than a place should be: the places have its size.
        let large = cut(&[10, 40, 10, 40], 0, 20, 95).unwrap();
        assert_eq!((large.kept.clone(), large.streamed.len(), large.place_bytes), (0..1, 3, 40));
    }

    #[test]
    fn too_little_memory_is_one_line_with_both_numbers() {
        let error = cut(&[600, 100], 1000, 256, 1500).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::DeviceTooSmall);
        assert_eq!(
            error.to_string(),
            "--device-memory: the test needs 2.15 KiB of GPU memory at the least, and 1.46 KiB may be used; raise the \
             limit, close other programs that use the GPU, or use --device cpu"
        );
        // Not even what is there all the time fits.
        assert!(cut(&[], 1000, 256, 999).is_err());
        assert!(cut(&[], 1000, 256, 1000).unwrap().all_stay());
    }

    #[test]
    fn every_cut_is_whole_in_order_and_within_the_budget() {
        let mut random = Random::new(1, Purpose::Resampling, 0);
        let mut streamed = 0;
        for _ in 0..2000 {
            let bytes: Vec<u64> = (0..random.below(40)).map(|_| random.below(50) as u64).collect();
            let sums = sums(&bytes);
            let total = sums[bytes.len()];
            let (resident, place) = (random.below(100) as u64, 1 + random.below(200) as u64);
            let budget = random.below((resident + total + 20) as usize) as u64;
            let largest = bytes.iter().copied().max().unwrap_or(0);
            let plan = MemoryPlan::new("the test", resident, bytes.len(), |n| sums[n]);
            let Ok(chunks) = plan.cut_with_places_of(place, budget) else {
                assert!(resident + total > budget && resident + 2 * largest > budget);
                continue;
            };
            // Each item once, in order.
            let mut next = 0;
            for lot in chunks.lots() {
                assert!(lot.start == next && (lot.end > next || bytes.is_empty()), "{chunks:?}");
                next = lot.end;
            }
            assert_eq!(next, bytes.len());
            let of = |lot: &Range<usize>| sums[lot.end] - sums[lot.start];
            assert!(chunks.streamed.iter().all(|lot| of(lot) <= chunks.place_bytes));
            assert!(resident + of(&chunks.kept) + 2 * chunks.place_bytes <= budget, "{chunks:?} in {budget}");
            streamed += chunks.streamed.len();
        }
        assert!(streamed > 1000, "too few of the problems were cut");
    }
}
