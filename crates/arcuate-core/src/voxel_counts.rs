//! Numbers of the voxels for which no result could be computed, for each reason. Every command reports these
//! numbers with the same sentence.

use crate::{Control, Error, Mask, Result, Volume};

/// The reason why no result was computed for a voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotComputed {
    /// No measurement of the voxel is above 0.
    NoSignal,
    /// A measurement of the voxel is not finite, and the computation needs all measurements.
    NotFinite,
    /// The usable measurements of the voxel are not sufficient to determine the result.
    TooFew,
    /// The mean signal of the voxel at b = 0 is 0, negative, or below the requested minimum.
    WeakB0,
    /// The equations for the voxel have no solution, or the solution is not finite.
    NoSolution,
    /// The model predicts no signal at the starting values of the fit.
    NoModel,
    /// The label of the voxel belongs to no tissue.
    NoTissue,
}

impl NotComputed {
    /// All reasons, in the order in which a report lists them.
    pub const ALL: [Self; 7] = [
        Self::NoSignal,
        Self::NotFinite,
        Self::TooFew,
        Self::WeakB0,
        Self::NoSolution,
        Self::NoModel,
        Self::NoTissue,
    ];

    /// The text for this reason that follows a number of voxels, as in "3 without a signal above 0".
    pub fn words(self) -> &'static str {
        match self {
            Self::NoSignal => "without a signal above 0",
            Self::NotFinite => "with a value that is not finite",
            Self::TooFew => "with too few usable measurements",
            Self::WeakB0 => "without a usable signal at b = 0",
            Self::NoSolution => "without a finite solution",
            Self::NoModel => "without a model signal at the start of the fit",
            Self::NoTissue => "with a label that has no tissue",
        }
    }
}

/// Number of requested voxels, number of voxels without a result, and number of measurements that were not
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VoxelCounts {
    /// Number of voxels for which a result was requested.
    pub voxels: usize,
    /// Number of measurements in all voxels that were not used because they are not finite.
    pub not_finite: usize,
    /// Number of measurements in all voxels that were not used because they are negative.
    pub negative: usize,
    not_computed: [usize; NotComputed::ALL.len()],
}

impl VoxelCounts {
    /// Creates the numbers for `voxels` requested voxels; at first, all of these voxels count as computed.
    #[doc(hidden)]
    pub fn of(voxels: usize) -> Self {
        Self { voxels, ..Self::default() }
    }

    /// Counts the voxels of a mask, and the measurements in these voxels that are not finite.
    #[doc(hidden)]
    pub fn of_series(dwi: &Volume<f32>, mask: &Mask) -> Self {
        let voxels = mask.indices();
        let not_finite =
            |&voxel: &usize| dwi.voxel(voxel).iter().filter(|signal| !signal.is_finite()).count();
        Self { not_finite: voxels.iter().map(not_finite).sum(), ..Self::of(voxels.len()) }
    }

    /// Adds to the number of voxels that could not be computed for the given reason.
    #[doc(hidden)]
    pub fn add(&mut self, reason: NotComputed, voxels: usize) {
        self.not_computed[reason as usize] += voxels;
    }

    /// Number of voxels without a result for one reason.
    #[doc(hidden)]
    pub fn with_reason(&self, reason: NotComputed) -> usize {
        self.not_computed[reason as usize]
    }

    /// Number of voxels without a result, for any reason.
    pub fn not_computed(&self) -> usize {
        self.not_computed.iter().sum()
    }

    /// Number of voxels with a result.
    pub fn computed(&self) -> usize {
        self.voxels - self.not_computed().min(self.voxels)
    }

    /// Number of measurements that were not used because they are not finite or negative.
    #[doc(hidden)]
    pub fn unused_measurements(&self) -> usize {
        self.not_finite + self.negative
    }

    /// Adds the counts of other voxels.
    #[must_use]
    #[doc(hidden)]
    pub fn plus(mut self, other: &Self) -> Self {
        self.voxels += other.voxels;
        self.not_finite += other.not_finite;
        self.negative += other.negative;
        for (own, others) in self.not_computed.iter_mut().zip(other.not_computed) {
            *own += others;
        }
        self
    }

    /// Describes the voxels without a result and the unused measurements in one sentence. Returns `None` if
    /// all voxels have a result and all measurements were used.
    #[doc(hidden)]
    pub fn sentence(&self) -> Option<String> {
        let parts: Vec<String> = self.not_computed_text().into_iter().chain(self.unused_text()).collect();
        (!parts.is_empty()).then(|| parts.join(", and "))
    }

    fn not_computed_text(&self) -> Option<String> {
        let Self { voxels, .. } = self;
        let missing = self.not_computed();
        (missing > 0)
            .then(|| format!("{missing} of {voxels} voxels could not be computed ({})", self.reasons()))
    }

