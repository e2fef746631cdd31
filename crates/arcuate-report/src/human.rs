//! Formats numbers for people.

use arcuate_core::narrow;

/// Formats a count with thousands separators: `12,345`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a measured value with `digits` significant digits and without trailing zeros: `0.0312`, `1,250`,
/// `4.1 × 10⁻⁷`. A value that is not finite becomes a dash.
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = digits.max(1);
    // The value is rounded before the notation is chosen, so that 999.96 becomes 1000.
    let rounded = format!("{:.*e}", digits - 1, value.abs());
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if value < 0.0 { "−" } else { "" };
    if !(-3..6).contains(&exponent) {
        return match without_idle_zeros(mantissa) {
            "1" => format!("{sign}10{}", superscript(exponent)),
            mantissa => format!("{sign}{mantissa} × 10{}", superscript(exponent)),
        };
    }
    let decimals = usize::try_from(narrow::<i32>(digits) - 1 - exponent).unwrap_or(0);
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    let joined = if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") };
    format!("{sign}{}", if fraction.is_empty() { &joined } else { without_idle_zeros(&joined) })
}

/// Formats a file size: `812 bytes`, `14.2 MB` (10⁶ bytes).
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if value < 1000 {
        return format!("{value} bytes");
    }
    let mut scaled = value as f64 / 1000.0;
    let mut unit = 0;
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    format!("{} {}", number(scaled, 3), UNITS[unit])
}

/// Formats a duration in seconds: `340 ms`, `3.2 s`, `2 min 14 s`, `1 h 05 min`.
pub fn seconds(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "–".to_owned();
    }
    if value < 0.9995 {
        return format!("{} ms", number(value * 1e3, if value < 0.01 { 2 } else { 3 }));
    }
    if value < 59.95 {
        return format!("{value:.1} s");
    }
    let whole = value.round() as u64;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    let minutes = (value / 60.0).round() as u64;
    format!("{} h {:02} min", count(minutes / 60), minutes % 60)
}

/// Formats an integer power of ten: `10⁻³`. Powers near 1 become plain numbers.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        3 => "1,000".to_owned(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])).collect()
}

fn without_idle_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_reading() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.5, "−0.5"),
            (0.031249, "0.0312"),
            (1250.0, "1,250"),
            (999.96, "1,000"),
            (123456.0, "123,456"),
            (4.1e-7, "4.1 × 10⁻⁷"),
            (1e-9, "10⁻⁹"),
            (-2.5e12, "−2.5 × 10¹²"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        for (value, expected) in cases {
            let digits = if value == 123456.0 { 6 } else { 3 };
            assert_eq!(number(value, digits), expected, "{value}");
        }
        assert_eq!(number(100.0, 1), "100", "zeros before the point say something");
    }

    #[test]
    fn sizes_and_times_are_formatted_for_reading() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(0), "0");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(14_234_567), "14.2 MB");
        assert_eq!(bytes(999_999), "1 MB");
        assert_eq!(seconds(0.0), "0 ms");
        assert_eq!(seconds(0.3402), "340 ms");
        assert_eq!(seconds(3.24), "3.2 s");
        assert_eq!(seconds(134.2), "2 min 14 s");
        assert_eq!(seconds(3601.0), "1 h 00 min");
        assert_eq!(seconds(f64::NAN), "–");
    }

    #[test]
    fn powers_of_ten_are_short() {
        assert_eq!(power_of_ten(-3), "10⁻³");
        assert_eq!(power_of_ten(2), "100");
        assert_eq!(power_of_ten(12), "10¹²");
    }
}
