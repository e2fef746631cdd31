//! Sums over pairs of elements that may need more than the available memory. The sums are sorted by pair. If
//! they do not fit in memory, a file stores the rest.

use arcuate_core::{Error, Result, high_half, low_half};
use arcuate_io::SpillFile;
use bytemuck::{Pod, Zeroable};
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::path::Path;

/// The sums of one pair of elements (a matrix row and a column): the number of streamlines, and the total
/// number of steps between the two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PairSum {
    /// Sort key of the pair. The upper 32 bits are the matrix row, and the lower 32 bits are the column, so
    /// that pairs are sorted by row.
    key: u64,
    pub(super) count: u64,
    pub(super) steps: u64,
}

const BYTES: usize = size_of::<PairSum>();
/// Minimum number of sums that are read in one operation from each sorted run (a sorted section) of the file.
const MIN_SUMS_PER_READ: usize = 256;

impl PairSum {
    /// Creates the sums of one streamline, with this number of steps between the two elements.
    pub(super) fn new(row: u32, column: u32, steps: u32) -> Self {
        Self::of(row, column, 1, u64::from(steps))
    }

    /// Creates the sums of `count` streamlines, which have `steps` steps in total.
    pub(super) fn of(row: u32, column: u32, count: u64, steps: u64) -> Self {
        Self { key: u64::from(row) << 32 | u64::from(column), count, steps }
    }

    pub(super) fn row(&self) -> u32 {
        high_half(self.key)
    }

    pub(super) fn column(&self) -> u32 {
        low_half(self.key)
    }
}

/// Sums over pairs of elements. They are added in any order, and returned sorted by row and column. At most
/// `maximum` sums are in memory. The other sums are in a file, which consists of sorted sections (runs). Sums
/// are integers, so that the results do not depend on the order of adding or on the memory.
pub(super) struct SortedPairs {
    /// The sums in memory. Between two sorts, a pair of elements may occur several times.
    sums: Vec<PairSum>,
    maximum: usize,
    file: Option<SpillFile>,
    /// The position of each sorted section (run) in the file, counted in sums from the start of the file.
    runs: Vec<Range<u64>>,
}

impl SortedPairs {
    /// Creates an empty set of sums over pairs of elements. The sums in memory use at most `most_bytes`, and
    /// a file in `folder` stores the other sums. If no folder is given, all sums are in memory.
    ///
    /// Returns an error if the memory for `most_bytes` of sums cannot be allocated.
    pub(super) fn new(most_bytes: u64, folder: Option<&Path>) -> Result<Self> {
        // The memory holds at least a hundred sums. If `most_bytes` is almost 0, the file is therefore still
        // written in blocks of at least fifty sums.
        let maximum = usize::try_from(most_bytes / BYTES as u64).unwrap_or(usize::MAX).max(100);
        let mut sums = Vec::new();
        if folder.is_some() && sums.try_reserve_exact(maximum).is_err() {
            let problem =
                format!("the sums of the matrix entries need {most_bytes} bytes, more than the memory has");
            return Err(Error::invalid("matrix", problem, "give coarser targets"));
        }
        Ok(Self { sums, maximum, file: folder.map(SpillFile::new), runs: Vec::new() })
    }

    /// Returns true if sums can be written to a file.
    pub(super) fn can_spill(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn add(&mut self, sum: PairSum) -> Result<()> {
        if self.sums.len() == self.room() {
            self.reserve()?;
        }
        self.sums.push(sum);
        Ok(())
    }

    /// Returns the number of sums that the memory can hold. When the memory is full, the sums of equal pairs
    /// must be added.
    fn room(&self) -> usize {
        if self.can_spill() { self.maximum } else { self.sums.capacity() }
    }

    /// Sorts the sums in memory, and adds the sums of equal pairs. If the memory is still at least half full,
    /// writes the sums to the file. If there is no file, allocates more memory.
    fn reserve(&mut self) -> Result<()> {
        self.sort();
        if 2 * self.sums.len() < self.room() {
            return Ok(());
        }
        match &mut self.file {
            Some(file) => {
                self.runs.push(put_run(file, &self.sums)?);
                self.sums.clear();
                Ok(())
            }
            None => self.sums.try_reserve(self.sums.len().max(100)).map_err(|_| {
                let problem = format!(
                    "there is not enough memory for the matrix entries of more than {} connected pairs",
                    self.sums.len()
                );
                Error::invalid("matrix", problem, "give coarser targets")
            }),
        }
    }

    /// Sorts the sums in memory by pair of elements, and adds the sums of equal pairs.
    fn sort(&mut self) {
        // The sort need not be stable, because the sums of equal pairs are added.
        self.sums.par_sort_unstable_by_key(|sum| sum.key);
        self.sums.dedup_by(|next, kept| {
            let is_same = next.key == kept.key;
            if is_same {
                kept.count += next.count;
                kept.steps += next.steps;
            }
            is_same
        });
    }

    /// Calls `take` once for each pair of elements, with the sums of this pair, sorted by row and column.
    pub(super) fn tell(mut self, mut take: impl FnMut(PairSum) -> Result<()>) -> Result<()> {
        self.sort();
        let Some(mut file) = self.file.filter(|_| !self.runs.is_empty()) else {
            return self.sums.into_iter().try_for_each(take);
        };
        if !self.sums.is_empty() {
            self.runs.push(put_run(&mut file, &self.sums)?);
        }
        // Frees the memory of the sums, because parts of all sorted runs of the file are now read into
        // memory.
        drop(self.sums);
        let at_once = (self.maximum / self.runs.len()).max(MIN_SUMS_PER_READ);
        let mut readers: Vec<RunReader> =
            self.runs.into_iter().map(|left| RunReader { left, part: Vec::new(), next: 0 }).collect();
        let mut first = BinaryHeap::new();
        for (n, reader) in readers.iter_mut().enumerate() {
            if let Some(sum) = reader.next(&mut file, at_once)? {
                first.push(Reverse((sum.key, n, sum.count, sum.steps)));
            }
        }
        let mut whole: Option<PairSum> = None;
        while let Some(Reverse((key, n, count, steps))) = first.pop() {
            match &mut whole {
                Some(sum) if sum.key == key => {
                    sum.count += count;
                    sum.steps += steps;
                }
                _ => {
                    if let Some(done) = whole.replace(PairSum { key, count, steps }) {
                        take(done)?;
                    }
                }
            }
            if let Some(sum) = readers[n].next(&mut file, at_once)? {
                first.push(Reverse((sum.key, n, sum.count, sum.steps)));
            }
        }
        whole.map_or(Ok(()), take)
    }

    /// Returns the number of sums in memory. A pair of elements that occurs several times since the last sort
    /// is counted several times.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.sums.len()
    }

