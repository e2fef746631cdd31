//! Chooses the tracking method of a run from the gradient table of the series.

use crate::record::Record;
use arcuate_core::GradientTable;

/// The tracking method of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tracking {
    /// The method is chosen automatically from the gradient table of the series, see [`Choice::by_data`].
    #[default]
    Automatic,
    /// Fibre orientation distributions.
    Distributions,
    /// The principal directions of diffusion tensors.
    Tensor,
    /// Shortest paths through diffusion tensors (geodesic tracking).
    Geodesic,
    /// Posterior samples of two fibres in each voxel.
    Samples,
}

/// The chosen tracking method and the reason for the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The tracking method.
    pub tracking: Tracking,
    /// Reason for the choice, as a sentence. `None` if the user chose the method.
    pub why: Option<String>,
}

/// Numbers of gradient directions, with which fibre orientation distributions of degree 8, 6 and 4,
/// respectively, can be determined. They are the numbers of spherical harmonics of even degrees up to these.
const MANY: usize = 45;
const ENOUGH: usize = 28;
const FEW: usize = 15;
/// Minimum b-value of a single shell, in s/mm², for fibre orientation distributions. At lower b-values,
/// tracking through posterior samples of two fibres finds more true connections and fewer false ones. The
/// documentation page on one's own scan gives the measurements.
const SHARP: f64 = 1999.5;

impl Choice {
    /// Chooses the tracking method from the gradient table of a series:
    ///
    /// - Fibre orientation distributions (FODs) are used in two cases. In the first, there are several shells
    ///   with at least 28 distinct directions in total, and one of them has at least 15. In the second, the
    ///   shell with the most directions has at least 45 and b ≥ 2000 s/mm².
    /// - In all other cases in which a shell has at least 15 directions, posterior samples of two fibres are
    ///   used.
    /// - If no shell has 15 directions, tensors are used. So few directions determine only one fibre
    ///   direction per voxel.
    ///
    /// FODs need measurements at b = 0. If there are none, posterior samples are used instead of FODs.
    pub fn by_data(gradients: &GradientTable) -> Self {
        let shells: Vec<(f64, usize)> = gradients
            .measurements_by_shell()
            .into_iter()
            .filter(|(b, _)| *b > 0.0)
            .map(|(b, measurements)| (b, gradients.distinct_axes(&measurements)))
            .collect();
        let (largest, maximum) = shells.iter().copied().max_by_key(|(_, axes)| *axes).unwrap_or((0.0, 0));
        let all: usize = shells.iter().map(|(_, axes)| axes).sum();
        let has_b0 = !gradients.b0_indices().is_empty();
        let several = shells.len() > 1;
        let (tracking, why) = if !has_b0 && maximum >= FEW {
            (Tracking::Samples, "there is no measurement at b = 0 to separate tissues".to_owned())
        } else if several && maximum >= FEW && all >= ENOUGH {
            (Tracking::Distributions, format!("{} shells tell fibres from other tissues", shells.len()))
        } else if maximum >= MANY && largest >= SHARP {
            (
                Tracking::Distributions,
                format!("{maximum} directions at {largest:.0} s/mm² show where fibres cross"),
            )
        } else if maximum >= FEW {
            let why =
                format!("one shell of {maximum} directions at {largest:.0} s/mm² tells two fibres best so");
            (Tracking::Samples, why)
        } else {
            (Tracking::Tensor, format!("{maximum} directions tell one direction of each voxel"))
        };
        Self { tracking, why: Some(why) }
    }

    /// Returns the name of the chosen tracking method, for users.
    fn name(&self) -> &'static str {
        match self.tracking {
            Tracking::Distributions => "fibre orientation distributions",
            Tracking::Samples => "samples of two fibres",
            Tracking::Geodesic => "shortest paths through tensors",
            Tracking::Tensor | Tracking::Automatic => "tensors",
        }
    }

    /// Returns one line of text with the chosen tracking method and the reason. Returns `None` if the user
    /// chose the method.
    pub fn describe(&self) -> Option<String> {
        self.why.as_ref().map(|why| format!("streamlines follow {}: {why}", self.name()))
    }

    /// Adds the tracking method that was chosen automatically, and the reason, to the record. Adds nothing if
    /// the user chose the method.
    #[doc(hidden)]
    pub fn note(&self, record: &mut Record) {
        if let Some(why) = &self.why {
            record.choice("what streamlines follow", format!("{}: {why}", self.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Orientations;

    /// Creates a gradient table with `unweighted` measurements at b = 0. `shells` contains the b-value and
    /// the number of directions of each shell.
    fn table(unweighted: usize, shells: &[(f64, usize)]) -> GradientTable {
        let mut directions = vec![[0.0; 3]; unweighted];
        let mut b = vec![0.0; unweighted];
        for &(shell, count) in shells {
            directions.extend(Orientations::half_sphere(count).directions());
            b.extend(vec![shell; count]);
        }
        GradientTable::new(&directions, b, 50.0).unwrap()
    }

    #[test]
    fn the_tracking_source_is_chosen_by_the_directions() {
        for (unweighted, shells, expected) in [
            (1, &[(1000.0, 6)][..], Tracking::Tensor),
            (1, &[(1000.0, 14)], Tracking::Tensor),
            (1, &[(1000.0, 15)], Tracking::Samples),
            (1, &[(1000.0, 27)], Tracking::Samples),
            (1, &[(1000.0, 64)], Tracking::Samples),
            (1, &[(2000.0, 44)], Tracking::Samples),
            (1, &[(2000.0, 45)], Tracking::Distributions),
            (1, &[(3000.0, 64)], Tracking::Distributions),
            (0, &[(1000.0, 64)], Tracking::Samples),
            (6, &[(1000.0, 14), (2000.0, 14)], Tracking::Tensor),
            (6, &[(1000.0, 12), (2000.0, 16)], Tracking::Distributions),
            (18, &[(1000.0, 90), (2000.0, 90), (3000.0, 90)], Tracking::Distributions),
        ] {
            let choice = Choice::by_data(&table(unweighted, shells));
            assert_eq!(choice.tracking, expected, "{shells:?}");
            assert!(choice.why.is_some());
        }
        // A repeated direction counts once.
        let twice = [table(1, &[(1000.0, 20)]), table(0, &[(1000.0, 20)])];
        let directions: Vec<[f64; 3]> = twice.iter().flat_map(|table| table.directions().to_vec()).collect();
        let b = twice.iter().flat_map(|table| table.b_values().to_vec()).collect();
        let table = GradientTable::new(&directions, b, 50.0).unwrap();
        assert_eq!(Choice::by_data(&table).tracking, Tracking::Samples);
    }
}
