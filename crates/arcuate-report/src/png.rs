use arcuate_core::{Error, Result, narrow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// A small picture. Its pixels are in row-major order from the upper left corner.
#[derive(Debug, Clone)]
pub(crate) struct Pixels {
    width: usize,
    height: usize,
    colours: Vec<[u8; 3]>,
    /// For each pixel, true if it is opaque. `None` if all pixels are opaque.
    opaque: Option<Vec<bool>>,
}

impl Pixels {
    /// Creates a black picture.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, height, colours: vec![[0; 3]; width * height], opaque: None }
    }

    /// Creates a transparent picture. Pixels become opaque when they are set.
    pub(crate) fn transparent(width: usize, height: usize) -> Self {
        Self { opaque: Some(vec![false; width * height]), ..Self::new(width, height) }
    }

    #[cfg(test)]
    pub(crate) fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    #[cfg(test)]
    pub(crate) fn at(&self, column: usize, row: usize) -> [u8; 3] {
        self.colours[row * self.width + column]
    }

    pub(crate) fn set(&mut self, column: usize, row: usize, colour: [u8; 3]) {
        let place = row * self.width + column;
        self.colours[place] = colour;
        if let Some(opaque) = &mut self.opaque {
            opaque[place] = true;
        }
    }

    /// Returns the channels of the picture, its PNG colour type (0 grey, 2 RGB, 6 RGBA), and the bytes of its pixels.
    fn samples(&self) -> (usize, u8, Vec<u8>) {
        let gray = self.colours.iter().all(|[r, g, b]| r == g && g == b);
        if let Some(opaque) = &self.opaque {
            let colours = self.colours.iter().zip(opaque);
            let values =
                colours.flat_map(|([r, g, b], opaque)| [*r, *g, *b, if *opaque { 255 } else { 0 }]).collect();
            (4, 6, values)
        } else if gray {
            (1, 0, self.colours.iter().map(|[r, _, _]| *r).collect())
        } else {
            (3, 2, self.colours.as_flattened().to_vec())
        }
    }

    /// Returns the picture as a PNG file with 8 bits per channel (ISO/IEC 15948).
    fn encode(&self) -> std::io::Result<Vec<u8>> {
        let (channels, colour_type, samples) = self.samples();
        let mut rows = ZlibEncoder::new(Vec::new(), Compression::best());
        let mut above = vec![0; self.width * channels];
        for row in samples.chunks_exact(self.width * channels) {
            rows.write_all(&filtered(row, &above, channels))?;
            above.copy_from_slice(row);
        }
        let mut header = [0; 13];
        header[..4].copy_from_slice(&narrow::<u32>(self.width).to_be_bytes());
        header[4..8].copy_from_slice(&narrow::<u32>(self.height).to_be_bytes());
        // The bit depth and the colour type. The other bytes are zero: the methods of compression and filters, and no
        // interlacing.
        header[8..10].copy_from_slice(&[8, colour_type]);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", &header[..]), (b"IDAT", &rows.finish()?), (b"IEND", &[])] {
            bytes.extend(narrow::<u32>(data.len()).to_be_bytes());
            bytes.extend(name);
            bytes.extend(data);
            let mut checksum = Crc::new();
            checksum.update(name);
            checksum.update(data);
            bytes.extend(checksum.sum().to_be_bytes());
        }
        Ok(bytes)
    }
}

