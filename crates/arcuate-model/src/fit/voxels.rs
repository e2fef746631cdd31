//! The data of a group of voxels during the stages of a fit.

use super::status::Status;
use arcuate_core::{NotComputed, VoxelCounts};
use arcuate_numbers::Real;
use std::ops::Range;

/// The data of a group of voxels, stored voxel by voxel.
#[derive(Debug, Clone)]
pub(crate) struct Voxels<T: Real> {
    measurements: usize,
    number_count: usize,
    map_count: usize,
    /// Measured signals. They are freed after the fit.
    signals: Vec<f32>,
    /// The factor of each voxel that scales the voxel's signals to about 1.
    factors: Vec<T>,
    /// Values of the fitted parameters, in base units and in units of the scaled signal.
    numbers: Vec<T>,
    maps: Vec<T>,
    status: Vec<Status>,
    /// Sum of squared residuals of each voxel.
    costs: Vec<T>,
    usable: Vec<u32>,
    evaluations: Vec<u32>,
}

/// The results of a model's fit in voxels that a GPU has processed.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) factors: Vec<T>,
    pub(super) numbers: Vec<T>,
    pub(super) status: Vec<u8>,
    pub(super) costs: Vec<T>,
    pub(super) usable: Vec<u32>,
    pub(super) evaluations: Vec<u32>,
}

impl<T: Real> Voxels<T> {
    /// Creates the data of voxels from `signals`, which has the signals of one voxel after the other.
    pub(crate) fn new(measurements: usize, number_count: usize, signals: Vec<f32>, maps: Vec<T>) -> Self {
        let count = signals.len() / measurements.max(1);
        let zero = T::of(0.0);
        Self {
            measurements,
            number_count,
            map_count: maps.len() / count.max(1),
            signals,
            factors: vec![zero; count],
            numbers: vec![zero; count * number_count],
            maps,
            status: vec![Status::Outside; count],
            costs: vec![zero; count],
            usable: vec![0; count],
            evaluations: vec![0; count],
        }
    }

    /// Creates the data of voxels from the results that a GPU has computed. The signals are not included.
    pub(super) fn found(number_count: usize, maps: Vec<T>, found: Found<T>) -> Self {
        let Found { factors, numbers, status, costs, usable, evaluations } = found;
        Self {
            measurements: 0,
            number_count,
            map_count: maps.len() / factors.len().max(1),
            signals: Vec::new(),
            factors,
            numbers,
            maps,
            status: status.into_iter().map(Status::of).collect(),
            costs,
            usable,
            evaluations,
        }
    }

    /// Frees the memory of the signals.
    pub(crate) fn forget_signals(&mut self) {
        self.signals = Vec::new();
    }

