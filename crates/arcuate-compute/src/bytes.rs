//! Parses and formats amounts of memory.

/// Parses an amount of memory in bytes: `2GiB`, `512 MiB`, `1.5GB`, `4096`. `KiB`, `MiB`, `GiB` and `TiB` are
/// powers of 1024; `kB`, `MB`, `GB` and `TB` are powers of 1000; a number without a unit means bytes. If the
/// text is not an amount of memory, the error describes the problem.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 10] = [
        ("", 1),
        ("b", 1),
        ("kb", 1000),
        ("mb", 1000_u64.pow(2)),
        ("gb", 1000_u64.pow(3)),
        ("tb", 1000_u64.pow(4)),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
    ];
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
    // A whole number of bytes is not converted to f64, because f64 represents only 53 bits exactly.
    let bytes = scale.and_then(|scale| {
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(scale);
        }
        let bytes = number.parse::<f64>().ok()? * scale as f64;
        (bytes < u64::MAX as f64).then_some(bytes as u64)
    });
    match bytes {
        Some(0) => Err(format!("`{text}` is not an amount of memory above 0")),
        Some(bytes) => Ok(bytes),
        None => Err(format!(
            "`{text}` is not an amount of memory; write it as 2GiB, 512MiB, 1.5GB or a number of bytes"
        )),
    }
}

/// Formats an amount of memory, for example `812 bytes`, `1.50 GiB`, `80.0 GiB`.
pub fn show_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let (mut scaled, mut unit) = (bytes as f64 / 1024.0, 0);
    while scaled >= 1000.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let decimals = if scaled < 10.0 { 2 } else { usize::from(scaled < 100.0) };
    format!("{scaled:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_sizes_with_units_are_parsed() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("512MiB"), Ok(512 << 20));
        assert_eq!(parse_bytes("2 gib"), Ok(2 << 30));
        assert_eq!(parse_bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!(parse_bytes("0.5KiB"), Ok(512));
        assert_eq!(parse_bytes("18446744073709551615"), Ok(u64::MAX));
        for wrong in [
            "",
            "GiB",
            "two",
            "-1",
            "1.2.3GB",
            "3 parsecs",
            "1e9",
            "0",
            "0.1",
            "99999999TiB",
            "99999999.5TiB",
        ] {
            let error = parse_bytes(wrong).unwrap_err();
            assert!(error.contains(&format!("`{wrong}`")), "{wrong}: {error}");
        }
    }

    #[test]
    fn memory_sizes_are_shown_with_three_digits() {
        assert_eq!(show_bytes(812), "812 bytes");
        assert_eq!(show_bytes(1536), "1.50 KiB");
        assert_eq!(show_bytes(300 << 20), "300 MiB");
        assert_eq!(show_bytes(1023 << 20), "1.00 GiB");
        assert_eq!(show_bytes(80 << 30), "80.0 GiB");
        assert_eq!(show_bytes(u64::MAX), "16384 PiB");
    }
}
