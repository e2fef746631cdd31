//! Sums over long vectors, computed in `f64` and in parallel. A vector is divided into pieces of [`PIECE`]
//! elements, and each piece is summed separately. The sums of the pieces are added in order, so that the
//! result is bit-identical for any number of threads.

use crate::Real;
use arcuate_numbers::Lanes;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Number of elements that one task adds.
pub const PIECE: usize = 1 << 15;

/// Returns the inner product ⟨a, b⟩.
pub fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    let piece = |(a, b): (&[T], &[T])| lanes(a, b);
    if a.len() <= PIECE {
        return piece((a, b));
    }
    let sums: Vec<f64> = a.par_chunks(PIECE).zip(b.par_chunks(PIECE)).map(piece).collect();
    sums.iter().sum()
}

/// Returns the sum Σ a.
pub fn sum<T: Real>(a: &[T]) -> f64 {
    let sums: Vec<f64> = a.par_chunks(PIECE).map(|a| a.iter().map(|a| a.double()).sum()).collect();
    sums.iter().sum()
}

/// Returns the squared norm ⟨a, a⟩.
pub fn norm_squared<T: Real>(a: &[T]) -> f64 {
    dot(a, a)
}

/// Computes a += b.
pub fn add<T: Real>(a: &mut [T], b: &[T]) {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).for_each(|(a, b)| {
        for (a, &b) in a.iter_mut().zip(b) {
            *a += b;
        }
    });
}

/// Computes a += factor · b for two vectors, with one rounding per element.
pub fn add_multiple<T: Real>(a: &mut [T], factor: f64, b: &[T]) {
    pass([a], [b], false, |[a], [b]| ([a + factor * b], []));
}

/// Computes a = factor · a for a vector. The factor is first rounded to the precision of `a`.
pub fn scale<T: Real>(a: &mut [T], factor: f64) {
    let factor = T::of(factor);
    a.par_chunks_mut(PIECE).for_each(|a| {
        for a in a {
            *a *= factor;
        }
    });
}

/// Computes a −= b.
pub fn subtract<T: Real>(a: &mut [T], b: &[T]) {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).for_each(|(a, b)| {
        for (a, &b) in a.iter_mut().zip(b) {
            *a -= b;
        }
    });
}

/// Sets those elements to 0 whose flag is true. There may be no flags.
pub(crate) fn clear<T: Real>(values: &mut [T], flags: Option<&[bool]>) {
    for (value, _) in values.iter_mut().zip(flags.unwrap_or_default()).filter(|(_, flag)| **flag) {
        *value = T::zero();
    }
}

/// The number of elements that a [`pass`] processes together. A sum consists of as many partial sums.
const LANES: usize = 8;

/// Consecutive elements of a vector, in double precision.
pub(crate) type Elements = Lanes<f64, LANES>;

/// Processes several vectors of the same length, element by element. `of_elements` gets elements of each vector
/// in `changed` and `read`. It returns the new elements of `changed`, which are rounded, and the contributions
/// to the sums. Vectors are larger than the caches of a CPU core, so an iteration should process its vectors
/// as few times as possible. If `like_dot` is true, the terms of a sum have the order of [`dot`].
pub(crate) fn pass<T: Real, const CHANGED: usize, const READ: usize, const SUMS: usize>(
    changed: [&mut [T]; CHANGED],
    read: [&[T]; READ],
    like_dot: bool,
    of_elements: impl Fn([Elements; CHANGED], [Elements; READ]) -> ([Elements; CHANGED], [Elements; SUMS]) + Sync,
) -> [f64; SUMS] {
    let length = changed.first().map(|v| v.len()).or(read.first().map(|v| v.len())).unwrap_or(0);
    let lengths = changed.iter().map(|v| v.len()).chain(read.iter().map(|v| v.len()));
    assert!(lengths.into_iter().all(|n| n == length), "vectors of different length");
    let mut pieces = Vec::with_capacity(length.div_ceil(PIECE));
    let mut rest = changed;
    for first in (0..length).step_by(PIECE) {
        let here = PIECE.min(length - first);
        let mut mine: [&mut [T]; CHANGED] = std::array::from_fn(|_| Default::default());
        for (mine, rest) in mine.iter_mut().zip(&mut rest) {
            let (now, later) = std::mem::take(rest).split_at_mut(here);
            (*mine, *rest) = (now, later);
        }
        let mut theirs: [&[T]; READ] = [&[]; READ];
        for k in 0..READ {
            theirs[k] = &read[k][first..first + here];
        }
        // No other task locks this piece. The lock only gives the task mutable access.
        pieces.push(Mutex::new((mine, theirs, [0.0; SUMS])));
    }
    let arch = arcuate_numbers::Arch::new();
    in_parallel(pieces.len(), &|n| {
        let mut piece = pieces[n].lock().unwrap_or_else(PoisonError::into_inner);
        let (changed, read, sums) = &mut *piece;
        *sums = arch.dispatch(
            #[inline(always)]
            || pass_piece(changed, *read, like_dot, &of_elements),
        );
    });
    let mut sums = [0.0; SUMS];
    for piece in pieces {
        let (_, _, of_piece) = piece.into_inner().unwrap_or_else(PoisonError::into_inner);
        for k in 0..SUMS {
            sums[k] += of_piece[k];
        }
    }
    sums
}

