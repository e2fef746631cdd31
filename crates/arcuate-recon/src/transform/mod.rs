//! Fourier transforms along one axis of an array on a GPU. They need no library except the GPU driver, and
//! give the same bits with any version of the driver.

mod constants;
mod cuda;
mod kernels;
#[cfg(test)]
mod tests;

pub(crate) use cuda::{AxisTransform, Lines, Maps};

/// Returns the radices (factors of the length) of the stages of a transform, for a `length` of the form
/// 2ᵃ3ᵇ5ᶜ. The function uses as few radices as possible, each at most 16, and makes the largest radix as
/// small as possible.
fn radices_of(length: usize) -> Vec<usize> {
    const RADICES: [usize; 10] = [16, 15, 12, 10, 8, 6, 5, 4, 3, 2];
    fn search(length: usize, maximum: usize, chosen: &mut Vec<usize>, best: &mut Option<Vec<usize>>) {
        if length == 1 {
            if best.as_ref().is_none_or(|best| (chosen.len(), &*chosen) < (best.len(), best)) {
                *best = Some(chosen.clone());
            }
            return;
        }
        for radix in RADICES.into_iter().filter(|&radix| radix <= maximum && length.is_multiple_of(radix)) {
            chosen.push(radix);
            search(length / radix, radix, chosen, best);
            chosen.pop();
        }
    }
    if length == 1 {
        return vec![1];
    }
    let mut best = None;
    search(length, 16, &mut Vec::new(), &mut best);
    #[expect(clippy::expect_used, reason = "callers choose lengths whose prime factors are 2, 3 and 5")]
    let best = best.expect("radices of the length");
    best
}
