use crate::{Element, near_one};
use arcuate_core::{Error, Result};
use std::sync::Arc;

/// A complex weight w for each sample, so that the data are w F ρ. The adjoint multiplies the data by the
/// conjugate of w, so that FᴴF contains |w|².
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(Arc<[[f64; 2]]>);

impl Weights {
    /// Creates the weights. Returns an error if a weight is not finite.
    pub fn new(values: impl Into<Arc<[[f64; 2]]>>) -> Result<Self> {
        let values = values.into();
        match values.iter().position(|value| !(value[0].is_finite() && value[1].is_finite())) {
            None => Ok(Self(values)),
            Some(n) => Err(Error::invalid("sample weights", format!("number {n} is not finite"), "mend it")),
        }
    }

    /// Scales the weights of samples so that their squares do not overflow or underflow. Also returns the
    /// scale factor, which is a power of two.
    pub(crate) fn scaled(self) -> (Self, f64) {
        let scale = near_one(self.0.iter().flatten().copied());
        if scale == 1.0 {
            return (self, 1.0);
        }
        (Self(self.0.iter().map(|value| value.map(|part| scale * part)).collect()), scale)
    }

    /// Returns the real and the imaginary part of each weight.
    pub fn values(&self) -> &[[f64; 2]] {
        &self.0
    }

    /// Returns |w|² of each weight.
    pub fn squares(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|w| w[0] * w[0] + w[1] * w[1])
    }

    /// Multiplies each sample of the data by its weight: data ← w · data.
    ///
    /// # Panics
    /// Panics unless there is one weight for each complex number of the data.
    pub(crate) fn apply<T: Element>(&self, data: &mut [T]) {
        self.multiply(data, 1.0);
    }

    /// Multiplies each sample of the data by its conjugate weight: data ← conj(w) · data.
    ///
    /// # Panics
    /// Panics unless there is one weight for each complex number of the data.
    pub(crate) fn apply_conjugated<T: Element>(&self, data: &mut [T]) {
        self.multiply(data, -1.0);
    }

    /// Returns the data divided by the weights w. Samples with w = 0 become 0.
    ///
    /// # Panics
    /// Panics unless there is one weight for each complex number of the data.
    pub(crate) fn undone<T: Element>(&self, data: &[T]) -> Vec<T> {
        let mut data = data.to_vec();
        self.apply_conjugated(&mut data);
        for (value, square) in data.chunks_exact_mut(2).zip(self.squares()) {
            let factor = T::of(if square > 0.0 { 1.0 / square } else { 0.0 });
            (value[0], value[1]) = (factor * value[0], factor * value[1]);
        }
        data
    }

    fn multiply<T: Element>(&self, data: &mut [T], sign: f64) {
        assert_eq!(data.len(), 2 * self.0.len(), "not one weight for each sample");
        for (value, w) in data.chunks_exact_mut(2).zip(self.0.iter()) {
            let [a, b] = [T::of(w[0]), T::of(sign * w[1])];
            (value[0], value[1]) = (a * value[0] - b * value[1], a * value[1] + b * value[0]);
        }
    }
}
