//! Coil sensitivity maps: one complex image per receiver coil.

use crate::{Element, Shape, near_one};
use arcuate_core::{Error, Result};
use rayon::prelude::*;
use std::sync::Arc;

/// Number of complex numbers that a CPU thread processes as one task.
const PIECE: usize = 1 << 14;

/// Coil sensitivities: one complex map per coil. The maps are stored one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct CoilMaps<T> {
    pub(super) coils: usize,
    pub(super) values: Arc<[T]>,
}

impl<T: Element> CoilMaps<T> {
    /// Creates coil sensitivity maps for images of this size. `values` are the complex numbers as pairs of a
    /// real and an imaginary part, x fastest, coil by coil.
    ///
    /// Returns an error if the length of `values` is not a multiple of the size of a map. Also returns an
    /// error if a value is not finite, or if all values are 0.
    pub fn new(shape: Shape, values: impl Into<Arc<[T]>>) -> Result<Self> {
        let values = values.into();
        let invalid =
            |problem: String, advice: &str| Err(Error::invalid("coil sensitivities", problem, advice));
        let of_one = 2 * shape.voxels();
        if values.is_empty() || !values.len().is_multiple_of(of_one) {
            let [x, y, z] = shape.lengths();
            let problem =
                format!("{} complex numbers are no maps of {x} × {y} × {z} voxels", values.len() / 2);
            return invalid(problem, "give maps of the image's size");
        }
        if let Some(n) = values.iter().position(|value| !value.is_finite()) {
            return invalid(
                format!("number {} is not finite", n / 2),
                "set what is outside of the object to 0",
            );
        }
        if values.iter().all(T::is_zero) {
            return invalid("all of them are 0".to_owned(), "give the maps of this scan's coils");
        }
        Ok(Self { coils: values.len() / of_one, values })
    }

    /// Scales the maps so that their squares do not overflow or underflow. Also returns the scale factor. It
    /// is a power of two, so that the scaling is exact.
    pub(crate) fn scaled(self) -> (Self, f64) {
        let scale = near_one(self.values.iter().map(|value| value.double()));
        if scale == 1.0 {
            return (self, 1.0);
        }
        let values = self.values.iter().map(|value| T::of(scale * value.double())).collect();
        (Self { values, ..self }, scale)
    }

    /// Returns the number of coils.
    pub fn coils(&self) -> usize {
        self.coils
    }

    /// Divides the image in each voxel by Σ_c |S_c|², the sum of the squared coil sensitivities. Voxels in
    /// which all sensitivities are 0 become 0.
    pub(crate) fn divide_by_squares(&self, image: &mut [T]) {
        for (value, square) in image.chunks_exact_mut(2).zip(self.squares()) {
            let factor = T::of(if square > 0.0 { 1.0 / square } else { 0.0 });
            (value[0], value[1]) = (factor * value[0], factor * value[1]);
        }
    }

    /// Returns, for each voxel, Σ_c |S_c|², with the sensitivities S_c of all coils.
    pub(super) fn squares(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.values.len() / self.coils / 2];
        for map in self.maps() {
            for (square, value) in squares.iter_mut().zip(map.chunks_exact(2)) {
                *square += value[0].double().powi(2) + value[1].double().powi(2);
            }
        }
        squares
    }

    /// Returns the mean of Σ_c |S_c|² (squared coil sensitivities) over the voxels in which it is not 0. Coil
    /// sensitivities increase FᴴF, the Fourier transform times its adjoint, by this factor.
    pub(crate) fn mean_square(&self) -> f64 {
        let squares = self.squares();
        let seen = squares.iter().filter(|&&square| square > 0.0).count();
        squares.iter().sum::<f64>() / seen as f64
    }

    /// Returns Σ_c conj(S_c) ρ_c, the images ρ_c of all coils combined by the conjugate coil sensitivities
    /// S_c. `images` contains the images of the coils, one after the other.
    ///
    /// # Panics
    /// Panics if the number of images differs from the number of maps.
    pub(crate) fn combine(&self, images: &[T]) -> Vec<T> {
        assert_eq!(images.len(), self.values.len(), "images and maps do not fit");
        let mut out = vec![T::zero(); images.len() / self.coils];
        for (map, image) in self.maps().zip(images.chunks_exact(out.len())) {
            add_back(map, image, &mut out);
        }
        out
    }

    /// Returns the complex sensitivity maps as pairs of a real and an imaginary part, x fastest, one coil
    /// after the other.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(super) fn maps(&self) -> std::slice::ChunksExact<'_, T> {
        self.values.chunks_exact(self.values.len() / self.coils)
    }
}

/// Adds the product of the conjugate map and the image to `out`: out += conj(map) · image.
pub(crate) fn add_back<T: Element>(map: &[T], image: &[T], out: &mut [T]) {
    each(map, image, out, |out, s, x| {
        out[0] += s[0] * x[0] + s[1] * x[1];
        out[1] += s[0] * x[1] - s[1] * x[0];
    });
}

/// Calls `action` for each complex number of `out`, together with the values of the map and of the image in
/// the same voxel.
pub(crate) fn each<T: Element>(
    map: &[T],
    image: &[T],
    out: &mut [T],
    action: impl Fn(&mut [T; 2], &[T; 2], &[T; 2]) + Sync,
) {
    let pieces =
        out.par_chunks_mut(2 * PIECE).zip(map.par_chunks(2 * PIECE)).zip(image.par_chunks(2 * PIECE));
    pieces.for_each(|((out, map), image)| {
        let (out, map, image) =
            (out.as_chunks_mut::<2>().0, map.as_chunks::<2>().0, image.as_chunks::<2>().0);
        for ((out, s), x) in out.iter_mut().zip(map).zip(image) {
            action(out, s, x);
        }
    });
}