    /// Returns the number of bytes of the sums that were written to the file.
    #[cfg(test)]
    fn spilled(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::bytes)
    }
}

/// Appends sorted sums to the file, as a new run. Returns the position of this run, counted in sums from the
/// start of the file.
fn put_run(file: &mut SpillFile, sums: &[PairSum]) -> Result<Range<u64>> {
    let begin = file.bytes() / BYTES as u64;
    file.append(bytemuck::cast_slice(sums))?;
    Ok(begin..begin + sums.len() as u64)
}

/// Reads a sorted run of the file, part by part.
struct RunReader {
    /// The section of the run that has not been read yet, counted in sums from the start of the file.
    left: Range<u64>,
    part: Vec<PairSum>,
    next: usize,
}

impl RunReader {
    fn next(&mut self, file: &mut SpillFile, at_once: usize) -> Result<Option<PairSum>> {
        if self.next == self.part.len() {
            let count = at_once.min((self.left.end - self.left.start) as usize);
            self.part.resize(count, PairSum::zeroed());
            file.read_at(self.left.start * BYTES as u64, bytemuck::cast_slice_mut(&mut self.part))?;
            self.left.start += count as u64;
            self.next = 0;
        }
        let sum = self.part.get(self.next).copied();
        self.next += 1;
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn spilling_to_disk_does_not_change_the_sums() {
        let folder = tempfile::tempdir().unwrap();
        // In the list of the test, each pair of elements occurs about ten times. Equal pairs are far from
        // each other.
        let added: Vec<PairSum> =
            (0..40_000u32).map(|n| PairSum::new(n * 7919 % 70, n * 104_729 % 61, n % 50)).collect();
        let mut expected = BTreeMap::<(u32, u32), (u64, u64)>::new();
        for sum in &added {
            let (count, steps) = expected.entry((sum.row(), sum.column())).or_default();
            *count += 1;
            *steps += sum.steps;
        }
        // Two cases of the test have all sums in memory, one without a folder and one with a folder. The
        // other two cases have several sorted runs in a file, and the maximum number of runs.
        for (bytes, with_folder, spills) in
            [(0, false, false), (1 << 20, true, false), (40_000, true, true), (0, true, true)]
        {
            let mut pairs = SortedPairs::new(bytes, with_folder.then(|| folder.path())).unwrap();
            for sum in &added {
                pairs.add(*sum).unwrap();
            }
            assert_eq!(pairs.spilled() > 0, spills, "{bytes}");
            let mut received = Vec::new();
            pairs
                .tell(|sum| {
                    received.push(((sum.row(), sum.column()), (sum.count, sum.steps)));
                    Ok(())
                })
                .unwrap();
            assert!(received.iter().copied().eq(expected.iter().map(|(&key, &sums)| (key, sums))), "{bytes}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn repeated_pairs_use_no_additional_memory() {
        let folder = tempfile::tempdir().unwrap();
        for folder in [None, Some(folder.path())] {
            let mut pairs = SortedPairs::new(0, folder).unwrap();
            for n in 0..100_000 {
                pairs.add(PairSum::new(n % 7, n % 3, 1)).unwrap();
                assert!(pairs.held() <= 200, "{n}");
            }
            assert_eq!(pairs.spilled(), 0);
        }
    }

    #[test]
    fn empty_lists_have_no_sums() {
        let pairs = SortedPairs::new(0, None).unwrap();
        pairs.tell(|_| panic!("there is none")).unwrap();
    }

    #[test]
    fn an_unwritable_disk_is_an_error() {
        let mut pairs = SortedPairs::new(0, Some(Path::new("/no/such/folder"))).unwrap();
        let error = (0..200).find_map(|n| pairs.add(PairSum::new(n, n, 1)).err());
        assert!(error.unwrap().to_string().starts_with("/no/such/folder: "));
    }
}
