//! The data of COMMIT: the samples of the signal in each voxel, and the mask of voxels with usable samples. A
//! sample is a measurement, or the mean of all b = 0 measurements.

use arcuate_core::{Error, GradientTable, Grid, Mask, NotComputed, Result, Volume, VoxelCounts};

/// Describes how the samples of a voxel are computed from the measurements of a diffusion series. Also has
/// the gradient direction and the shell of each sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    directions: Vec<[f64; 3]>,
    shells: Vec<usize>,
    /// Indices of the b = 0 measurements.
    b0: Vec<usize>,
    /// If all b = 0 measurements are merged into their mean: the indices of the other, diffusion-weighted
    /// measurements, ascending. `None` if the b = 0 measurements are not merged.
    weighted_after_mean_b0: Option<Vec<usize>>,
    measurements: usize,
}

impl Samples {
    /// Creates one sample per measurement. `shells` has the shell of each measurement, numbered from 0. With
    /// `merge_b0s`, the mean of all b = 0 measurements replaces them. This mean is the first sample, and
    /// belongs to the shell of the first b = 0 measurement.
    ///
    /// Returns an error if `shells` does not have one number per measurement. Also returns an error if
    /// `merge_b0s` is true and no measurement has b = 0.
    pub fn of_series(gradients: &GradientTable, shells: &[usize], merge_b0s: bool) -> Result<Self> {
        if shells.len() != gradients.len() {
            let problem = format!("{} measurements have {} shells", gradients.len(), shells.len());
            return Err(Error::invalid("gradient table", problem, "give one shell per measurement"));
        }
        let b0 = gradients.b0_indices();
        let measured: Vec<usize> = if merge_b0s {
            let Some(&first) = b0.first() else {
                let problem = format!(
                    "there is no b = 0 measurement to merge (b ≤ {} s/mm²)",
                    gradients.b0_threshold()
                );
                let advice = "raise ‘b0_threshold’, or leave out ‘merge_b0s’";
                return Err(Error::invalid("gradient table", problem, advice));
            };
            [first].into_iter().chain(gradients.weighted_indices()).collect()
        } else {
            (0..gradients.len()).collect()
        };
        Ok(Self {
            directions: measured.iter().map(|&m| gradients.directions()[m]).collect(),
            shells: measured.iter().map(|&m| shells[m]).collect(),
            b0,
            weighted_after_mean_b0: merge_b0s.then(|| gradients.weighted_indices()),
            measurements: gradients.len(),
        })
    }

    /// Creates a single sample without diffusion weighting. It is used for images with one value per voxel
    /// (maps) instead of a diffusion series.
    pub fn of_map() -> Self {
        Self {
            directions: vec![[0.0; 3]],
            shells: vec![0],
            b0: Vec::new(),
            weighted_after_mean_b0: None,
            measurements: 1,
        }
    }

    /// Returns the number of samples per voxel, which is never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Returns the gradient directions in scanner axes, one per sample. The direction of a b = 0 sample is
    /// zero if the gradient table states none.
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// Returns, for each sample, the number of its shell.
    pub fn shells(&self) -> &[usize] {
        &self.shells
    }

    /// Returns the number of measurements of the series, before b = 0 measurements are merged.
    pub fn measurements(&self) -> usize {
        self.measurements
    }

    /// Returns the mean of the b = 0 measurements of a voxel. Returns `None` if there are no such
    /// measurements.
    fn mean_b0(&self, signal: &[f32]) -> Option<f64> {
        let sum: f64 = self.b0.iter().map(|&m| f64::from(signal[m])).sum();
        (!self.b0.is_empty()).then(|| sum / self.b0.len() as f64)
    }

