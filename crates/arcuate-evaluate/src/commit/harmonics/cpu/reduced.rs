//! Conversion between the amounts of streamlines and the weights of basis functions. A few basis functions
//! approximate all intra-axonal responses.

use super::super::arrays::HarmonicArrays;
use arcuate_solve::Real;
use rayon::prelude::*;

/// Computes the weights z of the basis functions of all streamlines from the amounts x of their responses. The
/// shape of z is `streamlines × rank`.
pub(super) fn reduce<T: Real>(m: &HarmonicArrays<T>, unknowns: &[T]) -> Vec<T> {
    let family = &m.basis.intra;
    let mut z = vec![T::zero(); m.layout.streamlines * family.rank];
    if z.is_empty() {
        return z;
    }
    let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
    let from = unknowns[m.layout.intra_unknowns()].par_chunks(family.responses);
    from.zip(z.par_chunks_mut(family.rank)).for_each(|(x, z)| {
        for (&x, weights) in x.iter().zip(weights.chunks_exact(z.len())) {
            for (z, &weight) in z.iter_mut().zip(weights) {
                *z += x * weight;
            }
        }
    });
    z
}

/// Computes the sums of the amounts of streamlines from those of the weights of basis functions. This is the
/// adjoint of [`reduce`].
pub(super) fn expand<T: Real>(m: &HarmonicArrays<T>, z: &[T], unknowns: &mut [T]) {
    let family = &m.basis.intra;
    let unknowns = &mut unknowns[m.layout.intra_unknowns()];
    if z.is_empty() {
        unknowns.fill(T::zero());
        return;
    }
    let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
    z.par_chunks(family.rank).zip(unknowns.par_chunks_mut(family.responses)).for_each(|(z, x)| {
        for (x, weights) in x.iter_mut().zip(weights.chunks_exact(z.len())) {
            *x = z.iter().zip(weights).map(|(&z, &weight)| z * weight).sum();
        }
    });
}
