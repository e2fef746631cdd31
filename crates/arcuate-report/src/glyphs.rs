//! Fibre orientations in the voxels of slices, which are drawn as glyphs. They are packed for the page's
//! script, which draws the glyphs when a slice is enlarged. The code in `viewer/src/figures/glyphs.js` reads
//! them.

use crate::colours::direction_key;
use crate::mosaic::{MAX_SLICES, Rows, rows};
use crate::slices::Plane;
use crate::stack::{Stack, Store};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Result, Volume, icosphere, narrow, saturating, statistics};
use rayon::prelude::*;
use serde_json::{Value, json};

/// The maximum size of the packed glyphs of one figure before compression, in bytes.
const MAX_BYTES: usize = 4_000_000;
/// Number of bytes that are packed for each voxel in addition to the numbers of its glyph.
const OF_A_VOXEL: usize = 8;
/// Candidate numbers of axial, coronal and sagittal slices with glyphs. The first candidate whose glyphs fit
/// into the maximum size is used.
const FEWER: [[usize; 3]; 6] = [MAX_SLICES, [8, 3, 2], [6, 2, 2], [4, 2, 1], [3, 1, 1], [1, 1, 1]];
/// The largest degree of spherical harmonics that is packed for glyphs. Higher degrees are omitted, because
/// they are not visible.
const LARGEST_DEGREE: usize = 8;
/// Number of subdivisions of the icosahedron from which a glyph is made, for small and for large glyphs.
const DIVISIONS: [usize; 2] = [2, 3];
/// Number of voxels that are sampled to determine the scale of the glyphs.
const SAMPLED: usize = 20_000;
/// The scale of the glyphs is chosen so that this fraction of all glyphs fits into their voxels.
const FITTING: f64 = 0.9;
/// Minimum size of a glyph that is drawn, as a fraction of the voxel size.
const SMALLEST: f32 = 0.05;
/// The largest integer to which a number of a glyph is converted. It represents the largest number of the
/// voxel.
const LARGEST_CODE: f32 = 127.0;

/// Fibre orientations that are drawn over the slices of a map. Directions are along the scanner axes.
#[derive(Debug, Clone)]
pub enum Glyphs {
    /// Fibre orientation distributions, as coefficients of real spherical harmonics of even degree, in
    /// MRtrix's basis and order. A glyph is a surface. Its distance from the centre in each direction is the
    /// amplitude. Negative amplitudes are omitted.
    Distributions(Volume<f32>),
    /// Fibre directions, each a vector with three channels (x, y, z) and the length of its weight. They are
    /// drawn as sticks through the centre of the voxel.
    Sticks(Volume<f32>),
}

/// The slices of a map in which glyphs are drawn.
pub(crate) struct GlyphSlices {
    /// The slices of the figure's overview in which glyphs are drawn.
    pub(crate) rows: Rows,
    /// True if glyphs are drawn in all other slices of the map, too.
    pub(crate) all: bool,
}