    /// Computes the samples of a voxel from its measurements.
    fn gather(&self, signal: &[f32], samples: &mut Vec<f64>) {
        samples.clear();
        match &self.weighted_after_mean_b0 {
            Some(weighted) => {
                samples.extend(self.mean_b0(signal));
                samples.extend(weighted.iter().map(|&m| f64::from(signal[m])));
            }
            None => samples.extend(signal.iter().map(|&s| f64::from(s))),
        }
    }
}

/// Options of the conversion of a voxel's measured signal to the data of COMMIT.
#[derive(Debug, Clone, PartialEq)]
pub struct DataOptions {
    /// If true, the samples of a voxel are divided by the mean of the voxel's b = 0 measurements.
    pub normalise_signal: bool,
    /// Minimum mean b = 0 signal of a voxel, as a fraction of the mean over all voxels of the mask with a
    /// positive b = 0 signal. Voxels at or below this minimum are excluded.
    pub minimum_b0: f64,
    /// If true, the mean of the samples of a voxel is subtracted from each of them. The means of the response
    /// functions must then be subtracted, too.
    pub demean: bool,
}

impl Default for DataOptions {
    fn default() -> Self {
        Self { normalise_signal: true, minimum_b0: 0.0, demean: false }
    }
}

/// A diffusion series, or an image with one value per voxel (a map), together with the conversion of its
/// measurements to the samples of COMMIT.
#[derive(Debug)]
pub struct Data<'a> {
    series: &'a Volume<f32>,
    samples: &'a Samples,
    options: DataOptions,
}

/// The mask of voxels with usable data, and the numbers of voxels without usable data by reason.
#[derive(Debug, Clone, PartialEq)]
pub struct UsableVoxels {
    /// The mask of voxels with usable data.
    pub mask: Mask,
    /// Numbers of requested and unusable voxels.
    pub counts: VoxelCounts,
    /// Number of background voxels (voxels without any value above 0) among the voxels that are counted as
    /// having non-finite values.
    background: usize,
}

impl UsableVoxels {
    /// Returns the numbers of voxels, without background voxels. This function is called if the user gave no
    /// mask: background voxels have no signal, and the user did not request them.
    #[must_use]
    pub fn without_background(mut self) -> Self {
        let not_finite = self.counts.with_reason(NotComputed::NotFinite) - self.background;
        self.background = 0;
        self.counts = VoxelCounts::of(self.counts.computed() + not_finite);
        self.counts.add(NotComputed::NotFinite, not_finite);
        self
    }
}

impl<'a> Data<'a> {
    /// Returns an error if the series does not have one volume per measurement, or if `minimum_b0` is not in
    /// [0, 1). Also returns an error if the options need b = 0 measurements and the series has none.
    /// Normalisation and a positive `minimum_b0` need them.
    pub fn new(series: &'a Volume<f32>, samples: &'a Samples, options: DataOptions) -> Result<Self> {
        if series.channels() != samples.measurements() {
            let problem = format!(
                "the gradient table has {} measurements, but the series has {} volumes",
                samples.measurements(),
                series.channels()
            );
            return Err(Error::invalid("gradient table", problem, "give one row per volume"));
        }
        if !(options.minimum_b0 >= 0.0 && options.minimum_b0 < 1.0) {
            let problem = format!(
                "{} is not a fraction of the mean b = 0 signal, from 0 to below 1",
                options.minimum_b0
            );
            return Err(Error::usage("‘minimum_b0’", problem, "give a number of at least 0 and below 1"));
        }
        if options.minimum_b0 > 0.0 && samples.b0.is_empty() {
            let advice = "leave out this option, or raise ‘b0_threshold’";
            return Err(Error::usage("‘minimum_b0’", "no measurement counts as b = 0", advice));
        }
        if options.normalise_signal && samples.b0.is_empty() && samples.measurements() > 1 {
            return Err(Error::invalid(
                "gradient table",
                "no measurement counts as b = 0, so the signal cannot be normalised",
                "give ‘no_normalise_signal’, or raise ‘b0_threshold’",
            ));
        }
        Ok(Self { series, samples, options })
    }

