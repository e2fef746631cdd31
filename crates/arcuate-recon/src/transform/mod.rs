//! Fourier transforms along one axis of an array on a GPU. They need only a GPU driver, and give the same
//! bits with any version of it.

mod constants;
mod cuda;
mod kernels;
#[cfg(test)]
mod tests;

pub(crate) use cuda::{AxisTransform, Lines, Maps};

/// Returns the radices of a transform whose `length` is 2ᵃ3ᵇ5ᶜ. There are as few radices as possible, each at
/// most 16, and the largest one is as small as possible.
fn radices_of(length: usize) -> Vec<usize> {
    const RADICES: [usize; 10] = [16, 15, 12, 10, 8, 6, 5, 4, 3, 2];
    fn search(length: usize, most: usize, chosen: &mut Vec<usize>, best: &mut Option<Vec<usize>>) {
        if length == 1 {
            if best.as_ref().is_none_or(|best| (chosen.len(), &*chosen) < (best.len(), best)) {
                *best = Some(chosen.clone());
            }
            return;
        }
        for radix in RADICES.into_iter().filter(|&radix| radix <= most && length.is_multiple_of(radix)) {
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
    best.expect("a length of 2, 3 and 5 alone")
}
