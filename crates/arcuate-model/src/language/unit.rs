//! Units of measurement. Each unit has a factor that converts numbers to base units, and a physical
//! dimension: the powers of the base units.

use arcuate_core::narrow;
use std::fmt;
use std::ops::{Div, Mul};

/// Symbols of the base units. In these units, typical diffusivities and b-values are about 1.
const BASE: [&str; KINDS] = ["µm", "ms", "T", "signal"];
const KINDS: usize = 4;

/// A physical dimension: the powers of length, time, magnetic field and signal. The powers are stored as
/// multiples of ½, so that square roots have a dimension, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dimension([i8; KINDS]);

impl Dimension {
    /// The dimension of pure numbers and angles.
    pub const NUMBER: Self = Self([0; KINDS]);
    /// The physical dimension of the measured signal, whose scale is arbitrary.
    pub const SIGNAL: Self = Self([0, 0, 0, 2]);

    /// Returns the power of the signal in this physical dimension.
    pub(crate) fn signal_power(self) -> f64 {
        f64::from(self.0[3]) / 2.0
    }

    /// Returns the physical dimension raised to the power `halves`/2. Returns `None` if the result is out of
    /// range.
    pub(super) fn to_the_halves(self, halves: i32) -> Option<Self> {
        let mut powers = [0; KINDS];
        for (power, of_self) in powers.iter_mut().zip(self.0) {
            let twice = i32::from(of_self) * halves;
            // Quarter powers cannot be represented.
            *power = (twice % 2 == 0).then(|| i8::try_from(twice / 2).ok())??;
        }
        Some(Self(powers))
    }
}

impl Mul for Dimension {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].saturating_add(other.0[n])))
    }
}

impl Div for Dimension {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].saturating_sub(other.0[n])))
    }
}

impl fmt::Display for Dimension {
    /// Writes the physical dimension as powers of the base units, such as `µm²/ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, symbol: &str, halves: i8| {
            f.write_str(symbol)?;
            match halves {
                2 => Ok(()),
                4 => f.write_str("²"),
                6 => f.write_str("³"),
                even if even % 2 == 0 => write!(f, "^{}", even / 2),
                odd => write!(f, "^({odd}/2)"),
            }
        };
        if *self == Self::NUMBER {
            return f.write_str("a pure number");
        }
        let above: Vec<usize> = (0..KINDS).filter(|&n| self.0[n] > 0).collect();
        if above.is_empty() {
            f.write_str("1")?;
        }
        for (place, &n) in above.iter().enumerate() {
            f.write_str(if place > 0 { "·" } else { "" })?;
            write(f, BASE[n], self.0[n])?;
        }
        for n in (0..KINDS).filter(|&n| self.0[n] < 0) {
            f.write_str("/")?;
            write(f, BASE[n], -self.0[n])?;
        }
        Ok(())
    }
}

/// A unit, such as `mm²/s`, `ms`, `signal` or `1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    text: String,
    dimension: Dimension,
    factor: f64,
}

/// Symbols of units. Each has its powers of the base units and the factor that converts it to base units.
const SYMBOLS: [(&str, [i8; KINDS], f64); 21] = [
    ("m", [2, 0, 0, 0], 1e6),
    ("cm", [2, 0, 0, 0], 1e4),
    ("mm", [2, 0, 0, 0], 1e3),
    ("µm", [2, 0, 0, 0], 1.0),
    ("um", [2, 0, 0, 0], 1.0),
    ("nm", [2, 0, 0, 0], 1e-3),
    ("s", [0, 2, 0, 0], 1e3),
    ("ms", [0, 2, 0, 0], 1.0),
    ("µs", [0, 2, 0, 0], 1e-3),
    ("us", [0, 2, 0, 0], 1e-3),
    ("Hz", [0, -2, 0, 0], 1e-3),
    ("T", [0, 0, 2, 0], 1.0),
    ("mT", [0, 0, 2, 0], 1e-3),
    ("signal", [0, 0, 0, 2], 1.0),
    ("rad", [0; KINDS], 1.0),
    ("deg", [0; KINDS], std::f64::consts::PI / 180.0),
    ("degree", [0; KINDS], std::f64::consts::PI / 180.0),
    ("degrees", [0; KINDS], std::f64::consts::PI / 180.0),
    ("°", [0; KINDS], std::f64::consts::PI / 180.0),
    ("%", [0; KINDS], 0.01),
    ("1", [0; KINDS], 1.0),
];

/// The largest power of a symbol in the text of a unit.
const LARGEST_POWER: i32 = 9;

impl Unit {
    /// Creates the unit of dimensionless numbers.
    pub fn number() -> Self {
        Self { text: "1".into(), dimension: Dimension::NUMBER, factor: 1.0 }
    }

