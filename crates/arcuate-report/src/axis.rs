use crate::human;
use arcuate_core::saturating;

/// A linear or logarithmic axis of a plot, with its range of values and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// Creates a linear axis that spans the finite values of the data. The ends of the axis are extended to
    /// round ticks.
    pub(crate) fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        let (low, high) = apart(low, high);
        let step = nice_step(high - low);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, logarithmic: false }
    }

    /// Creates a linear axis that spans exactly the range from `low` to `high`. If both ends are equal, the
    /// range is widened.
    pub(crate) fn exactly(low: f64, high: f64) -> Self {
        let finite = low.is_finite() && high.is_finite();
        let (low, high) = if finite { apart(low, high) } else { (0.0, 1.0) };
        Self { low, high, logarithmic: false }
    }

    /// Creates a logarithmic axis that spans the positive values of the data. Returns `None` if there are no
    /// positive values.
    pub(crate) fn logarithmic(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = range(values.into_iter().filter(|value| *value > 0.0))?;
        let (mut low, mut high) = (low.log10(), high.log10());
        if high - low > 1.0 {
            // The ends of a logarithmic axis are extended to whole decades, unless an end would then have
            // more than half of a decade without data.
            let (floor, ceiling) = (low.floor(), high.ceil());
            low = if low - floor > 0.5 { low - 0.1 } else { floor };
            high = if ceiling - high > 0.5 { high + 0.1 } else { ceiling };
        } else {
            let margin = ((high - low) * 0.08).max(0.01);
            (low, high) = (low - margin, high + margin);
        }
        Some(Self { low, high, logarithmic: true })
    }

    /// Creates a logarithmic axis that spans exactly two positive values.
    pub(crate) fn logarithmic_exactly(low: f64, high: f64) -> Self {
        let (low, high) = apart(low.log10(), high.log10());
        Self { low, high, logarithmic: true }
    }

    /// Returns the position of a value on the axis: 0 at the low end and 1 at the high end. A value beyond an
    /// end has a position below 0 or above 1. If a value has no position (such as 0 on a logarithmic axis),
    /// NaN is returned.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let value = match (self.logarithmic, value > 0.0) {
            (true, true) => value.log10(),
            (true, false) => return f64::NAN,
            (false, _) => value,
        };
        (value - self.low) / (self.high - self.low)
    }

    /// Returns the value at a position on the axis: the inverse of [`place`](Self::place).
    pub(crate) fn value(&self, place: f64) -> f64 {
        let value = self.low + place * (self.high - self.low);
        if self.logarithmic { 10f64.powf(value) } else { value }
    }

    /// Returns the label of the axis. If the numbers at the ticks are scaled by a power of ten, the label
    /// states this power.
    pub(crate) fn label(&self, label: &str) -> String {
        match self.exponent() {
            0 => label.to_owned(),
            exponent => format!("{label} (× {})", human::power_of_ten(exponent)),
        }
    }

    /// Returns true if all ticks of the axis are powers of ten. This requires at least three such ticks.
    fn has_decades(&self) -> bool {
        self.logarithmic && (self.high + 1e-9).floor() - (self.low - 1e-9).ceil() >= 2.0
    }

    /// Returns the exponent of the power of ten by which the numbers at the ticks are scaled, so that their
    /// texts are short. The exponent is 0 (no scaling) for values of ordinary size, and if the ticks are
    /// powers of ten.
    fn exponent(&self) -> i32 {
        let largest =
            if self.logarithmic { 10f64.powf(self.high) } else { self.low.abs().max(self.high.abs()) };
        if self.has_decades() || (0.02..1e6).contains(&largest) {
            return 0;
        }
        saturating::<i32>((largest.log10() / 3.0).floor()) * 3
    }

    /// Returns the values of the axis ticks and their texts. The texts are powers of ten, or values scaled by
    /// the power of ten that [`label`](Self::label) states.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        if !self.logarithmic {
            return self.linear_ticks(self.low, self.high);
        }
        let first = saturating::<i32>((self.low - 1e-9).ceil());
        let last = saturating::<i32>((self.high + 1e-9).floor());
        if self.has_decades() {
            // At most seven ticks have labels. They are at multiples of this stride.
            let stride = (last - first) / 7 + 1;
            return (first..=last)
                .filter(|exponent| exponent % stride == 0)
                .map(|exponent| (10f64.powi(exponent), human::power_of_ten(exponent)))
                .collect();
        }
        if self.high - self.low > 0.7 {
            let ticks = (first - 1..=last)
                .flat_map(|exponent| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(exponent)))
                .filter(|value| (-1e-9..=1.0 + 1e-9).contains(&self.place(*value)));
            let unit = 10f64.powi(self.exponent());
            return ticks.map(|value| (value, human::number(value / unit, 1))).collect();
        }
        self.linear_ticks(10f64.powf(self.low), 10f64.powf(self.high))
    }

    /// Returns the ticks whose texts do not overlap, on an axis that is `length` px long. `extent` returns
    /// the size of a text along the axis, in px.
    pub(crate) fn ticks_along(&self, length: f64, extent: impl Fn(&str) -> f64) -> Vec<(f64, String)> {
        let ticks = self.ticks();
        let apart = |ticks: &[(f64, String)]| {
            ticks.windows(2).all(|pair| {
                let distance = (self.place(pair[1].0) - self.place(pair[0].0)).abs() * length;
                distance >= f64::midpoint(extent(&pair[0].1), extent(&pair[1].1))
            })
        };
        let [Some(first), Some(second)] = [ticks.first(), ticks.get(1)] else { return ticks };
        let (step, decades) = (second.0 - first.0, self.has_decades());
        // If the texts of ticks overlap, only every second or fifth tick is kept, counted from the value
        // zero. If the ticks are 1, 2, 5, 10, …, only the powers of ten are kept.
        let number = |value: f64| if decades { value.log10().round() } else { (value / step).round() };
        let even = decades || !self.logarithmic || self.high - self.low <= 0.7;
        let kept = |stride: i64| -> Vec<(f64, String)> {
            let keep = |value: f64| {
                if even {
                    number(value) as i64 % stride == 0
                } else {
                    (value.log10() + 1e-9).rem_euclid(1.0) < 1e-6
                }
            };
            ticks.iter().filter(|(value, _)| stride == 1 || keep(*value)).cloned().collect()
        };
        let found = [1, 2, 5, 10, 20].map(kept).into_iter().find(|ticks| apart(ticks));
        found.filter(|ticks| !ticks.is_empty()).unwrap_or_else(|| vec![first.clone()])
    }

    fn linear_ticks(&self, low: f64, high: f64) -> Vec<(f64, String)> {
        let step = nice_step(high - low);
        if !(step.is_finite() && step > 0.0) {
            return Vec::new();
        }
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        // The texts of ticks have enough digits to distinguish neighbouring ticks.
        let largest = low.abs().max(high.abs());
        let unit = 10f64.powi(self.exponent());
        let digits = ((largest / step).log10().floor() as usize + 2).clamp(2, 12);
        (first..=last.min(first + 20))
            .map(|n| n as f64 * step)
            .filter(|value| self.place(*value).is_finite())
            .map(|value| (value, human::number(value / unit, digits)))
            .collect()
    }
}

