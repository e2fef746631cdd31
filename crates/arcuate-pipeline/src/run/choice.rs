//! What streamlines of a run follow, by what was measured.

use crate::record::Record;
use arcuate_core::GradientTable;

/// What streamlines of a run follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tracking {
    /// What the [weighting](Choice::by_data) of the series allows.
    #[default]
    ByData,
    /// Fibre orientation distributions.
    Distributions,
    /// Diffusion tensors, along their principal directions.
    Tensor,
    /// Diffusion tensors, along shortest paths.
    Geodesic,
    /// Samples of the posteriors of two fibres in every voxel.
    Samples,
}

/// What was chosen, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What streamlines follow.
    pub tracking: Tracking,
    /// In a sentence; nothing where somebody has said it.
    pub why: Option<String>,
}

/// Directions of a shell that determine distributions up to degree 8, 6 and 4.
const MANY: usize = 45;
const ENOUGH: usize = 28;
const FEW: usize = 15;
/// From this b-value on (s/mm²) the directions of one shell show where fibres cross; below, samples of two fibres find more of the true
/// connections and fewer false ones (the page on one's own scan has the figures).
const SHARP: f64 = 1999.5;

impl Choice {
    /// By the weighting of a series: what has 28 directions in several shells together, with 15 in one of them, or 45 in one shell at 2000 s/mm² or
    /// more, is deconvolved; with 15, two fibres are sampled in every voxel; below, one direction is all that can be told. Deconvolution
    /// takes measurements at b = 0.
    pub fn by_data(gradients: &GradientTable) -> Self {
        let shells: Vec<(f64, usize)> = gradients
            .measurements_by_shell()
            .into_iter()
            .filter(|(b, _)| *b > 0.0)
            .map(|(b, measurements)| (b, gradients.distinct_axes(&measurements)))
            .collect();
        let (largest, most) = shells.iter().copied().max_by_key(|(_, axes)| *axes).unwrap_or((0.0, 0));
        let all: usize = shells.iter().map(|(_, axes)| axes).sum();
        let has_b0 = !gradients.b0_indices().is_empty();
        let several = shells.len() > 1;
        let (tracking, why) = if !has_b0 && most >= FEW {
            (Tracking::Samples, "there is no measurement at b = 0 to tell tissues apart by".to_owned())
        } else if several && most >= FEW && all >= ENOUGH {
            (Tracking::Distributions, format!("{} shells tell fibres from other tissues", shells.len()))
        } else if most >= MANY && largest >= SHARP {
            (
                Tracking::Distributions,
                format!("{most} directions at {largest:.0} s/mm² show where fibres cross"),
            )
        } else if most >= FEW {
            let why =
                format!("one shell of {most} directions at {largest:.0} s/mm² tells two fibres best so");
            (Tracking::Samples, why)
        } else {
            (Tracking::Tensor, format!("{most} directions tell one direction of each voxel"))
        };
        Self { tracking, why: Some(why) }
    }

    /// What is followed, in words.
    fn name(&self) -> &'static str {
        match self.tracking {
            Tracking::Distributions => "fibre orientation distributions",
            Tracking::Samples => "samples of two fibres",
            Tracking::Geodesic => "shortest paths through tensors",
            Tracking::Tensor | Tracking::ByData => "tensors",
        }
    }

    /// It in a line, where it was a choice.
    pub fn in_words(&self) -> Option<String> {
        self.why.as_ref().map(|why| format!("streamlines follow {}: {why}", self.name()))
    }

    /// Writes it down, where it was a choice.
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

    /// So many measurements at b = 0, and shells of so many directions.
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
    fn what_is_followed_is_what_directions_allow() {
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
        // Directions that are measured again are no others.
        let twice = [table(1, &[(1000.0, 20)]), table(0, &[(1000.0, 20)])];
        let directions: Vec<[f64; 3]> = twice.iter().flat_map(|table| table.directions().to_vec()).collect();
        let b = twice.iter().flat_map(|table| table.b_values().to_vec()).collect();
        let table = GradientTable::new(&directions, b, 50.0).unwrap();
        assert_eq!(Choice::by_data(&table).tracking, Tracking::Samples);
    }
}
