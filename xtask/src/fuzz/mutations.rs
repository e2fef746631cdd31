//! Damages files as disks and transfers do, and edits files as users or other programs do.

use super::random::Random;

/// The maximum size of a damaged file in bytes, so that a case is fast.
const LARGEST: usize = 4 << 20;

/// Offsets in bytes at which file formats have the ends of headers or fields. Files are truncated or changed
/// there.
const STRUCTURE: [usize; 24] =
    [0, 1, 2, 4, 6, 8, 12, 18, 26, 30, 40, 42, 48, 56, 70, 76, 108, 112, 280, 284, 348, 352, 540, 1000];

/// Numbers that are written into text files.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "999999999999",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e999",
    "1e-320",
    "1e30",
    "0.5",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "",
];

/// Pieces of text and bytes that are inserted into files.
const PIECES: [&[u8]; 20] = [
    b"\0",
    b"\n",
    b"\r\n",
    b" ",
    b"END\n",
    b"\x1b[31m\x07",
    "\u{202e}".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\xff\xfe",
    b"nan",
    b"#",
    b",",
    b":",
    b"\"",
    b"{",
    b"[]",
    b"../../",
    b"/dev/zero",
    b"file: . 0\n",
    b"-1 -1 -1 -1\n",
];

/// Damages a file, once or several times. Parts of `others` may be mixed into it.
pub(super) fn mutate(bytes: &mut Vec<u8>, others: &[&[u8]], random: &mut Random) {
    let times = *random.one_of(&[1, 1, 1, 2, 2, 4]);
    for _ in 0..times {
        once(bytes, others, random);
        bytes.truncate(LARGEST);
    }
}

fn once(bytes: &mut Vec<u8>, others: &[&[u8]], random: &mut Random) {
    let text = is_text(bytes);
    match random.below(if text { 28 } else { 14 }) {
        0 => flip_bits(bytes, random),
        1 => set_bytes(bytes, random),
        2 | 3 => overwrite_integer(bytes, random),
        4 => overwrite_float(bytes, random),
        5 => bytes.truncate(random.below(bytes.len())),
        6 => truncate_at_structure(bytes, random),
        7 => duplicate_block(bytes, random),
        8 => delete_block(bytes, random),
        9 => swap_blocks(bytes, random),
        11 => mix(bytes, others, random),
        12 => fill(bytes, random),
        // Headers of binary files often contain text too.
        13..=19 => change_numbers(bytes, random),
        10 | 20 | 21 => insert(bytes, random),
        24 | 25 => change_strings(bytes, random),
        26 | 27 => lengthen(bytes, random),
        _ => change_lines(bytes, random),
    }
}

/// Returns whether a file begins as text. Bytes above 127 must be valid UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(400)];
    !start.is_empty() && start.iter().all(|&byte| byte >= 128 || byte == b'\t' || byte == b'\n' || byte >= 32)
}

/// Returns a position in a file, more often in its header than elsewhere.
fn place(bytes: &[u8], random: &mut Random) -> usize {
    match random.below(4) {
        0 => random.below(bytes.len()),
        1 => (*random.one_of(&STRUCTURE)).min(bytes.len().saturating_sub(1)),
        // The directory of an archive is at its end.
        2 if random.once_in(2) => bytes.len() - random.below(bytes.len().min(600)).min(bytes.len()),
        _ => random.below(bytes.len().min(600)),
    }
    .min(bytes.len().saturating_sub(1))
}

/// Returns a range of a file, more often a short one.
fn block(bytes: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = place(bytes, random);
    let longest = *random.one_of(&[4, 16, 100, 5000]);
    start..(start + 1 + random.below(longest)).min(bytes.len())
}

