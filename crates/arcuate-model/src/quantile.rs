/// The number that a part of some ascending numbers is not above, from 0 to 1; between two of them in proportion (type 7 of
/// Hyndman and Fan 1996, doi:10.2307/2684934). There is at least one number.
pub(crate) fn quantile(ascending: &[f64], part: f64) -> f64 {
    let last = ascending.len() - 1;
    let place = part * last as f64;
    let below = (place as usize).min(last);
    let above = (below + 1).min(last);
    ascending[below] + (place - below as f64) * (ascending[above] - ascending[below])
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_numbers_or_lie_between_two() {
        let numbers = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (part, expected) in [(0.0, 1.0), (0.25, 2.0), (0.5, 4.0), (1.0, 16.0), (0.1, 1.4), (0.875, 12.0)]
        {
            assert!((quantile(&numbers, part) - expected).abs() < 1e-12, "{part}");
        }
        assert_eq!(quantile(&[3.0], 0.7), 3.0);
    }
}