/// Returns the smallest and the largest finite value of the data.
pub(crate) fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.is_finite()).fold(None, |so_far, value| match so_far {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Returns the two ends of a range of values. If both ends are equal, they are moved apart.
fn apart(low: f64, high: f64) -> (f64, f64) {
    if high > low {
        (low, high)
    } else if low == 0.0 {
        (0.0, 1.0)
    } else {
        (low - low.abs() * 0.5, low + low.abs() * 0.5)
    }
}

/// Returns the distance between two ticks, which is 1, 2 or 5 times a power of ten. It divides the range
/// `span` into four to ten parts.
fn nice_step(span: f64) -> f64 {
    let rough = span / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let mantissa = rough / power;
    power
        * if mantissa < 1.5 {
            1.0
        } else if mantissa < 3.5 {
            2.0
        } else if mantissa < 7.5 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        assert_eq!(texts(&Axis::linear([0.0, 97.0])), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&Axis::exactly(0.0, 1.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        let decades = Axis::logarithmic([1e-4, 30.0]).unwrap();
        assert_eq!(texts(&decades), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
        let small = Axis::exactly(0.0, 3e-3);
        assert_eq!(texts(&small), ["0", "0.5", "1", "1.5", "2", "2.5", "3"]);
        assert_eq!(small.label("mm²/s"), "mm²/s (× 10⁻³)");
        let narrow = Axis::logarithmic([0.6e9, 1.4e9]).unwrap();
        assert_eq!(texts(&narrow), ["0.6", "0.8", "1", "1.2", "1.4"]);
        assert_eq!(narrow.label("objective"), "objective (× 10⁹)");
        assert_eq!(texts(&Axis::logarithmic([1.2e-3, 9e-3]).unwrap()), ["2", "5", "10"]);
        assert_eq!(texts(&Axis::logarithmic([1.0, 4.0]).unwrap()), ["1", "1.5", "2", "2.5", "3", "3.5", "4"]);
    }

    #[test]
    fn tick_labels_do_not_overlap() {
        let along = |axis: &Axis, length: f64| {
            let ticks = axis.ticks_along(length, |text| 7.0 * text.chars().count() as f64 + 8.0);
            ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        let wide = Axis::exactly(0.0, 27_000.0);
        assert_eq!(along(&wide, 400.0), ["0", "5,000", "10,000", "15,000", "20,000", "25,000"]);
        assert_eq!(along(&wide, 200.0), ["0", "10,000", "20,000"]);
        let decades = Axis::logarithmic([1e-6, 1.0]).unwrap();
        assert_eq!(along(&decades, 150.0), ["10⁻⁶", "10⁻⁴", "10⁻²", "1"]);
        assert_eq!(along(&Axis::logarithmic([1.0, 30.0]).unwrap(), 60.0), ["1", "10"]);
        assert_eq!(along(&wide, 5.0).len(), 1);
    }

    #[test]
    fn empty_and_invalid_data_have_an_axis() {
        assert_eq!(Axis::linear([f64::NAN, f64::INFINITY]), Axis::linear([]));
        assert!(Axis::logarithmic([0.0, -1.0, f64::NAN]).is_none());
        assert!(!Axis::linear([7.0, 7.0]).ticks().is_empty());
        assert!(Axis::exactly(0.0, 1.0).place(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn every_value_is_on_the_axis_and_ticks_are_few(low in -1e6..1e6f64, span in 1e-6..1e9f64) {
            let axis = Axis::linear([low, low + span]);
            prop_assert!(axis.place(low) > -1e-6 && axis.place(low + span) < 1.0 + 1e-6);
            prop_assert!((2..=21).contains(&axis.ticks().len()));
            let a = 10f64.powf(low / 1e5);
            let axis = Axis::logarithmic([a, a * (1.0 + span)]).unwrap();
            prop_assert!(axis.place(a) >= 0.0 && axis.place(a * (1.0 + span)) <= 1.0);
            prop_assert!((1..=21).contains(&axis.ticks().len()), "{:?}", axis);
            let there = axis.value(axis.place(a));
            prop_assert!((there / a - 1.0).abs() < 1e-9);
        }
    }
}
