//! Sums over long vectors: in `f64`, in parallel, and the same bits at any number of threads, because each piece of
//! [`PIECE`] elements is summed by itself and the pieces are added in order.

use crate::Real;
use rayon::prelude::*;

/// Elements summed by one task.
pub const PIECE: usize = 1 << 15;

/// ⟨a, b⟩.
pub fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    let piece = |(a, b): (&[T], &[T])| lanes(a, b);
    if a.len() <= PIECE {
        return piece((a, b));
    }
    let sums: Vec<f64> = a.par_chunks(PIECE).zip(b.par_chunks(PIECE)).map(piece).collect();
    sums.iter().sum()
}

/// Σ a.
pub fn sum<T: Real>(a: &[T]) -> f64 {
    let sums: Vec<f64> = a.par_chunks(PIECE).map(|a| a.iter().map(|a| a.wide()).sum()).collect();
    sums.iter().sum()
}

/// ⟨a, a⟩.
pub fn norm_squared<T: Real>(a: &[T]) -> f64 {
    dot(a, a)
}

/// a += b.
pub fn add<T: Real>(a: &mut [T], b: &[T]) {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).for_each(|(a, b)| {
        for (a, &b) in a.iter_mut().zip(b) {
            *a += b;
        }
    });
}

/// a −= b.
pub fn subtract<T: Real>(a: &mut [T], b: &[T]) {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).for_each(|(a, b)| {
        for (a, &b) in a.iter_mut().zip(b) {
            *a -= b;
        }
    });
}

/// Eight running sums, so that the additions do not wait for each other.
fn lanes<T: Real>(a: &[T], b: &[T]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a.wide() * b.wide()).sum();
    for (a, b) in a8.zip(b8) {
        for lane in 0..8 {
            sums[lane] += a[lane].wide() * b[lane].wide();
        }
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_are_right_and_the_same_on_any_number_of_threads() {
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
