use crate::{CoilMaps, Element, Shape, Weights};
use arcuate_core::{Control, Error, Result};
use std::sync::Arc;

/// The k-space data of a scan: samples along a trajectory, from one or several coils.
#[derive(Debug, Clone)]
pub struct Scan<T> {
    shape: Shape,
    samples: Arc<[[f64; 3]]>,
    channels: usize,
    data: Vec<T>,
    weights: Option<Weights>,
    maps: Option<CoilMaps<T>>,
    /// Product of two factors: the factor by which the coil sensitivities were scaled, and the factor by
    /// which the weights of samples were scaled.
    scale: f64,
    names: Names,
}

/// Names of the data, trajectory and image of a scan in warnings, such as their file names.
#[derive(Debug, Clone)]
pub struct Names {
    /// Name of the k-space samples.
    pub k_space: String,
    /// Name of the trajectory.
    pub trajectory: String,
    /// Name of the reconstructed image.
    pub image: String,
    /// True if the image will be compared with a ground truth. If true, an image that is 0 everywhere is an
    /// error. If false, such an image causes a warning.
    pub is_compared: bool,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            k_space: "k-space".to_owned(),
            trajectory: "trajectory".to_owned(),
            image: "image".to_owned(),
            is_compared: false,
        }
    }
}

/// Limit of [`Scan::spread`]. If the spread of a scan is above this limit, the scan is implausible. The
/// spread is 1 for noise and for samples in a wrong order.
const SCATTERED: f64 = 0.9;

impl<T: Element> Scan<T> {
    /// Creates a scan whose image has the size `shape`. `samples` are the k-space positions of the samples,
    /// in cycles per field of view. `data` are complex numbers as pairs of a real and an imaginary part, coil
    /// by coil.
    ///
    /// Returns an error if `data` and `samples` have different numbers of samples, if a number is not finite,
    /// or if all data are 0.
    pub fn new(shape: Shape, samples: impl Into<Arc<[[f64; 3]]>>, data: Vec<T>) -> Result<Self> {
        let samples = samples.into();
        let invalid = |problem: String, advice: &str| Err(Error::invalid("k-space", problem, advice));
        let of_one = 2 * samples.len();
        if of_one == 0 || data.is_empty() || !data.len().is_multiple_of(of_one) {
            let problem = format!("it has {} samples, the trajectory {}", data.len() / 2, samples.len());
            return invalid(problem, "give the trajectory that was measured along");
        }
        if let Some(n) = data.iter().position(|value| !value.is_finite()) {
            let n = n / 2;
            let problem =
                format!("sample {} of channel {} is not finite", n % samples.len(), n / samples.len());
            return invalid(problem, "leave it out, or mend the file");
        }
        if data.iter().all(T::is_zero) {
            return invalid("all its samples are 0".to_owned(), "give data that were measured");
        }
        let channels = data.len() / of_one;
        Ok(Self {
            shape,
            samples,
            channels,
            data,
            weights: None,
            maps: None,
            scale: 1.0,
            names: Names::default(),
        })
    }

    /// Sets the names of the scan's data, trajectory and image for warnings.
    #[must_use]
    pub fn with_names(self, names: Names) -> Self {
        Self { names, ..self }
    }

    /// Returns the names of the scan's data, trajectory and image for warnings.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Prints a warning if the energy of the data is not concentrated in the centre of k-space.
    pub(crate) fn warn_of_scatter(&self, control: &Control) {
        if self.spread() > SCATTERED {
            let Names { k_space, trajectory, .. } = &self.names;
            control.warn(&format!(
                "{k_space}: its energy does not gather in the middle of k-space, as that of an image does; check that {trajectory} \
                 is its trajectory, axis by axis"
            ));
        }
    }

    /// Sets the coil sensitivities. They may have any scale. They are stored with a scale factor for which
    /// their squares do not overflow.
    ///
    /// Returns an error if the number of sensitivity maps differs from the number of channels.
    pub fn with_coils(self, maps: CoilMaps<T>) -> Result<Self> {
        if maps.coils() != self.channels {
            let problem = format!(
                "there are {} maps of coil sensitivity, but k-space has {} channels",
                maps.coils(),
                self.channels
            );
            return Err(Error::invalid("coil sensitivities", problem, "give one map per channel"));
        }
        let (maps, scale) = maps.scaled();
        Ok(Self { maps: Some(maps), scale: self.scale * scale, ..self })
    }

    /// Sets a complex weight w of each sample, so that the data are w F ρ. The weights are stored with a
    /// scale factor, like the coil sensitivities.
    ///
    /// Returns an error if the number of weights differs from the number of samples.
    pub fn with_weights(self, weights: Weights) -> Result<Self> {
        if weights.values().len() != self.samples.len() {
            let (weights, samples) = (weights.values().len(), self.samples.len());
            let problem =
                format!("there are {weights} sample weights, but the trajectory has {samples} samples");
            return Err(Error::invalid("sample weights", problem, "give one weight per sample"));
        }
        let (weights, scale) = weights.scaled();
        Ok(Self { weights: Some(weights), scale: self.scale * scale, ..self })
    }

    /// Returns the image size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the k-space positions of the samples, in cycles per field of view.
    pub fn samples(&self) -> &Arc<[[f64; 3]]> {
        &self.samples
    }

