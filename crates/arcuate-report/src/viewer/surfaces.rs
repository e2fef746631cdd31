//! The surfaces of a viewer scene, and values at their vertices.

use arcuate_core::{Error, Point, Result, Surface, narrow, saturating};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;

/// Values at the vertices of a scene's surfaces, such as the number of streamlines from one seed to each
/// vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexValues {
    /// The name of these values, such as the name of the seed.
    pub name: String,
    /// The name of the quantity that the values measure, in the plural, such as `streamlines`.
    pub quantity: String,
    /// The position of the seed in mm. `None` if the seed is not a point.
    pub place: Option<[f64; 3]>,
    /// For each surface that has values: the index of the surface among the scene's surfaces, and one value
    /// per vertex. Values that are not above 0 have no colour.
    pub on: Vec<(usize, Vec<f32>)>,
}

impl VertexValues {
    pub(super) fn require(&self, surfaces: &[SceneSurface]) -> Result<()> {
        for (number, values) in &self.on {
            let found = surfaces.get(*number).map(|surface| surface.surface.vertices().len());
            if found != Some(values.len()) {
                let problem = match found {
                    Some(vertices) => format!("{} values for {vertices} vertices", values.len()),
                    None => format!("there is no surface {number}"),
                };
                return Err(Error::invalid(&self.name, problem, "give one value per vertex of the surface"));
            }
        }
        Ok(())
    }

    pub(super) fn largest(&self) -> f32 {
        let all = self.on.iter().flat_map(|(_, values)| values);
        all.copied().filter(|value| value.is_finite()).fold(0.0, f32::max)
    }
}

/// A surface of a scene.
#[derive(Debug, Clone)]
pub(super) struct SceneSurface {
    pub(super) name: String,
    pub(super) surface: Surface,
}

/// A surface after simplification.
#[derive(Debug, PartialEq)]
pub(super) struct Thinned {
    pub(super) vertices: Vec<Point>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each vertex of the original surface, the index of its vertex in the simplified surface.
    of: Vec<u32>,
}

impl Thinned {
    /// Simplifies a surface to at most `maximum` triangles. If the surface has more triangles, it is divided
    /// into cubes, and all vertices in a cube are replaced by their mean. Several cube sizes are tried, and
    /// the smallest size that gives few enough triangles is used.
    pub(super) fn of(surface: &Surface, maximum: usize) -> Self {
        let (vertices, triangles) = (surface.vertices(), surface.triangles());
        if triangles.len() <= maximum {
            let of = (0..narrow::<u32>(vertices.len())).collect();
            return Self { vertices: vertices.to_vec(), triangles: triangles.to_vec(), of };
        }
        let mut cube = 0.5;
        loop {
            let thinned = Self::in_cubes(vertices, triangles, cube);
            if thinned.triangles.len() <= maximum {
                return thinned;
            }
            cube *= 1.2;
        }
    }