impl GlyphSlices {
    /// Returns the text of the colour key for glyphs. It explains the colours of glyphs. If only some slices
    /// have glyphs, it lists these slices.
    pub(crate) fn key(&self) -> String {
        let text = "The page has them in the slices that are shown here; it would be too large with those of all others.";
        let note = if self.all { String::new() } else { format!(r#"<p class="note">{text}</p>"#) };
        direction_key() + &note
    }
}

impl Glyphs {
    /// Returns the image with the fibre orientations.
    pub(crate) fn volume(&self) -> &Volume<f32> {
        match self {
            Self::Distributions(volume) | Self::Sticks(volume) => volume,
        }
    }

    /// Returns the reason why the image cannot be drawn as glyphs. Returns `None` if it can.
    pub(crate) fn problem(&self) -> Option<String> {
        let channels = self.volume().channels();
        let known = match self {
            Self::Distributions(_) => degree_of(channels).is_some(),
            Self::Sticks(_) => channels.is_multiple_of(3),
        };
        (!known).then(|| format!("{channels} values in a voxel are no orientations of fibres"))
    }

    /// Returns how many values of a glyph are stored per voxel.
    fn numbers(&self) -> usize {
        let maximum = EvenHarmonics::count_up_to(LARGEST_DEGREE);
        match self {
            Self::Distributions(volume) => volume.channels().min(maximum),
            Self::Sticks(volume) => volume.channels(),
        }
    }

    /// Returns the notes for the caption that explain the glyphs.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Distributions(volume) if volume.channels() > self.numbers() => {
                format!(
                    "Click a slice to show the distributions. Degrees above {LARGEST_DEGREE} are not drawn."
                )
            }
            Self::Distributions(_) => "Click a slice to show the distributions.".to_owned(),
            Self::Sticks(_) => "Click a slice to show the directions.".to_owned(),
        }
    }

    /// Chooses the slices in which glyphs are drawn, so that the glyphs fit into the maximum size. If the
    /// glyphs of all slices fit, all slices are chosen. If not, slices of the figure's overview are chosen,
    /// and fewer of them if the image is large.
    pub(crate) fn choose(&self, stack: &Stack<'_>) -> GlyphSlices {
        let plot_width = MAX_BYTES / (self.numbers() + OF_A_VOXEL);
        let mut counts = stack.size().map(|size| vec![0; size]);
        for (place, voxel) in stack.places() {
            if self.volume().voxel(voxel).iter().any(|value| *value != 0.0) {
                (0..3).for_each(|axis| counts[axis][place[axis]] += 1);
            }
        }
        let of_rows = |rows: &Rows| {
            let slices = rows.iter().flatten();
            slices.map(|&(plane, slice)| counts[plane.axes()[2]][stack.slice(slice)]).sum::<usize>()
        };
        let all = counts[0].iter().sum::<usize>() <= plot_width;
        let mut rows = FEWER.iter().map(|maximum| rows(stack.view(), *maximum));
        let first = rows.next().unwrap_or_default();
        if all || of_rows(&first) <= plot_width {
            return GlyphSlices { rows: first, all };
        }
        let mut fewer: Vec<Rows> = rows.collect();
        let fitting = fewer.iter().position(|rows| of_rows(rows) <= plot_width).unwrap_or(fewer.len() - 1);
        GlyphSlices { rows: fewer.swap_remove(fitting), all }
    }

    /// Packs the glyphs in the chosen slices for the page's script.
    pub(crate) fn pack(&self, slices: &GlyphSlices, stack: &Stack<'_>, store: &Store) -> Result<Value> {
        let sphere = Sphere::new(if let Self::Distributions(_) = self { self.numbers() } else { 0 });
        let largest = |voxel: usize| self.largest(voxel, &sphere);
        let scale = self.scale(stack, largest);
        let chosen = Plane::ALL.map(|plane| {
            let of_plane = slices.rows.iter().flatten().filter(|(of, _)| *of == plane);
            let mut numbers: Vec<usize> = of_plane.map(|(_, slice)| stack.slice(*slice)).collect();
            numbers.dedup();
            (plane, numbers)
        });
        let is_chosen = |place: [usize; 3]| {
            let is_in = |(plane, slices): &(Plane, Vec<usize>)| slices.contains(&place[plane.axes()[2]]);
            slices.all || chosen.iter().any(is_in)
        };
        let of_slices: Vec<(usize, usize)> = stack
            .places()
            .enumerate()
            .filter(|(_, (place, _))| is_chosen(*place))
            .map(|(number, (_, voxel))| (number, voxel))
            .collect();
        let drawn: Vec<(usize, usize)> =
            of_slices.into_par_iter().filter(|(_, voxel)| largest(*voxel) >= SMALLEST * scale).collect();
        let values = |voxel: usize| &self.volume().voxel(voxel)[..self.numbers()];
        let step =
            |voxel: usize| values(voxel).iter().map(|value| value.abs()).fold(0.0, f32::max) / LARGEST_CODE;
        let places: Vec<u32> = drawn.iter().map(|(number, _)| narrow::<u32>(*number)).collect();
        let steps: Vec<f32> = drawn.par_iter().map(|(_, voxel)| step(*voxel)).collect();
        // Each number of a glyph is stored for all voxels before the next number, because similar adjacent
        // numbers compress better.
        let codes: Vec<u8> = (0..self.numbers())
            .into_par_iter()
            .flat_map_iter(|n| {
                let of_voxels = drawn.iter().zip(&steps);
                of_voxels.map(move |((_, voxel), step)| {
                    saturating::<i8>((values(*voxel)[n] / step).round()).cast_unsigned()
                })
            })
            .collect();
        let slices = (!slices.all).then(|| {
            let named = chosen.into_iter().map(|(plane, slices)| (plane.name().to_owned(), json!(slices)));
            Value::Object(named.collect())
        });
        let (kind, sphere) = match self {
            Self::Distributions(_) => ("distributions", Some(sphere.pack(store)?)),
            Self::Sticks(_) => ("sticks", None),
        };
        let (codes, (places, steps)) = rayon::join(
            || store.put(&codes),
            || (store.put(&bytes(&places, u32::to_le_bytes)), store.put(&bytes(&steps, f32::to_le_bytes))),
        );
        Ok(json!({
            "kind": kind,
            "numbers": self.numbers(),
            "places": places?,
            "steps": steps?,
            "codes": codes?,
            "scale": scale,
            "slices": slices,
            "sphere": sphere,
        }))
    }

    /// Returns the size of the glyph of a voxel: the largest amplitude of the distribution, or the length of
    /// the longest stick. NaN is replaced by 0.
    fn largest(&self, voxel: usize, sphere: &Sphere) -> f32 {
        let values = &self.volume().voxel(voxel)[..self.numbers()];
        if values.iter().any(|value| !value.is_finite()) {
            return 0.0;
        }
        match self {
            Self::Distributions(_) => sphere.amplitudes(values).into_iter().fold(0.0, f32::max),
            Self::Sticks(_) => values
                .chunks_exact(3)
                .map(|stick| stick.iter().map(|c| c * c).sum::<f32>().sqrt())
                .fold(0.0, f32::max),
        }
    }

    /// Returns the amplitude that a glyph shows as a length of half a voxel.
    fn scale(&self, stack: &Stack<'_>, largest: impl Fn(usize) -> f32 + Sync) -> f32 {
        let has_value = |voxel: &usize| self.volume().voxel(*voxel).iter().any(|value| *value != 0.0);
        let voxels: Vec<usize> = stack.places().map(|(_, voxel)| voxel).filter(has_value).collect();
        let every = voxels.len().div_ceil(SAMPLED).max(1);
        let sampled = voxels.par_iter().step_by(every).map(|voxel| largest(*voxel));
        let mut amplitudes: Vec<f32> = sampled.filter(|a| *a > 0.0).collect();
        statistics::quantile(&mut amplitudes, FITTING).map_or(1.0, |amplitude| amplitude as f32)
    }
}

