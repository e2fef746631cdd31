//! Adds the results of the parts of a tracking run, and stores them as bytes so that an interrupted run can
//! resume.

use crate::energy_drift::EnergyDrift;
use crate::outputs::SampleTracks;
use crate::ray_figures::RayFigures;
use crate::summary::TrackSummary;
use arcuate_core::{Error, Result};

impl SampleTracks {
    /// Adds the result of another part of the same run
    /// ([`SampleOutputs::part`](crate::outputs::SampleOutputs::part)).
    #[doc(hidden)]
    pub fn add(&mut self, part: &Self) {
        self.summary.merge(&part.summary);
        if let (Some(map), Some(other)) = (&mut self.map, &part.map) {
            map.add(other);
        }
        for (hits, others) in self.target_hits.iter_mut().zip(&part.target_hits) {
            hits.iter_mut().zip(others).for_each(|(sum, count)| *sum += count);
        }
        if let (Some(rays), Some(others)) = (&mut self.rays, &part.rays) {
            rays.drift.merge(&others.drift);
        }
        if self.device_name != part.device_name {
            self.device_name.clone_from(&part.device_name);
        }
    }

    /// Returns the result of the run as bytes, without the name of the device.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut summary = self.summary.clone();
        for number in numbers(&mut summary) {
            bytes.extend(number.to_le_bytes());
        }
        self.summary.targets.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
        if let Some(map) = &self.map {
            map.counts().iter().for_each(|count| bytes.extend(count.to_le_bytes()));
            map.steps().into_iter().flatten().for_each(|steps| bytes.extend(steps.to_le_bytes()));
        }
        self.target_hits.iter().flatten().for_each(|count| bytes.extend(count.to_le_bytes()));
        let drift = self.rays.iter().flat_map(|rays| rays.drift.to_numbers());
        drift.for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    }

    /// Reads the result of a run that [`to_bytes`](Self::to_bytes) stored. `self` is the result of a similar
    /// run; it defines the number of voxels, seeds and targets.
    ///
    /// Returns an error if the number of bytes is not that of a stored result.
    #[doc(hidden)]
    pub fn from_bytes(&self, bytes: &[u8]) -> Result<Self> {
        let mut bytes = Bytes(bytes);
        let mut summary = TrackSummary::default();
        for number in numbers(&mut summary) {
            *number = bytes.wide(1)?.first().copied().unwrap_or_default();
        }
        summary.targets = bytes.wide(self.summary.targets.len())?;
        let mut map = None;
        if let Some(like) = &self.map {
            let counts = bytes.narrow(like.counts().len())?;
            let steps = like.steps().map(|steps| bytes.wide(steps.len())).transpose()?;
            map = like.with(counts, steps);
        }
        let hits = self.target_hits.iter().map(|hits| bytes.narrow(hits.len())).collect::<Result<_>>()?;
        let rays = match self.rays {
            Some(_) => {
                let drift = EnergyDrift::from_numbers(&bytes.wide(EnergyDrift::NUMBERS)?);
                Some(RayFigures { drift: drift.ok_or_else(damaged)?, targets: Vec::new() })
            }
            None => None,
        };
        match bytes.0 {
            [] => Ok(Self { summary, map, target_hits: hits, device_name: self.device_name.clone(), rays }),
            _ => Err(damaged()),
        }
    }
}

/// Returns the counts of a summary as a list, without targets and lengths. Tracking through samples does not
/// measure lengths.
fn numbers(summary: &mut TrackSummary) -> Vec<&mut u64> {
    let TrackSummary { seeds, streamlines, points, steps_taken, rejected, terminated, .. } = summary;
    let counted = [seeds, streamlines, points, steps_taken].into_iter();
    counted.chain(rejected.numbers()).chain(terminated.numbers()).collect()
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn wide(&mut self, count: usize) -> Result<Vec<u64>> {
        let (these, rest) = self.split(count, size_of::<u64>())?;
        let numbers = these.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        self.0 = rest;
        Ok(numbers)
    }

    fn narrow(&mut self, count: usize) -> Result<Vec<u32>> {
        let (these, rest) = self.split(count, size_of::<u32>())?;
        let numbers = these.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        self.0 = rest;
        Ok(numbers)
    }
}

impl<'a> Bytes<'a> {
    fn split(&self, count: usize, size: usize) -> Result<(&'a [u8], &'a [u8])> {
        count.checked_mul(size).and_then(|bytes| self.0.split_at_checked(bytes)).ok_or_else(damaged)
    }
}

fn damaged() -> Error {
    Error::invalid(
        "saved tracking",
        "the file of the saved run is incomplete, or belongs to another run",
        "remove the file, and start the run again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::VisitMap;
    use arcuate_core::{Affine, Grid};

    fn tracks(of: u64, lengths: bool) -> SampleTracks {
        let grid = Grid::new([3, 1, 1], Affine::identity()).unwrap();
        let mut summary = TrackSummary { targets: vec![of, 2 * of], ..TrackSummary::default() };
        numbers(&mut summary).into_iter().enumerate().for_each(|(n, number)| *number = of * (n as u64 + 1));
        let steps = lengths.then(|| vec![of, 0, u64::from(u32::MAX) + of]);
        let map = Some(VisitMap::new(&grid, vec![of as u32, 7, 0], steps, 0.5));
        let target_hits = vec![vec![of as u32, 0], vec![1, 2 * of as u32]];
        SampleTracks { summary, map, target_hits, device_name: "the processor".into(), rays: None }
    }

    #[test]
    fn saved_parts_add_up_and_survive_a_round_trip() {
        for lengths in [false, true] {
            let mut sum = tracks(3, lengths);
            sum.add(&tracks(4, lengths));
            assert_eq!((sum.summary.seeds, &sum.summary.targets), (7, &vec![7, 14]));
            assert_eq!(sum.summary.terminated.stuck, 7 * 28);
            let map = sum.map.as_ref().unwrap();
            assert_eq!(map.counts(), [7, 14, 0]);
            assert_eq!(map.steps().map(|steps| steps[2]), lengths.then_some(2 * u64::from(u32::MAX) + 7));
            assert_eq!(sum.target_hits, [vec![7, 0], vec![2, 14]]);
            let bytes = sum.to_bytes();
            assert_eq!(tracks(0, lengths).from_bytes(&bytes).unwrap(), sum);
            assert!(tracks(0, lengths).from_bytes(&bytes[1..]).is_err());
            assert!(tracks(0, lengths).from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
            assert!(tracks(0, !lengths).from_bytes(&bytes).is_err());
        }
    }
}