    /// Creates the unit of the measured signal.
    pub fn signal() -> Self {
        Self { text: "signal".into(), dimension: Dimension::SIGNAL, factor: 1.0 }
    }

    /// Parses the text of a unit. The text has symbols with powers (`mm²`, `mm^2`, `mm2`, `s⁻¹`), joined by
    /// `·`, `*`, a space or `/`. The character `/` divides by the next symbol only. Returns `None` if a
    /// symbol is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // The prefix micro has two Unicode characters, and both are accepted: the micro sign and the Greek
        // letter.
        let letters: String = text.replace('\u{3bc}', "\u{b5}").replace('*', "·");
        let (mut dimension, mut factor) = (Dimension::NUMBER, 1.0);
        let (mut word, mut divides) = (String::new(), false);
        let mut take = |word: &mut String, divides: bool| -> Option<()> {
            let (symbol, power) = with_power(word)?;
            let (_, halves, of_symbol) = SYMBOLS.into_iter().find(|(name, ..)| *name == symbol)?;
            let power = if divides { -power } else { power };
            dimension = dimension * Dimension(halves).to_the_halves(2 * power)?;
            factor *= f64::powi(of_symbol, power);
            word.clear();
            Some(())
        };
        for letter in letters.chars() {
            if !"·/ ".contains(letter) {
                word.push(letter);
                continue;
            }
            if !word.is_empty() {
                take(&mut word, divides)?;
                divides = false;
            } else if letter != ' ' {
                return None;
            }
            divides |= letter == '/';
        }
        take(&mut word, divides)?;
        Some(Self { text: text.to_owned(), dimension, factor })
    }

    /// Returns the powers of the base units in this unit.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Returns the factor that converts a number in this unit to base units.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Returns whether the unit is `1`, the unit of dimensionless numbers.
    pub fn is_one(&self) -> bool {
        self.dimension == Dimension::NUMBER && self.factor == 1.0
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Splits the text of a symbol with a power, such as `mm²`, into the symbol and the power.
fn with_power(word: &str) -> Option<(&str, i32)> {
    let is_power = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹⁻^-".contains(c) || c.is_ascii_digit();
    let end = word.char_indices().skip(1).find(|(_, c)| is_power(*c)).map_or(word.len(), |(at, _)| at);
    let (symbol, power) = word.split_at(end);
    if power.is_empty() {
        return Some((symbol, 1));
    }
    let plain: String = power
        .trim_start_matches('^')
        .chars()
        .map(|c| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|raised| raised == c) {
            Some(digit) => char::from(b'0' + narrow::<u8>(digit)),
            None if c == '⁻' => '-',
            None => c,
        })
        .collect();
    let power: i32 = plain.parse().ok()?;
    (power != 0 && power.abs() <= LARGEST_POWER).then_some((symbol, power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(text: &str) -> f64 {
        Unit::parse(text).unwrap_or_else(|| panic!("{text}")).factor()
    }

    #[test]
    fn units_are_parsed_with_powers() {
        for (text, expected) in
            [("mm²/s", 1e3), ("µm^2/ms", 1.0), ("um2/ms", 1.0), ("s/mm²", 1e-3), ("1/ms", 1.0), ("s⁻¹", 1e-3)]
        {
            assert!((factor(text) / expected - 1.0).abs() < 1e-15, "{text}: {}", factor(text));
        }
        let same =
            |a: &str, b: &str| Unit::parse(a).unwrap().dimension() == Unit::parse(b).unwrap().dimension();
        assert!(same("mT/m", "T/µm") && same("m s", "ms·m") && same("Hz", "1/s") && same("°", "1"));
        assert!(!same("mm²/s", "mm/s") && !same("signal", "1"));
        for wrong in ["", "parsec", "mm//s", "mm/", "mm^x", "mm99", "/s", "mm^0"] {
            assert_eq!(Unit::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dimensions_are_shown_in_base_units() {
        let dimension_of = |text: &str| Unit::parse(text).unwrap().dimension().to_string();
        assert_eq!(dimension_of("mm²/s"), "µm²/ms");
        assert_eq!(dimension_of("1/s"), "1/ms");
        assert_eq!(dimension_of("deg"), "a pure number");
        assert_eq!(dimension_of("signal·m^4"), "µm^4·signal");
        let diffusivity = Unit::parse("mm²/s").unwrap().dimension();
        assert_eq!(diffusivity.to_the_halves(1).unwrap().to_string(), "µm/ms^(1/2)");
        assert_eq!(diffusivity.to_the_halves(1).unwrap().to_the_halves(1), None);
    }
}
