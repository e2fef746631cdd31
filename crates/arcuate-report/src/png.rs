use arcuate_core::{Error, Result, narrow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

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

    fn encode(&self) -> std::result::Result<Vec<u8>, png::EncodingError> {
        let gray = self.colours.iter().all(|[r, g, b]| r == g && g == b);
        let mut bytes = Vec::new();
        let mut encoder =
            png::Encoder::new(&mut bytes, narrow::<u32>(self.width), narrow::<u32>(self.height));
        encoder.set_color(match (&self.opaque, gray) {
            (Some(_), _) => png::ColorType::Rgba,
            (None, true) => png::ColorType::Grayscale,
            (None, false) => png::ColorType::Rgb,
        });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        if let Some(opaque) = &self.opaque {
            let colours = self.colours.iter().zip(opaque);
            let values: Vec<u8> =
                colours.flat_map(|([r, g, b], opaque)| [*r, *g, *b, if *opaque { 255 } else { 0 }]).collect();
            writer.write_image_data(&values)?;
        } else if gray {
            let values: Vec<u8> = self.colours.iter().map(|[r, _, _]| *r).collect();
            writer.write_image_data(&values)?;
        } else {
            writer.write_image_data(self.colours.as_flattened())?;
        }
        writer.finish()?;
        Ok(bytes)
    }
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