fn flip_bits(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(8) {
        let at = place(bytes, random);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
}

fn set_bytes(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(8) {
        let at = place(bytes, random);
        if let Some(byte) = bytes.get_mut(at) {
            *byte = *random.one_of(&[0, 1, 0x7f, 0x80, 0xff]);
        }
    }
}

fn overwrite(bytes: &mut [u8], number: &[u8], random: &mut Random) {
    // In most formats, a field begins at a multiple of its size. In gzip and zip files, it does not.
    let width = if random.once_in(4) { 1 } else { number.len() };
    let at = place(bytes, random) / width * width;
    let end = (at + number.len()).min(bytes.len());
    bytes[at..end].copy_from_slice(&number[..end - at]);
}

fn overwrite_integer(bytes: &mut [u8], random: &mut Random) {
    let width = *random.one_of(&[2, 4, 8]);
    let largest = u64::MAX >> (64 - 8 * width);
    let small = random.below(300) as u64;
    let size = bytes.len() as u64;
    let number =
        *random.one_of(&[0, 1, small, largest, largest - 1, largest / 2, largest / 2 + 1, 1 << 30, size]);
    let mut number = number.to_le_bytes()[..width].to_vec();
    if random.once_in(3) {
        number.reverse();
    }
    overwrite(bytes, &number, random);
}

fn overwrite_float(bytes: &mut [u8], random: &mut Random) {
    let number = *random.one_of(&[
        0.0,
        -0.0,
        -1.0,
        1.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-40,
        1e30,
        -1e30,
        1e300,
        3.4e38,
    ]);
    let mut number = if random.once_in(2) {
        (number as f32).to_le_bytes().to_vec()
    } else {
        f64::to_le_bytes(number).to_vec()
    };
    if random.once_in(4) {
        number.reverse();
    }
    overwrite(bytes, &number, random);
}

fn truncate_at_structure(bytes: &mut Vec<u8>, random: &mut Random) {
    let lines: Vec<usize> =
        bytes.iter().take(5000).enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| n + 1).collect();
    let end = match random.below(3) {
        0 if !lines.is_empty() => *random.one_of(&lines),
        1 => bytes.len().saturating_sub(*random.one_of(&[1, 2, 4, 8, 12, 16, 22, 24])),
        _ => *random.one_of(&STRUCTURE),
    };
    bytes.truncate(end);
}

fn duplicate_block(bytes: &mut Vec<u8>, random: &mut Random) {
    let copy = bytes[block(bytes, random)].to_vec();
    let at = place(bytes, random);
    bytes.splice(at..at, copy);
}

fn delete_block(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.drain(block(bytes, random));
}

fn swap_blocks(bytes: &mut [u8], random: &mut Random) {
    let (a, b) = (block(bytes, random), block(bytes, random));
    for (n, m) in a.zip(b) {
        bytes.swap(n, m);
    }
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = place(bytes, random);
    let piece = match random.below(12) {
        0 => vec![*random.one_of(b"x1 \0[{-#"); *random.one_of(&[300, 5000, 100_000])],
        1 => random.one_of(&NUMBERS).as_bytes().to_vec(),
        _ => random.one_of(&PIECES).to_vec(),
    };
    bytes.splice(at..at, piece);
}

/// Inserts parts of another file, or replaces everything by it.
fn mix(bytes: &mut Vec<u8>, others: &[&[u8]], random: &mut Random) {
    let other = *random.one_of(others);
    match random.below(4) {
        0 => *bytes = other.to_vec(),
        1 => {
            bytes.truncate(place(bytes, random));
            bytes.extend_from_slice(&other[place(other, random).min(other.len())..]);
        }
        2 => bytes.extend_from_slice(other),
        _ => {
            let at = place(bytes, random);
            bytes.splice(at..at, other[block(other, random)].iter().copied());
        }
    }
}

fn fill(bytes: &mut [u8], random: &mut Random) {
    let range = block(bytes, random);
    bytes[range].fill(*random.one_of(&[0, 0xff, 0x7f, b' ', b'9']));
}

/// Replaces some numbers of a text by others.
fn change_numbers(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..*random.one_of(&[1, 1, 2, 5]) {
        let numbers = numbers(bytes);
        if numbers.is_empty() {
            return;
        }
        let number = random.one_of(&numbers).clone();
        let other = random.one_of(&NUMBERS).as_bytes();
        bytes.splice(number, other.iter().copied());
    }
}