    fn in_cubes(vertices: &[Point], triangles: &[[u32; 3]], cube: f32) -> Self {
        let mut places: HashMap<[i64; 3], u32> = HashMap::new();
        let (mut sums, mut counts) = (Vec::<[f64; 3]>::new(), Vec::<f64>::new());
        let mut of = Vec::with_capacity(vertices.len());
        for vertex in vertices {
            let place = match places.entry(vertex.map(|x| (x / cube).floor() as i64)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    sums.push([0.0; 3]);
                    counts.push(0.0);
                    *new.insert(narrow::<u32>(sums.len()) - 1)
                }
            };
            let sum = &mut sums[place as usize];
            (0..3).for_each(|axis| sum[axis] += f64::from(vertex[axis]));
            counts[place as usize] += 1.0;
            of.push(place);
        }
        let means = sums.iter().zip(&counts).map(|(sum, count)| sum.map(|x| (x / count) as f32)).collect();
        let moved = triangles.iter().map(|triangle| triangle.map(|vertex| of[vertex as usize]));
        let triangles = moved.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        Self { vertices: means, triangles, of }
    }

    /// Returns, for each vertex of the simplified surface, the largest value among the original vertices that
    /// it replaces.
    fn largest_of(&self, values: &[f32]) -> Vec<f32> {
        let mut largest = vec![0.0f32; self.vertices.len()];
        for (&place, &value) in self.of.iter().zip(values) {
            let known = &mut largest[place as usize];
            if value.is_finite() {
                *known = known.max(value);
            }
        }
        largest
    }

    /// Returns the surface in Surf Ice's compressed MZ3 format. Coordinates are rounded to 1/64 mm, which
    /// improves compression.
    pub(super) fn mz3(&self) -> Vec<u8> {
        const MAGIC: u16 = 0x5a4d;
        const HAS_TRIANGLES_AND_VERTICES: u16 = 3;
        let mut bytes = Vec::new();
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(HAS_TRIANGLES_AND_VERTICES.to_le_bytes());
        for count in [self.triangles.len(), self.vertices.len(), 0] {
            bytes.extend(narrow::<u32>(count).to_le_bytes());
        }
        bytes.extend(self.triangles.as_flattened().iter().flat_map(|vertex| vertex.to_le_bytes()));
        let rounded = self.vertices.as_flattened().iter().map(|x| (x * 64.0).round() / 64.0);
        bytes.extend(rounded.flat_map(f32::to_le_bytes));
        compressed(&bytes)
    }

    /// Returns one byte per vertex, compressed. The byte is 0 if the vertex has no value. If it has a value,
    /// the byte is the logarithm of one plus the value, scaled to 1 … 255. The value `largest` becomes 255.
    pub(super) fn levels(&self, values: &[f32], largest: f32) -> Vec<u8> {
        let top = f64::from(largest).ln_1p();
        let level = |value: &f32| match *value {
            value if value > 0.0 => saturating::<u8>((1.0 + 254.0 * f64::from(value).ln_1p() / top).round()),
            _ => 0,
        };
        let levels: Vec<u8> = self.largest_of(values).iter().map(level).collect();
        compressed(&levels)
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    #[expect(clippy::expect_used, reason = "writing to memory cannot fail")]
    let compressed = written.expect("compressed bytes");
    compressed
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    /// Creates a flat test surface of `side` × `side` vertices, whose distance is 1 mm.
    fn sheet(side: u32) -> Surface {
        let vertices = (0..side * side).map(|n| [(n % side) as f32, (n / side) as f32, 0.3]).collect();
        let squares = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        let triangles = squares.flat_map(|n| [[n, n + 1, n + side], [n + 1, n + side + 1, n + side]]);
        Surface::new(vertices, triangles.collect(), None).unwrap()
    }

    fn plain(compressed: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        GzDecoder::new(compressed).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn meshes_with_few_triangles_are_unchanged() {
        let surface = sheet(5);
        let thinned = Thinned::of(&surface, 32);
        assert_eq!(thinned.triangles, surface.triangles());
        assert_eq!(thinned.vertices, surface.vertices());
        let bytes = plain(&thinned.mz3());
        assert_eq!(bytes.len(), 16 + 32 * 12 + 25 * 12);
        assert_eq!(bytes[..12], [0x4d, 0x5a, 3, 0, 32, 0, 0, 0, 25, 0, 0, 0]);
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([16, 20, 24].map(number), [0, 1, 5]);
        let last = f32::from_bits(number(bytes.len() - 4));
        assert!((last - 0.3).abs() <= 1.0 / 128.0 && (last * 64.0).fract() == 0.0, "{last}");
    }

    #[test]
    fn simplified_meshes_keep_their_position() {
        let surface = sheet(60);
        let thinned = Thinned::of(&surface, 1000);
        assert!((200..=1000).contains(&thinned.triangles.len()), "{}", thinned.triangles.len());
        let far = |vertex: &Point| vertex[0] < 0.0 || vertex[0] > 59.0 || (vertex[2] - 0.3).abs() > 1e-6;
        assert!(!thinned.vertices.iter().any(far));
        // If one vertex of the original surface has a value, a vertex of the simplified surface has the same
        // value.
        let mut values = vec![0.0; 3600];
        values[1234] = 7.0;
        let largest = thinned.largest_of(&values);
        assert_eq!(largest.iter().filter(|value| **value == 7.0).count(), 1);
        let place = largest.iter().position(|value| *value == 7.0).unwrap();
        let [x, y, _] = thinned.vertices[place];
        assert!((x - 34.0).abs() < 5.0 && (y - 20.0).abs() < 5.0, "{x} {y}");
    }

    #[test]
    fn levels_are_logarithmic_and_nonzero() {
        let thinned = Thinned::of(&sheet(2), 2);
        let levels = plain(&thinned.levels(&[0.0, 1.0, 999.0, f32::NAN], 999.0));
        // The value 1 becomes 254 · ln 2 / ln 1000 plus one, which is 26.
        assert_eq!(levels, [0, 26, 255, 0]);
    }

    #[test]
    fn values_without_a_surface_are_rejected() {
        let surfaces = [SceneSurface { name: "sheet".into(), surface: sheet(2) }];
        let values = |number, count| VertexValues {
            name: "seed".into(),
            quantity: "streamlines".into(),
            place: None,
            on: vec![(number, vec![1.0; count])],
        };
        assert!(values(0, 4).require(&surfaces).is_ok());
        let error = |values: VertexValues| values.require(&surfaces).unwrap_err().to_string();
        assert!(error(values(1, 4)).contains("there is no surface 1"));
        assert!(error(values(0, 3)).contains("3 values for 4 vertices"));
    }
}