    /// Returns the samples.
    pub fn samples(&self) -> &Samples {
        self.samples
    }

    /// Returns the voxel grid of the series.
    pub fn grid(&self) -> &Grid {
        self.series.grid()
    }

    pub(super) fn demeaned(&self) -> bool {
        self.options.demean
    }

    /// Returns the voxels of `mask` with usable data. In a usable voxel, all measurements and samples are
    /// finite, and the value of the confidence map is positive. If there are b = 0 measurements, their mean
    /// in the voxel is positive and above the minimum `minimum_b0` of the options.
    ///
    /// Returns an error if the voxel grids of the mask, the series and the confidence map differ, or if no
    /// voxel remains. Also returns an error if a value of the confidence map inside the mask is negative or
    /// not finite.
    pub fn usable(&self, mask: &Mask, confidence: Option<&Volume<f32>>) -> Result<UsableVoxels> {
        let grid = self.series.grid();
        grid.require_match(mask.grid(), "mask", "the diffusion series")?;
        if let Some(confidence) = confidence {
            grid.require_match(confidence.grid(), "confidence map", "the diffusion series")?;
            let impossible = |&&voxel: &&usize| !(0.0..f32::INFINITY).contains(&confidence.voxel(voxel)[0]);
            if let Some(&voxel) = mask.indices().iter().find(impossible) {
                let [i, j, k] = grid.coordinates(voxel);
                let problem = format!(
                    "voxel ({i}, {j}, {k}), counted from 0, has the value {}",
                    confidence.voxel(voxel)[0]
                );
                return Err(Error::invalid("confidence map", problem, "give a map with values of 0 or more"));
            }
        }
        let b0 = |voxel: usize| self.samples.mean_b0(self.series.voxel(voxel));
        let positive = |s: &f64| *s > 0.0 && s.is_finite();
        let positive: Vec<f64> = mask.indices().into_iter().filter_map(b0).filter(positive).collect();
        let mean = positive.iter().sum::<f64>() / positive.len().max(1) as f64;
        let (mut samples, mut background) = (Vec::new(), 0);
        let mut reason = |voxel: usize| {
            let signals = self.series.voxel(voxel);
            if signals.iter().any(|s| !s.is_finite()) {
                background += usize::from(!signals.iter().any(|s| *s > 0.0 && s.is_finite()));
                return Some(NotComputed::NotFinite);
            }
            if b0(voxel).is_some_and(|s| s <= 0.0 || s <= self.options.minimum_b0 * mean) {
                let is_dark = signals.iter().all(|s| *s <= 0.0);
                return Some(if is_dark { NotComputed::NoSignal } else { NotComputed::WeakB0 });
            }
            // Checks the samples in addition to the measurements, because a measurement divided by a tiny b =
            // 0 signal may exceed the range of single precision.
            self.of_voxel(voxel, &mut samples);
            samples.iter().any(|&s| !(s as f32).is_finite()).then_some(NotComputed::WeakB0)
        };
        let mut counts = VoxelCounts::default();
        let mut usable = |voxel: usize| {
            // If a voxel's value in the confidence map is 0, the user has excluded the voxel. It is not
            // counted as a requested voxel.
            if !mask.contains(voxel) || confidence.is_some_and(|map| map.voxel(voxel)[0] <= 0.0) {
                return false;
            }
            counts.voxels += 1;
            let reason = reason(voxel);
            if let Some(reason) = reason {
                counts.add(reason, 1);
            }
            reason.is_none()
        };
        let flags: Vec<bool> = (0..grid.len()).map(&mut usable).collect();
        if !flags.contains(&true) {
            if confidence.is_some_and(|map| mask.indices().iter().all(|&voxel| map.voxel(voxel)[0] == 0.0)) {
                let problem = "no voxel of the mask has one above 0";
                return Err(Error::invalid(
                    "confidence map",
                    problem,
                    "give a map with values above 0 in the voxels of the mask",
                ));
            }
            counts.require_some()?;
        }
        Ok(UsableVoxels { mask: Mask::new(*grid, flags)?, counts, background })
    }

