use arcuate_core::{Error, Result};
use arcuate_numbers::vector3::dot;

/// The signal of an axially symmetric compartment, as a function of the shell number and a cosine (−1 to 1).
/// The cosine is that of the angle between the compartment's axis and the diffusion gradient. The function is
/// even in the cosine.
pub type AxialResponse = Box<dyn Fn(usize, f64) -> f64 + Send + Sync>;

/// The response functions (signals) of all kinds of compartments in one acquisition.
///
/// The measurements of a voxel, in the order of its data, are called samples. A shell consists of samples
/// with the same diffusion weighting and timing. Within a shell, a response depends on the gradient direction
/// only.
pub struct Responses {
    pub(crate) directions: Vec<[f64; 3]>,
    pub(crate) shells: Vec<usize>,
    pub(crate) intra: Vec<AxialResponse>,
    pub(crate) extra: Vec<AxialResponse>,
    pub(crate) isotropic: Vec<Vec<f64>>,
    pub(crate) demean: bool,
}

impl std::fmt::Debug for Responses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Responses")
            .field("samples", &self.samples())
            .field("shells", &self.shell_count())
            .field("intra", &self.intra.len())
            .field("extra", &self.extra.len())
            .field("isotropic", &self.isotropic.len())
            .field("demean", &self.demean)
            .finish_non_exhaustive()
    }
}

impl Responses {
    /// Creates response functions for samples with these gradient directions and shells. Directions are unit
    /// vectors in scanner axes. In a shell without diffusion weighting, a direction may be any vector. Shells
    /// are numbered from 0 without gaps.
    ///
    /// `intra` has the response of 1 mm of streamline, and `extra` the response of a peak. `isotropic` has
    /// one value per shell for each response. If `demean` is true, the mean over samples is subtracted from
    /// every response. The mean of the data must then be subtracted, too.
    ///
    /// Returns an error if directions and shells belong to different numbers of samples, if a shell is
    /// missing, or if there is no response. Also returns an error if a response is not finite, or if an
    /// isotropic response does not have one value per shell.
    pub fn new(
        directions: Vec<[f64; 3]>,
        shells: Vec<usize>,
        intra: Vec<AxialResponse>,
        extra: Vec<AxialResponse>,
        isotropic: Vec<Vec<f64>>,
        demean: bool,
    ) -> Result<Self> {
        let fail = |problem: &str| {
            Err(Error::invalid("responses", problem, "give one response value per measurement"))
        };
        if directions.is_empty() || directions.len() != shells.len() {
            return fail("their samples have not one direction and one shell each");
        }
        let count = shells.iter().max().map_or(0, |last| last + 1);
        let mut seen = vec![false; count.min(shells.len() + 1)];
        for &shell in &shells {
            match seen.get_mut(shell) {
                Some(seen) => *seen = true,
                None => return fail("a shell has no sample"),
            }
        }
        if !seen.iter().all(|&seen| seen) {
            return fail("a shell has no sample");
        }
        if isotropic.iter().any(|response| response.len() != count) {
            return fail("an isotropic response has not one value for each shell");
        }
        if intra.len() + extra.len() + isotropic.len() == 0 {
            return fail("there are none");
        }
        let axial = intra.iter().chain(&extra);
        let probes = (0..count).flat_map(|shell| [0.0, 0.5, 1.0].map(|cosine| (shell, cosine)));
        let finite = probes
            .clone()
            .all(|(shell, cosine)| axial.clone().all(|response| response(shell, cosine).is_finite()));
        if !finite || !isotropic.iter().flatten().all(|value| value.is_finite()) {
            return fail("a response is not finite");
        }
        Ok(Self { directions, shells, intra, extra, isotropic, demean })
    }

    /// Returns the number of samples per voxel.
    pub fn samples(&self) -> usize {
        self.directions.len()
    }

    /// Returns the number of shells.
    pub fn shell_count(&self) -> usize {
        self.shells.iter().max().map_or(0, |last| last + 1)
    }

    /// Returns the number of intra-axonal responses. It is the number of unknowns per streamline.
    pub fn intra(&self) -> usize {
        self.intra.len()
    }

    /// Returns the number of extra-axonal responses. It is the number of unknowns per peak.
    pub fn extra(&self) -> usize {
        self.extra.len()
    }

    /// Returns the number of isotropic responses. It is the number of unknowns per voxel.
    pub fn isotropic(&self) -> usize {
        self.isotropic.len()
    }

    /// Returns the signal of a response in every sample, for a compartment along `axis` (unit vector). If
    /// responses are demeaned, the mean over the samples is subtracted.
    pub fn signal(&self, response: &AxialResponse, axis: [f64; 3]) -> Vec<f64> {
        let values = self.directions.iter().zip(&self.shells).map(|(g, &shell)| {
            let cosine = dot(*g, axis);
            response(shell, cosine.clamp(-1.0, 1.0))
        });
        self.demeaned(values.collect())
    }

    /// Returns the signal of an isotropic response in every sample. If responses are demeaned, the mean over
    /// the samples is subtracted.
    pub fn isotropic_signal(&self, response: &[f64]) -> Vec<f64> {
        self.demeaned(self.shells.iter().map(|&shell| response[shell]).collect())
    }

    fn demeaned(&self, mut values: Vec<f64>) -> Vec<f64> {
        if self.demean {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            for value in &mut values {
                *value -= mean;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_shells(demean: bool) -> Responses {
        let stick: AxialResponse =
            Box::new(|shell, cosine| if shell == 0 { 1.0 } else { (-1.7 * cosine * cosine).exp() });
        Responses::new(
            vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            vec![0, 1, 1],
            vec![stick],
            vec![],
            vec![vec![1.0, 0.1]],
            demean,
        )
        .unwrap()
    }

    #[test]
    fn signals_have_one_value_per_sample_and_zero_mean_if_demeaned() {
        let plain = two_shells(false);
        let expected = [1.0, (-1.7f64).exp(), 1.0];
        assert_eq!(plain.signal(&plain.intra[0], [1.0, 0.0, 0.0]), expected);
        assert_eq!(plain.isotropic_signal(&plain.isotropic[0]), [1.0, 0.1, 0.1]);
        let demeaned = two_shells(true);
        let mean = expected.iter().sum::<f64>() / 3.0;
        let signal = demeaned.signal(&demeaned.intra[0], [1.0, 0.0, 0.0]);
        assert_eq!(signal, expected.map(|value| value - mean));
    }

    #[test]
    fn responses_that_do_not_match_the_samples_are_rejected() {
        let new = |directions: usize, shells: &[usize], isotropic: Vec<Vec<f64>>| {
            Responses::new(vec![[0.0; 3]; directions], shells.to_vec(), vec![], vec![], isotropic, false)
        };
        assert!(new(2, &[0, 1], vec![vec![1.0, 0.5]]).is_ok());
        for wrong in [
            new(2, &[0], vec![vec![1.0]]),
            new(0, &[], vec![vec![]]),
            new(2, &[0, 2], vec![vec![1.0; 3]]),
            new(2, &[1, 1], vec![vec![1.0; 2]]),
            new(1, &[usize::MAX - 1], vec![vec![1.0; 2]]),
            new(2, &[0, 1], vec![vec![1.0]]),
            new(2, &[0, 1], vec![]),
            new(2, &[0, 1], vec![vec![1.0, f64::NAN]]),
        ] {
            assert!(wrong.is_err());
        }
    }
}