    /// Appends voxels of the same model. Their signals are not copied.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.forget_signals();
        self.factors.append(&mut other.factors);
        self.numbers.append(&mut other.numbers);
        self.maps.append(&mut other.maps);
        self.status.append(&mut other.status);
        self.costs.append(&mut other.costs);
        self.usable.append(&mut other.usable);
        self.evaluations.append(&mut other.evaluations);
    }

    /// Returns the data of the voxels with these indices, without their signals.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let of = |count: usize| range.start * count..range.end * count;
        Self {
            measurements: 0,
            number_count: self.number_count,
            map_count: self.map_count,
            signals: Vec::new(),
            factors: self.factors[range.clone()].to_vec(),
            numbers: self.numbers[of(self.number_count)].to_vec(),
            maps: self.maps[of(self.map_count)].to_vec(),
            status: self.status[range.clone()].to_vec(),
            costs: self.costs[range.clone()].to_vec(),
            usable: self.usable[range.clone()].to_vec(),
            evaluations: self.evaluations[range.clone()].to_vec(),
        }
    }

    /// Returns all parameter values, voxel by voxel.
    pub(crate) fn all_numbers(&self) -> &[T] {
        &self.numbers
    }

    /// Returns the number of finite signals of a voxel.
    pub(crate) fn usable(&self, voxel: usize) -> u32 {
        self.usable[voxel]
    }

    /// Returns the number of voxels without a fit, and the number of measurements that were not used.
    /// `measurements` is the number of measurements per voxel.
    pub(crate) fn counts(&self, measurements: usize) -> VoxelCounts {
        let mut counts = VoxelCounts::of(self.len());
        for (status, &usable) in self.status.iter().zip(&self.usable) {
            let reason = match status {
                Status::NoSignal if usable == 0 => NotComputed::NotFinite,
                Status::NoSignal => NotComputed::NoSignal,
                Status::TooFew => NotComputed::TooFew,
                Status::NoModel => NotComputed::NoModel,
                _ => {
                    counts.not_finite += measurements.saturating_sub(usable as usize);
                    continue;
                }
            };
            counts.add(reason, 1);
        }
        counts
    }

    pub(crate) fn set_usable(&mut self, voxel: usize, usable: u32) {
        self.usable[voxel] = usable;
    }

    pub(crate) fn len(&self) -> usize {
        self.status.len()
    }

    pub(crate) fn number_count(&self) -> usize {
        self.number_count
    }

    pub(crate) fn map_count(&self) -> usize {
        self.map_count
    }

    /// Returns the number of measurements per voxel.
    pub(crate) fn measurements(&self) -> usize {
        self.measurements
    }

    /// Returns the measured signals of a voxel.
    pub(crate) fn measured(&self, voxel: usize) -> &[f32] {
        &self.signals[voxel * self.measurements..][..self.measurements]
    }

    /// Returns the scaled signals of a voxel.
    pub(crate) fn signals(&self, voxel: usize) -> impl Iterator<Item = T> {
        let factor = self.factors[voxel];
        self.measured(voxel).iter().map(move |&signal| T::of(f64::from(signal)) * factor)
    }

    pub(crate) fn factor(&self, voxel: usize) -> T {
        self.factors[voxel]
    }

    pub(crate) fn set_factor(&mut self, voxel: usize, factor: T) {
        self.factors[voxel] = factor;
    }

    pub(crate) fn numbers(&self, voxel: usize) -> &[T] {
        &self.numbers[voxel * self.number_count..][..self.number_count]
    }

    pub(crate) fn numbers_mut(&mut self, voxel: usize) -> &mut [T] {
        &mut self.numbers[voxel * self.number_count..][..self.number_count]
    }

    pub(crate) fn maps(&self, voxel: usize) -> &[T] {
        &self.maps[voxel * self.map_count..][..self.map_count]
    }

    /// Returns whether the next stages of the fit should process the voxel. They should if no earlier stage
    /// has failed.
    pub(crate) fn is_wanted(&self, voxel: usize) -> bool {
        let status = self.status[voxel];
        status == Status::Outside || status.is_fitted()
    }

    pub(crate) fn status(&self, voxel: usize) -> Status {
        self.status[voxel]
    }

    pub(crate) fn set_status(&mut self, voxel: usize, status: Status) {
        self.status[voxel] = status;
    }

    pub(crate) fn cost(&self, voxel: usize) -> T {
        self.costs[voxel]
    }

    pub(crate) fn evaluations(&self, voxel: usize) -> u32 {
        self.evaluations[voxel]
    }

    /// In voxels where the last start did not lead to a lower cost, restores the best result of the earlier
    /// starts.
    pub(crate) fn return_where_better(&mut self, before: &Self) {
        for voxel in 0..self.len() {
            let was_fitted = before.status[voxel].is_fitted();
            let is_lower = self.costs[voxel] < before.costs[voxel];
            if !self.status[voxel].is_fitted() || was_fitted && !is_lower {
                self.numbers_mut(voxel).copy_from_slice(before.numbers(voxel));
                self.status[voxel] = before.status[voxel];
                self.costs[voxel] = before.costs[voxel];
            }
        }
    }

    /// Stores the result of a stage of the fit in a voxel.
    pub(crate) fn end(&mut self, voxel: usize, status: Status, cost: T, evaluations: u32) {
        self.status[voxel] = status;
        self.costs[voxel] = cost;
        self.evaluations[voxel] += evaluations;
    }
}

/// Joins the data of voxels from several pieces of the mask, in the order of the pieces. Each piece has the
/// fits of the same models.
pub(super) fn joined<T: Real>(pieces: Vec<Vec<Voxels<T>>>) -> Vec<Voxels<T>> {
    let mut pieces = pieces.into_iter();
    let mut all = pieces.next().unwrap_or_default();
    for piece in pieces {
        all.iter_mut().zip(piece).for_each(|(all, piece)| all.append(piece));
    }
    all
}