fn bytes<T: Copy>(values: &[T], of_one: impl Fn(T) -> [u8; 4]) -> Vec<u8> {
    values.iter().flat_map(|value| of_one(*value)).collect()
}

/// Returns the maximum degree of a series of even-degree spherical harmonics with `count` coefficients.
fn degree_of(count: usize) -> Option<usize> {
    (0..=64).step_by(2).find(|&degree| EvenHarmonics::count_up_to(degree) == count)
}

/// Returns the values of the first `count` harmonics of MRtrix's basis in a direction.
fn harmonics_in(direction: [f64; 3], count: usize) -> Vec<f32> {
    let even = EvenHarmonics::new(degree_of(count).unwrap_or(0));
    let values = even.evaluate(direction);
    even.mrtrix_order().iter().take(count).map(|(at, factor)| (factor * values[*at]) as f32).collect()
}

/// The directions in which the amplitudes of distributions are computed, and the triangles between
/// neighbouring directions.
struct Sphere {
    directions: Vec<[f64; 3]>,
    /// For each number of subdivisions in [`DIVISIONS`], the triangles of the subdivided icosahedron.
    levels: Vec<Vec<[u32; 3]>>,
    /// The values of all spherical harmonics in each direction, direction by direction.
    basis: Vec<f32>,
    /// For each spherical harmonic, its values in the directions of the icosahedron with the fewest subdivisions.
    columns: Vec<Vec<f32>>,
}

impl Sphere {
    /// Creates the directions and triangles for distributions with `harmonics` coefficients.
    fn new(harmonics: usize) -> Self {
        let mut spheres = DIVISIONS.map(icosphere).to_vec();
        let directions = spheres.last_mut().map(|(points, _)| std::mem::take(points)).unwrap_or_default();
        let levels: Vec<Vec<[u32; 3]>> = spheres.into_iter().map(|(_, triangles)| triangles).collect();
        let basis: Vec<f32> =
            directions.iter().flat_map(|direction| harmonics_in(*direction, harmonics)).collect();
        let corners = levels[0].iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let column = |n: usize| basis.iter().skip(n).step_by(harmonics).take(corners).copied().collect();
        let columns = (0..harmonics).map(column).collect();
        Self { directions, levels, basis, columns }
    }