/// Returns the filter type of a row and its filtered bytes. The filter with the smallest sum of absolute differences is
/// used (none, left, above, mean or Paeth), as the PNG standard recommends.
fn filtered(row: &[u8], above: &[u8], channels: usize) -> Vec<u8> {
    let paeth = |left: u8, up: u8, corner: u8| {
        let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
        // The first of several values with the smallest distance is used.
        [left, up, corner].into_iter().min_by_key(|&value| (estimate - i16::from(value)).abs()).unwrap_or(0)
    };
    let by = |kind: u8| {
        let predicted = |n: usize| {
            let before = n.checked_sub(channels);
            let left = before.map_or(0, |before| row[before]);
            match kind {
                0 => 0,
                1 => left,
                2 => above[n],
                3 => left.midpoint(above[n]),
                _ => paeth(left, above[n], before.map_or(0, |before| above[before])),
            }
        };
        let differences = row.iter().enumerate().map(|(n, &value)| value.wrapping_sub(predicted(n)));
        std::iter::once(kind).chain(differences).collect::<Vec<u8>>()
    };
    let size = |bytes: &Vec<u8>| {
        bytes[1..].iter().map(|&byte| u64::from(byte.min(byte.wrapping_neg()))).sum::<u64>()
    };
    (0..5).map(by).min_by_key(size).unwrap_or_default()
}

/// Returns the picture as a data URI that contains a PNG file.
pub(crate) fn data_address(pixels: &Pixels) -> Result<String> {
    let bytes = pixels.encode().map_err(|error| {
        Error::invalid("report", format!("a picture cannot be written ({error})"), "give smaller images")
    })?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_images_survive_a_round_trip() {
        for colour in [[200, 200, 200], [10, 200, 30]] {
            let mut pixels = Pixels::new(3, 2);
            pixels.set(2, 1, colour);
            let address = data_address(&pixels).unwrap();
            let bytes = STANDARD.decode(address.strip_prefix("data:image/png;base64,").unwrap()).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut buffer).unwrap();
            assert_eq!((info.width, info.height), (3, 2));
            let channels = info.color_type.samples();
            assert_eq!(channels, if colour[0] == colour[1] { 1 } else { 3 });
            assert_eq!(buffer[5 * channels..], colour[..channels]);
            assert!(buffer[..5 * channels].iter().all(|value| *value == 0));
        }
    }

    /// Each of the five filters is used by at least one row.
    #[test]
    fn filtered_rows_are_restored() {
        let (width, height) = (64, 40);
        let mut pixels = Pixels::new(width, height);
        for (n, place) in (0..width * height).zip((1u32..).map(|n| n.wrapping_mul(2_654_435_761))) {
            let (column, row) = (n % width, n / width);
            let noise = place.to_be_bytes()[0];
            let ramp = (3 * column + 5 * row).to_le_bytes()[0];
            let colour = match row % 5 {
                0 => {
                    if column % 9 == 0 {
                        [noise, 1, 0]
                    } else {
                        [0; 3]
                    }
                }
                1 => [ramp, ramp / 2, 255 - ramp],
                2 => pixels.at(column, row - 1),
                3 => {
                    let mean = |c: usize| {
                        let left = if column > 0 { pixels.at(column - 1, row)[c] } else { 0 };
                        left.midpoint(pixels.at(column, row - 1)[c]).wrapping_add(noise % 3)
                    };
                    [mean(0), mean(1), mean(2)]
                }
                _ => {
                    let [a, b, c] = pixels.at(column, row - 1);
                    [a.wrapping_add(ramp), b.wrapping_add(ramp), c.wrapping_add(ramp)]
                }
            };
            pixels.set(column, row, colour);
        }
        let (channels, _, samples) = pixels.samples();
        let zeros = vec![0; width * channels];
        let rows: Vec<&[u8]> = samples.chunks_exact(width * channels).collect();
        let above = std::iter::once(zeros.as_slice()).chain(rows.iter().copied());
        let mut kinds: Vec<u8> =
            rows.iter().zip(above).map(|(row, above)| filtered(row, above, channels)[0]).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, [0, 1, 2, 3, 4]);
        let bytes = pixels.encode().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut buffer).unwrap();
        assert_eq!(buffer, samples);
    }

    #[test]
    fn unset_pixels_are_transparent() {
        let mut pixels = Pixels::transparent(2, 1);
        pixels.set(1, 0, [9, 9, 9]);
        let bytes = pixels.encode().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut buffer).unwrap();
        assert_eq!(buffer, [0, 0, 0, 0, 9, 9, 9, 255]);
    }
}
