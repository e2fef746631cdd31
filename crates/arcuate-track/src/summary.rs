//! Numbers of accepted, rejected and terminated streamlines, for all kinds of tracking.

use arcuate_core::StreamlineLengths;

/// Defines an enum of reasons, and a struct with a count for each of these reasons.
macro_rules! reasons {
    (
        $(#[$of_reason:meta])* $Reason:ident,
        $(#[$of_counts:meta])* $Counts:ident,
        { $($(#[$doc:meta])* $Variant:ident $field:ident,)* }
    ) => {
        $(#[$of_reason])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $Reason { $($(#[$doc])* $Variant,)* }

        $(#[$of_counts])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $Counts { $($(#[$doc])* pub $field: u64,)* }

        impl $Counts {
            /// Increments the count of a reason.
            pub(crate) fn add(&mut self, reason: $Reason) {
                *self.of(reason) += 1;
            }

            pub(crate) fn of(&mut self, reason: $Reason) -> &mut u64 {
                match reason { $($Reason::$Variant => &mut self.$field,)* }
            }

            /// Returns each reason with its count.
            pub fn by_reason(&self) -> impl Iterator<Item = ($Reason, u64)> + use<> {
                [$(($Reason::$Variant, self.$field)),*].into_iter()
            }

            /// Returns the sum of all counts.
            pub fn total(&self) -> u64 {
                self.by_reason().map(|(_, count)| count).sum()
            }

            fn merge(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }

            /// Returns mutable references to the counts of all reasons, in the order of the enum.
            pub(crate) fn numbers(&mut self) -> Vec<&mut u64> {
                vec![$(&mut self.$field),*]
            }
        }
    };
}

reasons! {
    /// Reason why a seed gave no streamline.
    Rejection,
    /// Number of seeds that gave no streamline, by reason. Each kind of tracking uses only some of the
    /// reasons; the counts of the other reasons are 0.
    Rejections,
    {
        /// The seed is outside the image or the mask, or has no orientation.
        SeedOutside seed_outside,
        /// The anisotropy at the seed is too low, or the seed has no valid tensor.
        SeedAnisotropy seed_anisotropy,
        /// The streamline is shorter than the minimum.
        TooShort too_short,
        /// The streamline is longer than the maximum.
        TooLong too_long,
        /// Both halves entered a region to avoid.
        Avoided avoided,
        /// The streamline did not pass the waypoints as required.
        Waypoints waypoints,
        /// An end of the streamline is anatomically implausible: in white matter or in cerebrospinal fluid
        /// (CSF).
        Anatomy anatomy,
    }
}

reasons! {
    /// Reason why an end of a streamline stopped.
    Termination,
    /// Number of streamline ends, by the reason why they stopped. Each end is counted, including the ends of
    /// rejected streamlines. Each kind of tracking uses only some of the reasons; the counts of the other
    /// reasons are 0.
    Terminations,
    {
        /// The next point is outside the image.
        LeftImage left_image,
        /// The next point of the streamline is outside the mask or has no orientation.
        LeftMask left_mask,
        /// The anisotropy at the next point of the streamline is below the cutoff, or its tensor is invalid
        /// (not a number, or without a unique principal direction).
        Anisotropy anisotropy,
        /// The volume fraction of the drawn fibre is too low, or the voxel has no fibre.
        Fraction fraction,
        /// The direction of the streamline changed by more than the maximum angle.
        Angle angle,
        /// The streamline entered a region to stop in.
        Stop stop,
        /// The streamline left a region that it must stop at when leaving.
        Exit exit,
        /// The streamline entered a region to avoid.
        Avoid avoid,
        /// The streamline returned to an earlier position in the opposite direction. A geodesic ray stops if
        /// it returns in the same direction.
        Loop loops,
        /// The streamline reached its maximum length.
        MaxLength max_length,
        /// The streamline reached its maximum number of steps.
        MaxSteps max_steps,
        /// The geodesic ray reached the target, if there is only one target.
        Target target,
        /// The streamline entered cortical grey matter.
        CorticalGrey cortical_grey,
        /// The streamline left sub-cortical grey matter after entering it. It is truncated to a point inside.
        SubCorticalGrey sub_cortical_grey,
        /// The streamline entered cerebrospinal fluid (CSF).
        Csf csf,
        /// The streamline left the brain.
        LeftBrain left_brain,
        /// No step of the geodesic ray is possible: the metric is not a number there, or no step is short
        /// enough.
        Stuck stuck,
    }
}

/// Numbers of streamlines of a run, counted up to the last seed that was needed. The numbers do not depend on
/// the number of threads or on the device.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrackSummary {
    /// Number of seeds that were tracked. Each streamline has its own seed; several geodesic rays can share
    /// one.
    pub seeds: u64,
    /// Number of accepted streamlines. FSL probtrackx2 calls this number the waytotal.
    pub streamlines: u64,
    /// Number of points of the accepted streamlines.
    pub points: u64,
    /// Number of steps of all streamlines, including rejected ones. Tensor tracking does not count steps.
    pub steps_taken: u64,
    /// Lengths of the accepted streamlines, in order. Only tensor and geodesic tracking measure lengths.
    pub lengths: StreamlineLengths,
    /// Number of seeds without a streamline, by reason.
    pub rejected: Rejections,
    /// Number of streamline ends, by the reason why they stopped.
    pub terminated: Terminations,
    /// Number of accepted streamlines that pass each target, in the order of the targets in the constraints.
    pub targets: Vec<u64>,
}

/// Result of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Outcome {
    /// Reason for the rejection; `None` if the streamline is accepted.
    pub(crate) rejection: Option<Rejection>,
    /// Number of points of each half of the streamline, including the seed; 0 for a half that is not kept.
    pub(crate) points: [u32; 2],
    /// Reason why each half of the streamline stopped; `None` for a half that was not tracked.
    pub(crate) ends: [Option<Termination>; 2],
    /// Number of steps of the streamline, if steps are counted.
    pub(crate) steps: u32,
    /// Length of the streamline in mm, if lengths are measured.
    pub(crate) length_mm: Option<f32>,
}

impl Outcome {
    /// Returns the outcome of a seed that gave no streamline, with the reason.
    pub(crate) fn rejected(why: Rejection) -> Self {
        Self { rejection: Some(why), ..Self::default() }
    }

    pub(crate) fn is_accepted(&self) -> bool {
        self.rejection.is_none()
    }

    /// Returns the number of points of the accepted streamline. Both halves contain the seed, which is
    /// counted once.
    pub(crate) fn joined(&self) -> u32 {
        match self.points {
            [0, other] => other,
            [one, other] => one + other.saturating_sub(1),
        }
    }

    /// Returns the index of the seed among the points of the streamline. The points start at the far end of
    /// the first half.
    pub(crate) fn seed_point(&self) -> u32 {
        self.points[0].saturating_sub(1)
    }
}

impl TrackSummary {
    /// Returns the fraction of seeds that gave an accepted streamline.
    pub fn acceptance(&self) -> f64 {
        if self.seeds == 0 { 0.0 } else { self.streamlines as f64 / self.seeds as f64 }
    }

    /// Returns the mean number of steps of an accepted streamline.
    pub fn mean_steps(&self) -> f64 {
        let steps = self.points.saturating_sub(self.streamlines);
        if self.streamlines == 0 { 0.0 } else { steps as f64 / self.streamlines as f64 }
    }

    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.steps_taken += u64::from(outcome.steps);
        if let Some(why) = outcome.rejection {
            self.rejected.add(why);
        } else {
            self.streamlines += 1;
            self.points += u64::from(outcome.joined());
            if let Some(length) = outcome.length_mm {
                self.lengths.push(length);
            }
        }
        outcome.ends.into_iter().flatten().for_each(|why| self.terminated.add(why));
    }

    /// Adds the numbers of another part of this run, or of another run.
    #[doc(hidden)]
    pub fn merge(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.streamlines += other.streamlines;
        self.points += other.points;
        self.steps_taken += other.steps_taken;
        other.lengths.values().iter().for_each(|&length| self.lengths.push(length));
        self.targets.resize(self.targets.len().max(other.targets.len()), 0);
        self.targets.iter_mut().zip(&other.targets).for_each(|(sum, count)| *sum += count);
        self.rejected.merge(&other.rejected);
        self.terminated.merge(&other.terminated);
    }
}