    /// Returns the number of channels, which are usually coils.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Returns the data of all coils as pairs of a real and an imaginary part, one coil after the other.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// Iterates over the data of each channel.
    pub fn of_channels(&self) -> std::slice::ChunksExact<'_, T> {
        self.data.chunks_exact(2 * self.samples.len())
    }

    /// Returns the spread of the data's energy (without weights) in k-space. It is the root mean square wave
    /// number weighted by the energy of the samples, divided by the root mean square wave number of all
    /// samples. The spread of images is small, because their energy is near the centre of k-space. It is
    /// about 1 for noise, and for data that do not belong to the trajectory. It is 0 if all samples are in
    /// the centre.
    pub fn spread(&self) -> f64 {
        let squares: Vec<f64> = self.samples.iter().map(|k| k.iter().map(|c| c * c).sum()).collect();
        let mut parts = vec![1.0; squares.len()];
        if let Some(weights) = &self.weights {
            let of_weights = weights.squares().map(|square| if square > 0.0 { 1.0 / square } else { 0.0 });
            parts.iter_mut().zip(of_weights).for_each(|(part, of_weight)| *part = of_weight);
        }
        let (mut energy, mut moment) = (0.0, 0.0);
        for of_channel in self.of_channels() {
            for ((value, square), part) in of_channel.chunks_exact(2).zip(&squares).zip(&parts) {
                let of_sample = part * (value[0].double().powi(2) + value[1].double().powi(2));
                energy += of_sample;
                moment += of_sample * square;
            }
        }
        let all = squares.iter().sum::<f64>() / squares.len() as f64;
        if all > 0.0 && energy > 0.0 { (moment / energy / all).sqrt() } else { 0.0 }
    }

    /// Returns the factor that rescales an image. The image was computed with the stored [`maps`](Self::maps)
    /// and [`weights`](Self::weights), which are scaled. The result belongs to the coil sensitivities and
    /// weights that the user gave.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the factor by which the stored coil sensitivities S_c and the stored weights w of samples
    /// increase FᴴF. It is the product of two means. The first is the mean of Σ_c |S_c|² over the voxels in
    /// which Σ_c |S_c|² is not 0. The second is the mean of |w|² over the samples.
    pub fn gain(&self) -> f64 {
        let of_weights = self
            .weights
            .as_ref()
            .map_or(1.0, |weights| weights.squares().sum::<f64>() / weights.values().len() as f64);
        self.maps.as_ref().map_or(1.0, CoilMaps::mean_square) * of_weights
    }

    /// Returns the weights of samples as they are stored (scaled), if there are any.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Returns the coil sensitivities as they are stored (scaled), if they are known.
    pub fn maps(&self) -> Option<&CoilMaps<T>> {
        self.maps.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reach: f64) -> Vec<[f64; 3]> {
        (0..9).map(|n| [reach * (f64::from(n) / 4.0 - 1.0), 0.25 * reach, 0.0]).collect()
    }

    #[test]
    fn invalid_scans_give_one_line_errors() {
        let shape = Shape::new([8, 8, 1]).unwrap();
        let message = |data: Vec<f32>| Scan::new(shape, line(4.0), data).unwrap_err().to_string();
        for (data, expected) in [
            (
                vec![1.0; 20],
                "k-space: it has 10 samples, the trajectory 9; give the trajectory that was measured along",
            ),
            (
                vec![],
                "k-space: it has 0 samples, the trajectory 9; give the trajectory that was measured along",
            ),
            (vec![0.0; 36], "k-space: all its samples are 0; give data that were measured"),
        ] {
            assert_eq!(message(data), expected);
        }
        let mut spoilt = vec![1.0; 36];
        spoilt[23] = f32::NAN;
        assert_eq!(
            message(spoilt),
            "k-space: sample 2 of channel 1 is not finite; leave it out, or mend the file"
        );
        let scan = Scan::new(shape, line(4.0), vec![1.0f32; 36]).unwrap();
        assert_eq!((scan.channels(), scan.of_channels().count()), (2, 2));
        let maps = CoilMaps::new(shape, vec![1.0; 3 * 128]).unwrap();
        assert_eq!(
            scan.clone().with_coils(maps).unwrap_err().to_string(),
            "coil sensitivities: there are 3 maps of coil sensitivity, but k-space has 2 channels; give one \
             map per channel"
        );
        // The energy of the data is first in the centre of k-space, then everywhere, then at the ends only. A
        // sample with weight 0 does not count in the spread.
        let scan_of = |value: &dyn Fn(usize) -> f32| {
            let data = (0..36).map(|n| value(n / 2 % 9)).collect();
            Scan::new(shape, line(4.0), data).unwrap()
        };
        assert!((scan_of(&|_| 1.0).spread() - 1.0).abs() < 1e-12);
        assert!(scan_of(&|n| f32::from(n == 4)).spread() < 0.5);
        let ends = scan_of(&|n| f32::from(n % 8 == 0));
        assert!(ends.spread() > 1.3);
        let weights = (0..9).map(|n| [f64::from(n == 4), 0.0]).collect::<Vec<_>>();
        assert_eq!(ends.with_weights(Weights::new(weights).unwrap()).unwrap().spread(), 0.0);
        let weights = Weights::new(vec![[1.0, 0.0]; 8]).unwrap();
        assert_eq!(
            scan.with_weights(weights).unwrap_err().to_string(),
            "sample weights: there are 8 sample weights, but the trajectory has 9 samples; give one weight \
             per sample"
        );
    }
}
