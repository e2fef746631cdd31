//! What became of the seeds of a run, whatever was followed.

use arcuate_core::StreamlineLengths;

/// Reasons, and how many of each.
macro_rules! reasons {
    (
        $(#[$of_reason:meta])* $Reason:ident,
        $(#[$of_counts:meta])* $Counts:ident,
        { $($(#[$doc:meta])* $Variant:ident $field:ident,)* }
    ) => {
        $(#[$of_reason])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Reason { $($(#[$doc])* $Variant,)* }

        $(#[$of_counts])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $Counts { $($(#[$doc])* pub $field: u64,)* }

        impl $Counts {
            /// Counts one more.
            pub(crate) fn add(&mut self, reason: $Reason) {
                *self.of(reason) += 1;
            }

            pub(crate) fn of(&mut self, reason: $Reason) -> &mut u64 {
                match reason { $($Reason::$Variant => &mut self.$field,)* }
            }

            /// Each reason, and how many.
            pub fn by_reason(&self) -> impl Iterator<Item = ($Reason, u64)> + use<> {
                [$(($Reason::$Variant, self.$field)),*].into_iter()
            }

            /// All of them.
            pub fn total(&self) -> u64 {
                self.by_reason().map(|(_, count)| count).sum()
            }

            fn merge(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }

            /// All counts, one after the other.
            pub(crate) fn numbers(&mut self) -> Vec<&mut u64> {
                vec![$(&mut self.$field),*]
            }
        }
    };
}

reasons! {
    /// Why a seed gave no streamline.
    Rejection,
    /// Why seeds gave no streamline. Each source knows some of these reasons; the others stay 0.
    Rejections,
    {
        /// The seed lies outside the image or the mask, or where there is no orientation.
        SeedOutside seed_outside,
        /// The anisotropy at the seed is too low, or there is no tensor.
        SeedAnisotropy seed_anisotropy,
        /// The streamline is shorter than the minimum.
        TooShort too_short,
        /// The streamline is longer than the maximum.
        TooLong too_long,
        /// Both halves entered a region to avoid.
        Avoided avoided,
        /// The waypoints were not passed as wished.
        Waypoints waypoints,
        /// An end is where no fibre ends: in white matter, or in fluid.
        Anatomy anatomy,
    }
}

reasons! {
    /// Why one end of a streamline is where it is.
    Termination,
    /// Why streamlines ended, each end counted, also those of streamlines that were then rejected. Each source knows some of
    /// these reasons; the others stay 0.
    Terminations,
    {
        /// The next point lies outside the image.
        LeftImage left_image,
        /// The next point lies outside the mask, or there is no orientation there.
        LeftMask left_mask,
        /// The anisotropy there is below the cutoff, or there is no tensor (not a number, or no single direction).
        Anisotropy anisotropy,
        /// The fraction of the sampled fibre is too low, or its voxel has none.
        Fraction fraction,
        /// The direction there differs by more than the largest angle.
        Angle angle,
        /// It came into a region to stop in.
        Stop stop,
        /// It left a region to stop on leaving.
        Exit exit,
        /// It entered a region to avoid.
        Avoid avoid,
        /// It came back to where it was: against its direction there, or, of rays, in it.
        Loop loops,
        /// It has its maximum length.
        MaxLength max_length,
        /// It has its maximum number of steps.
        MaxSteps max_steps,
        /// It reached the target, where there is but one.
        Target target,
        /// It came into cortical grey matter.
        CorticalGrey cortical_grey,
        /// It left sub-cortical grey matter that it had come into, in which it ends.
        SubCorticalGrey sub_cortical_grey,
        /// It came into fluid.
        Fluid fluid,
        /// It left the brain.
        LeftBrain left_brain,
        /// No step leads on: the metric is not a number there, or no step is short enough.
        Stuck stuck,
    }
}

/// What became of the seeds of a run, up to the last one that counted. Independent of the number of threads and of the device.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrackSummary {
    /// Seeds tried, of each streamline its own; of rays in many directions the seeds that they leave.
    pub seeds: u64,
    /// Streamlines accepted: what probtrackx2 calls the way total.
    pub streamlines: u64,
    /// Their points.
    pub points: u64,
    /// Steps taken in all, those of rejected streamlines among them, where they are counted (not of tensors).
    pub steps_taken: u64,
    /// How long the accepted ones are, in their order, where tracking measures them (not of samples).
    pub lengths: StreamlineLengths,
    /// Why seeds gave no streamline.
    pub rejected: Rejections,
    /// Why streamlines ended.
    pub terminated: Terminations,
    /// Of each target of the constraints, in their order: how many of the accepted streamlines pass it.
    pub targets: Vec<u64>,
}

/// What became of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Outcome {
    /// Nothing where the streamline is accepted.
    pub(crate) rejection: Option<Rejection>,
    /// Points of each half that is kept, the seed in each; 0 where it is not.
    pub(crate) points: [u32; 2],
    /// Of each half that was followed.
    pub(crate) ends: [Option<Termination>; 2],
    /// Steps taken, as far as they are counted.
    pub(crate) steps: u32,
    /// In mm, where it is measured.
    pub(crate) length_mm: Option<f32>,
}

impl Outcome {
    /// Of a seed at which no streamline begins.
    pub(crate) fn rejected(why: Rejection) -> Self {
        Self { rejection: Some(why), ..Self::default() }
    }

    pub(crate) fn is_accepted(&self) -> bool {
        self.rejection.is_none()
    }

    /// Points of the accepted streamline: the seed is one of both halves.
    pub(crate) fn joined(&self) -> u32 {
        match self.points {
            [0, other] => other,
            [one, other] => one + other.saturating_sub(1),
        }
    }

    /// Which of them is the seed: the first half comes first, and from its far end.
    pub(crate) fn seed_point(&self) -> u32 {
        self.points[0].saturating_sub(1)
    }
}

impl TrackSummary {
    /// Share of the seeds that gave a streamline.
    pub fn acceptance(&self) -> f64 {
        if self.seeds == 0 { 0.0 } else { self.streamlines as f64 / self.seeds as f64 }
    }

    /// Steps of an accepted streamline on average.
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

    /// Adds what another part of a run, or another run, came to.
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
