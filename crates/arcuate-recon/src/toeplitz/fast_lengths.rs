/// Returns the smallest number 2ᵃ3ᵇ5ᶜ that is at least `minimum`. Fourier transforms of such lengths are fast.
pub fn fast_length(minimum: usize) -> usize {
    let minimum = minimum.max(1);
    // The search ends at the next power of two at the latest, because a power of two has the form 2ᵃ3ᵇ5ᶜ.
    (minimum..=minimum.next_power_of_two()).find(|&n| is_fast(n)).unwrap_or(minimum)
}

fn is_fast(mut n: usize) -> bool {
    for factor in [2, 3, 5] {
        while n.is_multiple_of(factor) {
            n /= factor;
        }
    }
    n == 1
}

#[cfg(test)]
mod tests {
    use super::fast_length;

    #[test]
    fn fast_lengths_are_the_next_products_of_2_3_and_5() {
        let of = [1, 2, 3, 7, 11, 13, 127, 255, 511, 1001];
        assert_eq!(of.map(fast_length), [1, 2, 3, 8, 12, 15, 128, 256, 512, 1024]);
        assert_eq!(fast_length(0), 1);
    }
}