/// Returns the ranges of numbers in the text at the beginning of a file.
fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let text = &bytes[..bytes.len().min(20_000)];
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let within = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-');
        let end = at + text[at..].iter().take_while(|b| within(b)).count();
        let start = if at > 0 && text[at - 1] == b'-' { at - 1 } else { at };
        found.push(start..end);
        at = end;
    }
    found
}

/// Replaces a quoted text. The new text is a path outside the folder, a terminal escape sequence, a
/// spreadsheet formula, or a very long text.
fn change_strings(bytes: &mut Vec<u8>, random: &mut Random) {
    const WORDS: [&str; 14] = [
        "",
        ".",
        "..",
        "../victim/kept.txt",
        "victim/../../victim/kept.txt",
        "linked/kept.txt",
        "/etc/hostname",
        "=1+1",
        "a\\nb",
        "\u{1b}[31m",
        "\\u001b[31m",
        "\u{202e}abc",
        "\\u202eabc",
        "<script>",
    ];
    let quotes: Vec<usize> =
        bytes.iter().take(20_000).enumerate().filter(|(_, b)| **b == b'"').map(|(at, _)| at).collect();
    if quotes.len() < 2 {
        return;
    }
    let first = random.below(quotes.len() - 1);
    let word = match random.below(8) {
        0 => "x".repeat(60_000),
        _ => (*random.one_of(&WORDS)).to_owned(),
    };
    bytes.splice(quotes[first] + 1..quotes[first + 1], word.into_bytes());
}

/// Repeats a piece of text many times. This gives long formulas, many tables or deeply nested brackets.
fn lengthen(bytes: &mut Vec<u8>, random: &mut Random) {
    const PARTS: [&str; 10] = [
        " + 1",
        "1 - ",
        "(",
        "exp(",
        " * 1",
        "-",
        "\n[[stages]]",
        "\n[[stages]]\nmethod = \"lm\"",
        "{",
        "[[1],",
    ];
    let lines: Vec<usize> =
        bytes.iter().take(20_000).enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at).collect();
    let times = *random.one_of(&[50, 1000, 4000, 9000]);
    // The positions are the ends of lines, where formulas and tables continue, and the ends of words.
    let at = match random.below(3) {
        0 if !lines.is_empty() => *random.one_of(&lines),
        1 => bytes.len(),
        _ => place(bytes, random),
    };
    let part = if random.once_in(4) && lines.len() > 1 {
        let n = random.below(lines.len() - 1);
        bytes[lines[n]..lines[n + 1]].to_vec()
    } else {
        random.one_of(&PARTS).as_bytes().to_vec()
    };
    let longest = LARGEST / 16 / part.len().max(1);
    bytes.splice(at..at, part.repeat(times.min(longest)));
}

/// Removes, duplicates, swaps or joins lines.
fn change_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(5) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a].clone()),
        2 => lines.swap(a, b),
        3 => drop(lines[a].pop()),
        // Removes the last word.
        _ => {
            let start = lines[a].iter().rposition(|&b| b == b' ' || b == b',').unwrap_or(0);
            lines[a].truncate(start);
        }
    }
    *bytes = lines.concat();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_reproducible_for_any_file() {
        let other: &[u8] = b"mrtrix image\ndim: 1,2,3\n";
        for file in [&b""[..], b"x", b"1 2 3\n-4.5e3 6 7\n", &[0_u8; 700], &[200; 5]] {
            let damaged = |case| {
                let mut bytes = file.to_vec();
                mutate(&mut bytes, &[other, b""], &mut Random::of_case(7, case));
                bytes
            };
            let all: Vec<_> = (0..3000).map(damaged).collect();
            assert_eq!(all, (0..3000).map(damaged).collect::<Vec<_>>());
            let different = all.iter().filter(|bytes| *bytes != file).count();
            assert!(file.is_empty() || different > 2000, "{different}");
        }
    }

    #[test]
    fn numbers_of_a_text_are_found_whole() {
        let text = b"dim: 15,18 -4.5e-3 x";
        let found: Vec<&[u8]> = numbers(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, [&b"15"[..], b"18", b"-4.5e-3"]);
    }
}