    /// Returns the amplitudes of a distribution in the directions of the icosahedron with the fewest
    /// subdivisions.
    fn amplitudes(&self, coefficients: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0f32; self.columns.first().map_or(0, Vec::len)];
        // The compiler vectorises this order of the loops: the additions of one direction keep their order.
        for (column, coefficient) in self.columns.iter().zip(coefficients) {
            for (sum, value) in sums.iter_mut().zip(column) {
                *sum += value * coefficient;
            }
        }
        sums
    }

    fn pack(&self, store: &Store) -> Result<Value> {
        let directions: Vec<f32> = self.directions.iter().flatten().map(|c| *c as f32).collect();
        let levels = self.levels.iter().map(|triangles| {
            let corners: Vec<u8> =
                triangles.iter().flatten().flat_map(|n| narrow::<u16>(*n).to_le_bytes()).collect();
            store.put(&corners)
        });
        let levels = levels.collect::<Result<Vec<_>>>()?;
        Ok(json!({
            "directions": store.put(&bytes(&directions, f32::to_le_bytes))?,
            "basis": store.put(&bytes(&self.basis, f32::to_le_bytes))?,
            "levels": levels,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slices::{Oriented, VoxelBox};
    use arcuate_core::{Affine, Grid};
    use arcuate_numbers::legendre::even_polynomials;
    use std::f64::consts::PI;

    fn grid(shape: [usize; 3]) -> Grid {
        Grid::new(shape, Affine::scaling([2.0; 3], [0.0; 3])).unwrap()
    }

    /// Packs the glyphs of an image, and returns the packed data and the chosen slices.
    fn packed(glyphs: &Glyphs, store: &Store) -> (Value, GlyphSlices) {
        let amount = glyphs.volume().channel(0);
        let all = VoxelBox::of(&amount);
        let view = Oriented::new(&amount, &all, &all);
        let stack = Stack::new(&view, store);
        let slices = glyphs.choose(&stack);
        (glyphs.pack(&slices, &stack, store).unwrap(), slices)
    }

    fn unpacked<const N: usize, T>(store: &Store, id: &Value, number: impl Fn([u8; N]) -> T) -> Vec<T> {
        let bytes = store.unpacked(id.as_str().unwrap());
        bytes.chunks_exact(N).map(|bytes| number(bytes.try_into().unwrap())).collect()
    }

    /// Returns the harmonic coefficients of the function f(u) = Σ a_l P_l(u · v) for a fixed direction v, by
    /// the addition theorem.
    fn zonal(factors: &[f64], direction: [f64; 3]) -> Vec<f32> {
        let even = EvenHarmonics::new(2 * (factors.len() - 1));
        let values = even.evaluate(direction);
        let degrees = (0..factors.len()).flat_map(|n| std::iter::repeat_n(2 * n, 4 * n + 1));
        let of_one = |((at, factor), degree): (&(usize, f64), usize)| {
            (4.0 * PI / (2 * degree + 1) as f64 * factors[degree / 2] * factor * values[*at]) as f32
        };
        even.mrtrix_order().iter().zip(degrees).map(of_one).collect()
    }

    #[test]
    fn glyph_radii_are_proportional_to_amplitudes() {
        let (factors, along) = ([0.3, 0.5, 0.4, 0.2, 0.1], [0.48, 0.6, 0.64]);
        let place = grid([4, 4, 4]);
        let mut volume = Volume::filled(place, 45, 0.0);
        let voxel = place.index([1, 2, 1]);
        volume.values_mut()[45 * voxel..45 * (voxel + 1)].copy_from_slice(&zonal(&factors, along));
        volume.values_mut()[45 * place.index([2, 2, 2])] = f32::NAN;
        let store = Store { share: 1000, ..Store::default() };
        let (glyphs, slices) = packed(&Glyphs::Distributions(volume), &store);
        assert!(slices.all && glyphs["slices"].is_null() && !slices.key().contains("too large"));
        let [step] = unpacked(&store, &glyphs["steps"], f32::from_le_bytes)[..] else { panic!("one voxel") };
        let codes = unpacked(&store, &glyphs["codes"], i8::from_le_bytes);
        let directions = unpacked(&store, &glyphs["sphere"]["directions"], f32::from_le_bytes);
        let basis = unpacked(&store, &glyphs["sphere"]["basis"], f32::from_le_bytes);
        assert_eq!((codes.len(), directions.len(), basis.len()), (45, 3 * 642, 45 * 642));
        let mut largest: f64 = 0.0;
        for (direction, row) in directions.chunks_exact(3).zip(basis.chunks_exact(45)) {
            let drawn: f64 = row.iter().zip(&codes).map(|(y, c)| f64::from(y * step * f32::from(*c))).sum();
            let cosine = (0..3).map(|axis| f64::from(direction[axis]) * along[axis]).sum::<f64>();
            let known: f64 = even_polynomials(8, cosine).iter().zip(factors).map(|(p, a)| p * a).sum();
            // The coefficients are rounded. The largest one has 127 steps.
            assert!((drawn - known).abs() < 0.03, "{direction:?}: {drawn} and {known}");
            largest = largest.max(drawn);
        }
        assert!((largest - 1.5).abs() < 0.05, "{largest}");
        let scale = glyphs["scale"].as_f64().unwrap();
        assert!((scale - largest).abs() < 0.15, "half a voxel reaches as far as {scale}");
    }

    #[test]
    fn harmonics_agree_with_mrtrix() {
        // The numbers are from the MRtrix command `sh2amp` 3.0.3: the harmonics Y with l = 2 and m = −2, −1,
        // 0, 1, 2 in two directions.
        let directions = [[0.6, 0.64, 0.48], [0.48, -0.6, 0.64]];
        let expected = [
            [0.419539, -0.335631, -0.0973929, -0.314654, -0.0270952],
            [-0.314654, 0.419539, 0.0721616, -0.335631, -0.0707971],
        ];
        for (direction, values) in directions.iter().zip(expected) {
            let found = harmonics_in(*direction, 15);
            assert_eq!(found.len(), 15);
            for (a, b) in found[1..6].iter().zip(values) {
                assert!((a - b).abs() < 2e-6, "{a} and {b}");
            }
        }
    }

    #[test]
    fn large_images_contain_only_the_shown_slices() {
        let shape = [60, 60, 50];
        let volume = Volume::filled(grid(shape), 45, 0.1);
        let store = Store { share: 1_000_000, ..Store::default() };
        let (glyphs, slices) = packed(&Glyphs::Distributions(volume), &store);
        assert!(!slices.all && slices.key().contains("in the slices that are shown here"));
        let of_plane = |plane: Plane| {
            let shown: Vec<u64> =
                slices.rows.iter().flatten().filter(|(of, _)| *of == plane).map(|(_, n)| *n as u64).collect();
            let named: Vec<u64> = serde_json::from_value(glyphs["slices"][plane.name()].clone()).unwrap();
            assert_eq!(shown, named);
            named
        };
        let [axial, coronal, sagittal] = Plane::ALL.map(of_plane);
        assert!((axial.len(), coronal.len(), sagittal.len()) == (12, 3, 2));
        let places = unpacked(&store, &glyphs["places"], u32::from_le_bytes);
        for place in &places {
            let [x, y, z] = [place % 60, place / 60 % 60, place / 3600].map(u64::from);
            assert!(axial.contains(&z) || coronal.contains(&y) || sagittal.contains(&x));
        }
        assert!(places.len() > 12 * 3600 && 53 * places.len() < MAX_BYTES);
        // If an image has more voxels, fewer slices have glyphs.
        let volume = Volume::filled(grid([90, 90, 50]), 45, 0.1);
        let (_, slices) = packed(&Glyphs::Distributions(volume), &store);
        assert_eq!(slices.rows.iter().map(Vec::len).collect::<Vec<_>>(), [6, 4]);
    }

    #[test]
    fn sticks_keep_their_directions_and_lengths() {
        let place = grid([2, 2, 1]);
        let mut volume = Volume::filled(place, 6, 0.0);
        volume.values_mut()[6..12].copy_from_slice(&[0.6, 0.0, -0.8, 0.0, 0.5, 0.0]);
        let store = Store { share: 100, ..Store::default() };
        let (glyphs, _) = packed(&Glyphs::Sticks(volume), &store);
        let codes = unpacked(&store, &glyphs["codes"], i8::from_le_bytes);
        assert_eq!(codes, [95, 0, -127, 0, 79, 0]);
        assert!((glyphs["scale"].as_f64().unwrap() - 1.0).abs() < 1e-6 && glyphs["sphere"].is_null());
        let four = Glyphs::Sticks(Volume::filled(place, 4, 0.0));
        assert!(four.problem().unwrap().contains("4 values in a voxel"));
        assert!(Glyphs::Distributions(Volume::filled(place, 44, 0.0)).problem().is_some());
        assert!(Glyphs::Distributions(Volume::filled(place, 66, 0.0)).text().contains("above 8"));
    }
}
