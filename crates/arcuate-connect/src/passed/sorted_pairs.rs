//! Sums over pairs of elements that may exceed the memory. The sums are sorted, and those that do not fit are
//! in a file.

use arcuate_core::{Error, Result, high_half, low_half};
use arcuate_io::SpillFile;
use bytemuck::{Pod, Zeroable};
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::path::Path;

/// The number of streamlines between a row and a column, and the total number of their steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PairSum {
    /// Sort key of the pair. It has the row in the high bits and the column in the low bits, so that pairs
    /// are sorted by row.
    key: u64,
    pub(super) count: u64,
    pub(super) steps: u64,
}

const BYTES: usize = size_of::<PairSum>();
/// Minimum number of sums that are read at a time from one sorted run of the file.
const LEAST_READ: usize = 256;

impl PairSum {
    /// Creates the sum of one streamline with this number of steps between both elements.
    pub(super) fn new(row: u32, column: u32, steps: u32) -> Self {
        Self::of(row, column, 1, u64::from(steps))
    }

    /// Creates the sum of `count` streamlines with `steps` steps in total.
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

/// Sums that are added in any order, and returned sorted by row and column. At most `most` sums are in
/// memory. The others are in a file, as sorted runs. Sums are integers, so that results depend neither on the
/// order nor on the memory.
pub(super) struct SortedPairs {
    /// Sums in memory. A pair may occur several times until the next sort.
    sums: Vec<PairSum>,
    most: usize,
    file: Option<SpillFile>,
    /// The position of each sorted run in the file, as a number of sums from its start.
    runs: Vec<Range<u64>>,
}

impl SortedPairs {
    /// Creates an empty set of sums. At most `most_bytes` of them are in memory, and the rest is in a file in
    /// `folder`. Without a folder, all sums are in memory.
    ///
    /// Returns an error if there is not enough memory.
    pub(super) fn new(most_bytes: u64, folder: Option<&Path>) -> Result<Self> {
        // At least a hundred sums are in memory. If almost no memory is allowed, the file is thus written in
        // blocks of hundreds.
        let most = usize::try_from(most_bytes / BYTES as u64).unwrap_or(usize::MAX).max(100);
        let mut sums = Vec::new();
        if folder.is_some() && sums.try_reserve_exact(most).is_err() {
            let problem =
                format!("the sums of the matrix entries need {most_bytes} bytes, more than the memory has");
            return Err(Error::invalid("matrix", problem, "give coarser targets"));
        }
        Ok(Self { sums, most, file: folder.map(SpillFile::new), runs: Vec::new() })
    }

    /// Returns whether sums can be written to a file.
    pub(super) fn can_spill(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn add(&mut self, sum: PairSum) -> Result<()> {
        if self.sums.len() == self.room() {
            self.make_room()?;
        }
        self.sums.push(sum);
        Ok(())
    }

    /// Returns how many sums the memory can hold before equal pairs must be added.
    fn room(&self) -> usize {
        if self.can_spill() { self.most } else { self.sums.capacity() }
    }

    /// Adds the sums of equal pairs in memory. If the result still needs at least half of the memory, writes
    /// it to the file.
    fn make_room(&mut self) -> Result<()> {
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

    /// Sorts the sums in memory by pair, and adds the sums of equal pairs.
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

    /// Calls `take` with the sum of each pair, sorted by row and column.
    pub(super) fn tell(mut self, mut take: impl FnMut(PairSum) -> Result<()>) -> Result<()> {
        self.sort();
        let Some(mut file) = self.file.filter(|_| !self.runs.is_empty()) else {
            return self.sums.into_iter().try_for_each(take);
        };
        if !self.sums.is_empty() {
            self.runs.push(put_run(&mut file, &self.sums)?);
        }
        // The memory of the sums is reused to read a part of each run.
        drop(self.sums);
        let at_once = (self.most / self.runs.len()).max(LEAST_READ);
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

    /// Returns the number of sums in memory, including pairs that occur several times since the last sort.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.sums.len()
    }

    /// Returns the number of bytes in the file.
    #[cfg(test)]
    fn spilled(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::bytes)
    }
}

/// Appends a sorted run to the file. Returns its position, as a number of sums from the start of the file.
fn put_run(file: &mut SpillFile, sums: &[PairSum]) -> Result<Range<u64>> {
    let begin = file.bytes() / BYTES as u64;
    file.append(bytemuck::cast_slice(sums))?;
    Ok(begin..begin + sums.len() as u64)
}

/// A sorted run in the file that is read in parts.
struct RunReader {
    /// The part of the run that is not yet read, as a number of sums from the start of the file.
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
    fn what_memory_does_not_hold_comes_to_the_same() {
        let folder = tempfile::tempdir().unwrap();
        // Each pair occurs about ten times, at distant positions.
        let added: Vec<PairSum> =
            (0..40_000u32).map(|n| PairSum::new(n * 7919 % 70, n * 104_729 % 61, n % 50)).collect();
        let mut expected = BTreeMap::<(u32, u32), (u64, u64)>::new();
        for sum in &added {
            let (count, steps) = expected.entry((sum.row(), sum.column())).or_default();
            *count += 1;
            *steps += sum.steps;
        }
        // The cases are: in memory without a folder, in memory with a folder, several runs in a file, and the
        // maximum number of runs.
        for (bytes, with_folder, spills) in
            [(0, false, false), (1 << 20, true, false), (40_000, true, true), (0, true, true)]
        {
            let mut pairs = SortedPairs::new(bytes, with_folder.then(|| folder.path())).unwrap();
            for sum in &added {
                pairs.add(*sum).unwrap();
            }
            assert_eq!(pairs.spilled() > 0, spills, "{bytes}");
            let mut told = Vec::new();
            pairs
                .tell(|sum| {
                    told.push(((sum.row(), sum.column()), (sum.count, sum.steps)));
                    Ok(())
                })
                .unwrap();
            assert!(told.iter().copied().eq(expected.iter().map(|(&key, &sums)| (key, sums))), "{bytes}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_added_again_takes_no_more_memory() {
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
    fn nothing_is_told_of_nothing() {
        let pairs = SortedPairs::new(0, None).unwrap();
        pairs.tell(|_| panic!("there is none")).unwrap();
    }

    #[test]
    fn a_disk_that_takes_nothing_is_an_error() {
        let mut pairs = SortedPairs::new(0, Some(Path::new("/no/such/folder"))).unwrap();
        let error = (0..200).find_map(|n| pairs.add(PairSum::new(n, n, 1)).err());
        assert!(error.unwrap().to_string().starts_with("/no/such/folder: "));
    }
}