/// Calls `task` with each number below `count`, in parallel. The type of the task is not a parameter, so that rayon's code
/// is compiled once for all passes.
fn in_parallel(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

#[inline(always)]
fn pass_piece<T: Real, const CHANGED: usize, const READ: usize, const SUMS: usize>(
    changed: &mut [&mut [T]; CHANGED],
    read: [&[T]; READ],
    like_dot: bool,
    of_elements: &impl Fn([Elements; CHANGED], [Elements; READ]) -> ([Elements; CHANGED], [Elements; SUMS]),
) -> [f64; SUMS] {
    let length = changed.first().map(|v| v.len()).or(read.first().map(|v| v.len())).unwrap_or(0);
    let (mut sums, mut rest) = ([[0.0; LANES]; SUMS], [0.0; SUMS]);
    let whole = length - length % LANES;
    for first in (0..whole).step_by(LANES) {
        let (mut now, mut then) = ([Lanes([0.0; LANES]); CHANGED], [Lanes([0.0; LANES]); READ]);
        for k in 0..CHANGED {
            now[k] = loaded(&changed[k][first..first + LANES]);
        }
        for k in 0..READ {
            then[k] = loaded(&read[k][first..first + LANES]);
        }
        let (new, terms) = of_elements(now, then);
        for k in 0..CHANGED {
            store(&mut changed[k][first..first + LANES], new[k]);
        }
        for k in 0..SUMS {
            for lane in 0..LANES {
                sums[k][lane] += terms[k].0[lane];
            }
        }
    }
    if whole < length {
        let (mut now, mut then) = ([Lanes([0.0; LANES]); CHANGED], [Lanes([0.0; LANES]); READ]);
        for k in 0..CHANGED {
            now[k] = loaded(&changed[k][whole..]);
        }
        for k in 0..READ {
            then[k] = loaded(&read[k][whole..]);
        }
        let (new, terms) = of_elements(now, then);
        for k in 0..CHANGED {
            store(&mut changed[k][whole..], new[k]);
        }
        for k in 0..SUMS {
            for lane in 0..length - whole {
                *(if like_dot { &mut rest[k] } else { &mut sums[k][lane] }) += terms[k].0[lane];
            }
        }
    }
    for k in 0..SUMS {
        rest[k] += sums[k].iter().sum::<f64>();
    }
    rest
}

/// Loads up to [`LANES`] elements of a vector. The other elements are 0.
#[inline(always)]
fn loaded<T: Real>(values: &[T]) -> Elements {
    let mut elements = Lanes([0.0; LANES]);
    for lane in 0..LANES.min(values.len()) {
        elements.0[lane] = values[lane].double();
    }
    elements
}

#[inline(always)]
fn store<T: Real>(values: &mut [T], elements: Elements) {
    for lane in 0..LANES.min(values.len()) {
        values[lane] = T::of(elements.0[lane]);
    }
}

/// Rounds elements to the precision of a vector.
#[inline(always)]
pub(crate) fn rounded<T: Real>(elements: Elements) -> Elements {
    let mut result = elements;
    for lane in 0..LANES {
        result.0[lane] = T::of(elements.0[lane]).double();
    }
    result
}

/// There are eight partial sums, so that an addition does not wait for the preceding one.
fn lanes<T: Real>(a: &[T], b: &[T]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a.double() * b.double()).sum();
    for (a, b) in a8.zip(b8) {
        for lane in 0..8 {
            sums[lane] += a[lane].double() * b[lane].double();
        }
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_updates_and_sums_are_correct_for_any_length() {
        for n in [0, 1, 7, 8, PIECE - 1, PIECE + 13, 2 * PIECE + 8] {
            let mut a: Vec<f32> = (0..n).map(|i| (i % 5) as f32).collect();
            let mut b = vec![f32::NAN; n];
            let c: Vec<f32> = (0..n).map(|i| (i % 3) as f32).collect();
            let expected: Vec<f32> = a.iter().zip(&c).map(|(a, c)| a + c).collect();
            let one = Elements::all(1.0);
            let [sum, count] =
                pass([&mut a, &mut b], [&c], false, |[a, _], [c]| ([a + c, c - a], [a + c, one]));
            assert_eq!((sum, count), (expected.iter().map(|v| f64::from(*v)).sum(), n as f64));
            assert_eq!(a, expected);
            // The pass computes b = c − a with the values that a had before.
            assert!(b.iter().zip(&a).zip(&c).all(|((b, a), c)| *b == 2.0 * c - a));
        }
    }

    #[test]
    fn long_sums_are_accurate_and_do_not_depend_on_threads() {
        let n = 3 * PIECE + 1234;
        let a: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let exact: f64 = a.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        assert_eq!(norm_squared(&a), exact);
        assert_eq!(sum(&a), a.iter().map(|&x| f64::from(x)).sum::<f64>());
        let b: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| dot(&a, &b))
        };
        assert_eq!(on(1).to_bits(), on(2).to_bits());
        assert_eq!(on(1).to_bits(), on(3).to_bits());
    }
}
