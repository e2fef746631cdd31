//! The reduced unknowns z of COMMIT's operator. They are the weights of the few basis functions that
//! approximate the responses of a kind of compartment. Most of the computation uses z instead of the unknowns
//! x.

use super::super::arrays::HarmonicArrays;
use super::super::basis::Family;
use arcuate_solve::Real;
use rayon::prelude::*;

/// Index ranges of the reduced unknowns z. Each streamline and each axis has one number per basis function.
/// The isotropic unknowns of each voxel follow.
pub(super) struct Reduced {
    pub(super) extra: usize,
    pub(super) isotropic: usize,
    pub(super) count: usize,
}

pub(super) fn reduced<T: Real>(m: &HarmonicArrays<T>) -> Reduced {
    let extra = m.layout.streamlines * m.basis.intra.rank;
    let isotropic = extra + m.layout.axes * m.basis.extra.rank;
    Reduced { extra, isotropic, count: isotropic + m.layout.voxels * m.layout.isotropic }
}

/// Returns an array with one entry for the intra-axonal and one for the extra-axonal compartments. An entry
/// has the approximated responses, the index of the first unknown, the index of the first reduced unknown,
/// and the number of streamlines or axes.
fn reductions<T: Real>(m: &HarmonicArrays<T>) -> [(&Family, usize, usize, usize); 2] {
    [
        (&m.basis.intra, 0, 0, m.layout.streamlines),
        (&m.basis.extra, m.layout.extra_unknowns().start, reduced(m).extra, m.layout.axes),
    ]
}

/// Computes the reduced unknowns z (weights of basis functions) from the unknowns x (amounts of responses).
pub(super) fn reduce<T: Real>(m: &HarmonicArrays<T>, unknowns: &[T]) -> Vec<T> {
    let layout = reduced(m);
    let mut z = vec![T::zero(); layout.count];
    for (family, first, first_reduced, elements) in reductions(m) {
        if elements * family.rank == 0 {
            continue;
        }
        let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
        let from = unknowns[first..first + elements * family.responses].par_chunks(family.responses);
        let to = z[first_reduced..first_reduced + elements * family.rank].par_chunks_mut(family.rank);
        from.zip(to).for_each(|(x, z)| {
            for (&x, weights) in x.iter().zip(weights.chunks_exact(z.len())) {
                for (z, &weight) in z.iter_mut().zip(weights) {
                    *z += x * weight;
                }
            }
        });
    }
    z[layout.isotropic..].copy_from_slice(&unknowns[m.layout.isotropic_unknowns().start..]);
    z
}

/// Computes the sums of the unknowns x from those of the reduced unknowns z. This is the adjoint of
/// [`reduce`].
pub(super) fn expand<T: Real>(m: &HarmonicArrays<T>, z: &[T], unknowns: &mut [T]) {
    let layout = reduced(m);
    for (family, first, first_reduced, elements) in reductions(m) {
        if elements * family.rank == 0 {
            continue;
        }
        let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
        let to = unknowns[first..first + elements * family.responses].par_chunks_mut(family.responses);
        let from = z[first_reduced..first_reduced + elements * family.rank].par_chunks(family.rank);
        from.zip(to).for_each(|(z, x)| {
            for (x, weights) in x.iter_mut().zip(weights.chunks_exact(z.len())) {
                *x = z.iter().zip(weights).map(|(&z, &weight)| z * weight).sum();
            }
        });
    }
    unknowns[m.layout.isotropic_unknowns().start..].copy_from_slice(&z[layout.isotropic..]);
}