    fn unused_text(&self) -> Option<String> {
        let kinds = [(self.not_finite, "not finite"), (self.negative, "negative")];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        let were = match self.unused_measurements() {
            0 => return None,
            1 => "1 measurement was not used".to_owned(),
            unused => format!("{unused} measurements were not used"),
        };
        Some(format!("{were} ({})", kinds.join(", ")))
    }

    fn reasons(&self) -> String {
        let of_reason = |reason: NotComputed| {
            let voxels = self.with_reason(reason);
            (voxels > 0).then(|| format!("{voxels} {}", reason.words()))
        };
        NotComputed::ALL.into_iter().filter_map(of_reason).collect::<Vec<_>>().join(", ")
    }

    /// Warns about voxels without a result and unused measurements. `what` is the name of the computed result
    /// in the warning, such as "tensor".
    #[doc(hidden)]
    pub fn warn(&self, what: &str, control: &Control) {
        if let Some(sentence) = self.sentence() {
            control.warn(&format!("{what}: {sentence}"));
        }
    }

    /// Returns an error if no voxel could be computed.
    #[doc(hidden)]
    pub fn require_some(&self) -> Result<()> {
        if self.computed() > 0 {
            return Ok(());
        }
        let problem = format!("all {} voxels failed ({})", self.voxels, self.reasons());
        Err(Error::invalid("diffusion series", problem, "check the series, its mask and its gradient table"))
    }
}

/// Returns an error if no value of a diffusion series is above 0, since no method can use it.
pub fn require_signal(dwi: &Volume<f32>) -> Result<()> {
    let values = dwi.values();
    if values.iter().any(|value| *value > 0.0 && value.is_finite()) {
        return Ok(());
    }
    let problem = if values.iter().all(|value| *value == 0.0) {
        "all of its values are 0"
    } else if values.iter().any(|value| value.is_finite()) {
        "all of its values are 0 or negative"
    } else {
        "all of its values are infinite or not numbers"
    };
    let advice = "check that the file is complete, and that it was converted with the right scaling";
    Err(Error::invalid("diffusion series", problem, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine, Grid};

    #[test]
    fn the_sentence_lists_all_counts_with_reasons() {
        let mut counts = VoxelCounts::of(20);
        assert_eq!((counts.sentence(), counts.computed()), (None, 20));
        counts.add(NotComputed::TooFew, 2);
        counts.add(NotComputed::NoSignal, 3);
        counts.not_finite = 7;
        counts.negative = 1;
        let expected = "5 of 20 voxels could not be computed (3 without a signal above 0, 2 with too few usable \
                        measurements), and 8 measurements were not used (7 not finite, 1 negative)";
        assert_eq!(counts.sentence().as_deref(), Some(expected));
        assert_eq!((counts.computed(), counts.not_computed()), (15, 5));
        let one = VoxelCounts { not_finite: 1, ..VoxelCounts::of(4) };
        assert_eq!(one.sentence().as_deref(), Some("1 measurement was not used (1 not finite)"));
        assert_eq!(one.plus(&counts).not_finite, 8);
        assert_eq!(one.plus(&counts).with_reason(NotComputed::NoSignal), 3);
    }

    #[test]
    fn nothing_computed_is_an_error() {
        let mut counts = VoxelCounts::of(3);
        counts.add(NotComputed::NoSignal, 2);
        assert!(counts.require_some().is_ok());
        counts.add(NotComputed::NotFinite, 1);
        let expected = "diffusion series: all 3 voxels failed (2 without a signal above 0, 1 with a \
                        value that \
                        is not finite); check the series, its mask and its gradient table";
        assert_eq!(counts.require_some().unwrap_err().to_string(), expected);
    }

    #[test]
    fn measurements_of_a_mask_are_counted() {
        let grid = Grid::new([3, 1, 1], Affine::identity()).unwrap();
        let dwi = Volume::new(grid, 2, vec![f32::NAN, 1.0, f32::INFINITY, f32::NAN, f32::NAN, 2.0]).unwrap();
        let mask = Mask::new(grid, vec![true, true, false]).unwrap();
        let counts = VoxelCounts::of_series(&dwi, &mask);
        assert_eq!((counts.voxels, counts.not_finite, counts.not_computed()), (2, 3, 0));
    }

    #[test]
    fn a_series_without_a_value_above_0_is_refused() {
        let grid = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let series = |values: [f32; 4]| Volume::new(grid, 2, values.to_vec()).unwrap();
        for (values, part) in [
            ([0.0; 4], "all of its values are 0"),
            ([-1.0, 0.0, -3.0, f32::NAN], "all of its values are 0 or negative"),
            (
                [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN],
                "all of its values are infinite or \
                not numbers",
            ),
        ] {
            let message = require_signal(&series(values)).unwrap_err().to_string();
            assert!(message.starts_with("diffusion series: ") && message.contains(part), "{message}");
        }
        // A result is computed for a positive signal of any size.
        for value in [1e-38, 1e38] {
            assert!(require_signal(&series([0.0, -5.0, f32::NAN, value])).is_ok());
        }
    }
}