    /// Replaces the values of `out` by the samples of a voxel. Returns the mean b = 0 signal by which the
    /// samples were divided, or 1 if samples are not normalised.
    pub(crate) fn of_voxel(&self, voxel: usize, out: &mut Vec<f64>) -> f64 {
        let signal = self.series.voxel(voxel);
        self.samples.gather(signal, out);
        let mut unit = 1.0;
        if self.options.normalise_signal
            && let Some(b0) = self.samples.mean_b0(signal)
        {
            unit = b0;
            for value in &mut *out {
                *value /= unit;
            }
        }
        if self.options.demean {
            let mean = out.iter().sum::<f64>() / out.len() as f64;
            for value in &mut *out {
                *value -= mean;
            }
        }
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    const SHELLS: [usize; 6] = [0, 1, 2, 1, 0, 3];

    fn table() -> GradientTable {
        let directions =
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.6, 0.8, 0.0]];
        GradientTable::new(&directions, vec![0.001, 1000.0, 2000.0, 1000.0, 5.0, 1001.0], 50.0).unwrap()
    }

    fn volume(channels: usize, values: Vec<f32>) -> Volume<f32> {
        let grid = Grid::new([values.len() / channels, 1, 1], Affine::identity()).unwrap();
        Volume::new(grid, channels, values).unwrap()
    }

    #[test]
    fn merged_measurements_are_the_first_sample() {
        let all = Samples::of_series(&table(), &SHELLS, false).unwrap();
        assert_eq!((all.shells(), all.len()), (SHELLS.as_slice(), 6));
        let merged = Samples::of_series(&table(), &SHELLS, true).unwrap();
        assert_eq!((merged.shells(), merged.measurements()), ([0, 1, 2, 1, 3].as_slice(), 6));
        assert_eq!(merged.directions()[4], table().directions()[5]);
        assert!(Samples::of_series(&table(), &SHELLS[1..], true).is_err());
    }

    #[test]
    fn a_voxel_is_merged_then_normalised_then_demeaned() {
        let series = volume(6, vec![90.0, 50.0, 20.0, 60.0, 110.0, 40.0]);
        let samples = Samples::of_series(&table(), &SHELLS, true).unwrap();
        let mut out = Vec::new();
        let plain = DataOptions { normalise_signal: false, ..DataOptions::default() };
        assert_eq!(Data::new(&series, &samples, plain).unwrap().of_voxel(0, &mut out), 1.0);
        assert_eq!(out, [100.0, 50.0, 20.0, 60.0, 40.0]);
        let data = Data::new(&series, &samples, DataOptions::default()).unwrap();
        assert_eq!(data.of_voxel(0, &mut out), 100.0);
        assert_eq!(out, [1.0, 0.5, 0.2, 0.6, 0.4]);
        let demeaned = DataOptions { demean: true, ..DataOptions::default() };
        Data::new(&series, &samples, demeaned).unwrap().of_voxel(0, &mut out);
        // The test compares with a tolerance, because 2.7 / 5 is not exact in binary.
        assert!(out.iter().zip([0.46, -0.04, -0.34, 0.06, -0.14]).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn voxels_without_a_usable_signal_are_excluded() {
        let mut values = Vec::new();
        for b0 in [100.0f32, 0.0, 5.0, f32::NAN, 95.0, 100.0] {
            values.extend([b0, 30.0, 20.0, 30.0, b0, 30.0]);
        }
        let series = volume(6, values);
        let samples = Samples::of_series(&table(), &SHELLS, false).unwrap();
        let mask = Mask::full(*series.grid());
        let usable = |minimum_b0, confidence: Option<&Volume<f32>>| {
            let options = DataOptions { minimum_b0, ..DataOptions::default() };
            let data = Data::new(&series, &samples, options).unwrap();
            data.usable(&mask, confidence).map(|usable| usable.mask.indices())
        };
        assert_eq!(usable(0.0, None).unwrap(), [0, 2, 4, 5]);
        assert_eq!(usable(0.1, None).unwrap(), [0, 4, 5]);
        let data =
            Data::new(&series, &samples, DataOptions { minimum_b0: 0.1, ..DataOptions::default() }).unwrap();
        let found = data.usable(&mask, None).unwrap();
        let expected = "3 of 6 voxels could not be computed (1 with a value that is not finite, 2 without a usable signal at b = 0)";
        assert_eq!(found.counts.sentence().as_deref(), Some(expected));
        let counts = found.without_background().counts;
        assert_eq!((counts.voxels, counts.not_computed()), (4, 1));
        let dark = series.map(|_| 0.0);
        let message =
            Data::new(&dark, &samples, DataOptions::default()).unwrap().usable(&mask, None).unwrap_err();
        assert!(
            message.to_string().contains("all 6 voxels failed (6 without a signal above 0)"),
            "{message}"
        );
        let sure = volume(1, vec![1.0, 1.0, 1.0, 1.0, 0.0, 0.5]);
        assert_eq!(usable(0.1, Some(&sure)).unwrap(), [0, 5]);
        let wrong = volume(1, vec![1.0, -1.0, 1.0, 1.0, 0.0, 0.5]);
        assert_eq!(
            usable(0.0, Some(&wrong)).unwrap_err().to_string(),
            "confidence map: voxel (1, 0, 0), counted from 0, has the value -1; give a map with values of 0 \
             or more"
        );
        let nothing = volume(1, vec![0.0; 6]);
        assert!(
            usable(0.0, Some(&nothing))
                .unwrap_err()
                .to_string()
                .starts_with("confidence map: no voxel of the mask")
        );
    }

    /// The sample 30 / 1e-40 exceeds 3.4e38, the largest number of single precision.
    #[test]
    fn voxels_that_exceed_single_precision_are_excluded() {
        let of_voxel = |b0: f32| [b0, 30.0, 20.0, 30.0, b0, 30.0];
        let series = volume(6, [of_voxel(1e-40), of_voxel(1.0)].concat());
        let samples = Samples::of_series(&table(), &SHELLS, false).unwrap();
        for (normalise_signal, expected) in [(true, vec![1]), (false, vec![0, 1])] {
            let options = DataOptions { normalise_signal, ..DataOptions::default() };
            let data = Data::new(&series, &samples, options).unwrap();
            assert_eq!(data.usable(&Mask::full(*series.grid()), None).unwrap().mask.indices(), expected);
        }
    }

    #[test]
    fn a_series_without_b0_cannot_be_merged_or_normalised() {
        let weighted = GradientTable::new(&[[1.0, 0.0, 0.0]; 2], vec![1000.0; 2], 50.0).unwrap();
        assert!(Samples::of_series(&weighted, &[0, 0], true).is_err());
        let samples = Samples::of_series(&weighted, &[0, 0], false).unwrap();
        let series = volume(2, vec![1.0, 2.0]);
        assert!(Data::new(&series, &samples, DataOptions::default()).is_err());
        let plain = DataOptions { normalise_signal: false, ..DataOptions::default() };
        assert!(Data::new(&series, &samples, plain).is_ok());
        let bright = DataOptions { normalise_signal: false, minimum_b0: 0.1, ..DataOptions::default() };
        assert_eq!(
            Data::new(&series, &samples, bright).unwrap_err().to_string(),
            "‘minimum_b0’: no measurement counts as b = 0; leave out this option, or raise ‘b0_threshold’"
        );
        assert!(Data::new(&volume(1, vec![1.0]), &samples, DataOptions::default()).is_err());
    }
}
