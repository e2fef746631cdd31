//! Packs the voxels of all slices of a map for the page's script. The script uses them for scrolling through
//! slices and for reading values.
//!
//! Values are rounded to integer multiples of a step. They are stored as compressed bytes, and the name of
//! these bytes is their checksum. If several maps have the same background image, the page therefore contains
//! it only once. The code in `viewer/src/figures/stack.js` reads the stacks.

use crate::outline::{Outline, outline_colour};
use crate::slices::{Oriented, Plane};
use arcuate_core::{Error, Result, saturating};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of steps between the two ends of a window (the shown range of values). It is far larger than
/// the number of gray levels that the eye can distinguish.
pub(crate) const STEPS: f64 = 1000.0;
/// The largest integer code of a value. The code 0 represents NaN.
const LAST: f64 = 65_535.0;
/// The maximum number of voxels that a page contains for all its maps together. If the maps have more voxels,
/// only every second (third, …) voxel along each axis is kept.
pub(crate) const MAX_VOXELS: usize = 10_000_000;

/// Packed bytes that the page contains, each with a name. Figures that are drawn at the same time share a store.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) files: Mutex<BTreeMap<String, String>>,
    /// The maximum number of voxels that the page contains for one map.
    pub(crate) share: usize,
}

impl Store {
    /// Creates an empty store for a page with `maps` maps.
    pub(crate) fn for_maps(maps: usize) -> Self {
        Self { files: Mutex::default(), share: MAX_VOXELS / maps.max(1) }
    }

    /// Stores bytes and returns their name. If the store has these bytes already, they are not compressed again.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<String> {
        let checksum = Sha256::digest(bytes);
        let name = checksum.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let name = format!("stack-{name}");
        // The first thread that stores these bytes reserves their name, and compresses the bytes after it has
        // released the lock.
        match self.locked().entry(name.clone()) {
            Entry::Occupied(_) => return Ok(name),
            Entry::Vacant(entry) => entry.insert(String::new()),
        };
        let packed = || -> std::io::Result<Vec<u8>> {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
            encoder.write_all(bytes)?;
            encoder.finish()
        };
        let packed = packed().map_err(|error| {
            Error::invalid(
                "report",
                format!("slices cannot be packed ({error})"),
                "report this as a bug in Arcuate",
            )
        })?;
        let text = STANDARD.encode(packed);
        self.locked().insert(name.clone(), text);
        Ok(name)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the names of all stored bytes, each with the compressed bytes in base64.
    pub(crate) fn into_files(self) -> BTreeMap<String, String> {
        self.files.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Store {
    /// Returns the bytes with this name before they were packed.
    pub(crate) fn unpacked(&self, name: &str) -> Vec<u8> {
        let (packed, mut bytes) = (STANDARD.decode(&self.locked()[name]).unwrap(), Vec::new());
        let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_end(&mut decoder, &mut bytes).unwrap();
        bytes
    }
}

/// The voxels of a map that are packed for the page. They are ordered along right, anterior and superior, and
/// the index along right varies fastest.
pub(crate) struct Stack<'a> {
    view: &'a Oriented<'a>,
    size: [usize; 3],
    stride: usize,
    /// Array index of the first voxel, and the differences between the indices of successive voxels along right,
    /// anterior and superior.
    first: usize,
    steps: [isize; 3],
}

impl<'a> Stack<'a> {
    /// Creates the stack of a map, which has the map's voxels in the order of the map's view. If there are
    /// more voxels than the store allows per map, only some of them are kept.
    pub(crate) fn new(view: &'a Oriented<'a>, store: &Store) -> Self {
        let whole = view.size(Plane::Axial);
        let size = |stride: usize| whole.map(|n| n.div_ceil(stride));
        let mut stride = 1;
        while size(stride).iter().product::<usize>() > store.share.max(1) {
            stride += 1;
        }
        let [width, height, _] = whole;
        let voxel = |[right, anterior, superior]: [usize; 3]| {
            view.pixel(Plane::Axial, superior, width - 1 - right, height - 1 - anterior)
        };
        let (size, first) = (size(stride), voxel([0; 3]));
        let steps = std::array::from_fn(|axis| {
            let mut next = [0; 3];
            next[axis] = stride;
            if size[axis] > 1 { voxel(next).cast_signed() - first.cast_signed() } else { 0 }
        });
        Self { view, size, stride, first, steps }
    }

    /// Returns the array index of the image's voxel at a position in the stack (the voxels of a map that are
    /// packed for the page).
    fn voxel(&self, place: [usize; 3]) -> usize {
        let steps = self.steps.iter().zip(place);
        steps.fold(self.first, |index, (step, n)| {
            index.wrapping_add_signed(step.wrapping_mul(n.cast_signed()))
        })
    }

    /// Returns all positions of the stack along right, anterior and superior, each with the array index of
    /// its voxel in the image.
    pub(crate) fn places(&self) -> impl Iterator<Item = ([usize; 3], usize)> + '_ {
        let [width, height, depth] = self.size;
        let rows = (0..depth).flat_map(move |s| (0..height).map(move |a| [a, s]));
        let places = rows.flat_map(move |[a, s]| (0..width).map(move |r| [r, a, s]));
        places.map(|place| (place, self.voxel(place)))
    }

    fn voxels(&self) -> impl Iterator<Item = usize> + '_ {
        self.places().map(|(_, voxel)| voxel)
    }

    /// Returns the numbers of voxels of the stack (the voxels of a map that are packed for the page) along
    /// right, anterior and superior.
    pub(crate) fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Returns the view of the map from which this stack of voxels was created.
    pub(crate) fn view(&self) -> &'a Oriented<'a> {
        self.view
    }

    /// Returns the index in the stack of the slice that represents a slice of the image. If only some of the
    /// voxels were kept, the index differs from that of the image.
    pub(crate) fn slice(&self, of_image: usize) -> usize {
        of_image / self.stride
    }

    /// Returns the position of the stack's first voxel and the vectors between successive voxels, for the
    /// page's script.
    pub(crate) fn geometry(&self) -> Value {
        let place = |place: [usize; 3]| self.view.centre(self.voxel(place));
        let origin = place([0; 3]);
        // If a stack is one voxel thick, it has no next voxel. The vector between successive voxels is then
        // that of the image.
        let columns: Vec<[f64; 3]> = (0..3)
            .map(|axis| {
                let step = self.view.step(axis);
                std::array::from_fn(|c| step[c] * self.stride as f64)
            })
            .collect();
        let rows: Vec<[f64; 4]> =
            (0..3).map(|c| [columns[0][c], columns[1][c], columns[2][c], origin[c]]).collect();
        json!({
            "size": self.size,
            "spacing": self.view.spacing(Plane::Axial).map(|mm| mm * self.stride as f64),
            "toMillimetres": rows,
            "placed": self.view.is_placed(),
            "stride": self.stride,
        })
    }

    /// Packs one number per voxel. Numbers are rounded to a thousandth of the window (the shown range of
    /// values). If all numbers are integers, they are stored exactly.
    pub(crate) fn numbers(
        &self,
        store: &Store,
        window: [f32; 2],
        value: impl Fn(usize) -> f32,
    ) -> Result<Value> {
        let values: Vec<f64> = self.voxels().map(|voxel| f64::from(value(voxel))).collect();
        let (minimum, maximum) = crate::axis::range(values.iter().copied()).unwrap_or((0.0, 0.0));
        let whole = values.iter().all(|v| !v.is_finite() || v.fract() == 0.0) && maximum - minimum < LAST;
        let [low, high] = window.map(f64::from);
        let step = if whole { 1.0 } else { (high - low) / STEPS };
        // A value far outside the window is replaced by the nearest value that can be stored.
        let first = if whole { minimum } else { (minimum.max(low - 20.0 * (high - low)) / step).floor() };
        let code = |value: f64| {
            if value.is_finite() {
                saturating::<u16>(((value / step).round() - first + 1.0).clamp(1.0, LAST))
            } else {
                0
            }
        };
        let codes: Vec<[u8; 2]> = values.iter().map(|value| code(*value).to_le_bytes()).collect();
        // The low bytes of all numbers are stored before all high bytes, because similar adjacent bytes
        // compress better.
        let bytes: Vec<u8> = (0..2).flat_map(|byte| codes.iter().map(move |code| code[byte])).collect();
        let beyond = [minimum < step * (first - 0.5), maximum > step * (first + LAST - 0.5)];
        Ok(json!({ "data": store.put(&bytes)?, "step": step, "first": first, "beyond": beyond }))
    }

    /// Packs `N` bytes per voxel. The first byte of all voxels comes first, then the second byte of all
    /// voxels, and so on.
    pub(crate) fn bytes<const N: usize>(
        &self,
        store: &Store,
        value: impl Fn(usize) -> [u8; N],
    ) -> Result<Value> {
        let voxels: Vec<[u8; N]> = self.voxels().map(value).collect();
        let bytes: Vec<u8> = (0..N).flat_map(|plane| voxels.iter().map(move |bytes| bytes[plane])).collect();
        Ok(json!({ "data": store.put(&bytes)? }))
    }

    /// Packs the regions whose outlines are shown, with their names and colours.
    pub(crate) fn outlines(&self, store: &Store, outlines: &[Outline]) -> Result<Vec<Value>> {
        let pack = |outline: &Outline| {
            let region = self.bytes(store, |voxel| [u8::from(outline.region.contains(voxel))])?;
            Ok(json!({
                "name": outline.name,
                "colour": outline_colour(outline.number),
                "data": region["data"],
            }))
        };
        outlines.iter().map(pack).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slices::VoxelBox;
    use arcuate_core::{Affine, Grid, Volume};

    fn unpack(store: &Store, packed: &Value) -> Vec<u8> {
        store.unpacked(packed["data"].as_str().unwrap())
    }

    fn values(store: &Store, packed: &Value) -> Vec<f64> {
        let bytes = unpack(store, packed);
        let (low, high) = bytes.split_at(bytes.len() / 2);
        let codes = low.iter().zip(high).map(|(low, high)| u16::from_le_bytes([*low, *high]));
        let (step, first) = (packed["step"].as_f64().unwrap(), packed["first"].as_f64().unwrap());
        codes.map(|c| if c == 0 { f64::NAN } else { step * (first + f64::from(c) - 1.0) }).collect()
    }

    fn volume(rows: [[f64; 4]; 3], shape: [usize; 3]) -> Volume<f32> {
        let grid = Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap();
        Volume::new(grid, 1, (0..grid.len()).map(|n| 1.0 + n as f32 * 0.37).collect()).unwrap()
    }

    #[test]
    fn voxel_positions_agree_with_the_geometry() {
        let rows = [[0.1, -2.0, 0.0, 8.0], [2.0, 0.1, 0.1, -8.0], [0.0, 0.0, 3.0, -9.0]];
        let volume = volume(rows, [5, 4, 3]);
        let all = VoxelBox::of(&volume);
        let view = Oriented::new(&volume, &all, &all);
        for share in [1000, 10] {
            let store = Store { share, ..Store::default() };
            let stack = Stack::new(&view, &store);
            let packed = stack.numbers(&store, [0.0, 25.0], |voxel| volume.values()[voxel]).unwrap();
            let (values, geometry) = (values(&store, &packed), stack.geometry());
            let size: Vec<usize> = serde_json::from_value(geometry["size"].clone()).unwrap();
            let rows: Vec<[f64; 4]> = serde_json::from_value(geometry["toMillimetres"].clone()).unwrap();
            assert!(values.len() == size.iter().product::<usize>() && values.len() <= share);
            for (n, value) in values.iter().enumerate() {
                let place = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]].map(|n| n as f64);
                let there = std::array::from_fn(|c| {
                    (0..3).map(|axis| rows[c][axis] * place[axis]).sum::<f64>() + rows[c][3]
                });
                let voxel = volume.grid().voxel_at(there).unwrap();
                assert!((volume.values()[voxel] as f64 - value).abs() <= 0.0126, "{place:?}");
            }
        }
    }

    #[test]
    fn numbers_keep_sufficient_precision() {
        let volume = volume([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [4, 1, 1]);
        let all = VoxelBox::of(&volume);
        let view = Oriented::new(&volume, &all, &all);
        let store = Store { share: 100, ..Store::default() };
        let stack = Stack::new(&view, &store);
        let through = |numbers: [f32; 4], window: [f32; 2]| {
            let packed = stack.numbers(&store, window, |voxel| numbers[voxel]).unwrap();
            (values(&store, &packed), packed["beyond"].clone())
        };
        let (counts, _) = through([0.0, 3.0, 60_000.0, f32::NAN], [0.0, 10.0]);
        assert!(counts[..3] == [0.0, 3.0, 60_000.0] && counts[3].is_nan(), "whole numbers are exact");
        let (far, beyond) = through([0.0, 0.1234, 7.7e10, -3.0e9], [0.0, 1.0]);
        assert!(far[0] == 0.0 && (far[1] - 0.1234).abs() <= 0.0005 && far[2] > 40.0 && far[3] < -19.0);
        assert_eq!(beyond, json!([true, true]));
        assert_eq!(through([0.0, 0.5, 1.5, -0.5], [0.0, 1.0]).1, json!([false, false]));
    }

    #[test]
    fn equal_data_are_stored_once_in_the_page() {
        let volume = volume([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [4, 2, 2]);
        let all = VoxelBox::of(&volume);
        let view = Oriented::new(&volume, &all, &all);
        let store = Store { share: 100, ..Store::default() };
        let stack = Stack::new(&view, &store);
        let one = stack.bytes(&store, |voxel| [voxel as u8, 1]).unwrap();
        assert_eq!(one, stack.bytes(&store, |voxel| [voxel as u8, 1]).unwrap());
        assert!(store.locked().len() == 1 && unpack(&store, &one)[16..] == [1; 16]);
        stack.bytes(&store, |voxel| [voxel as u8, 2]).unwrap();
        assert_eq!(store.locked().len(), 2);
    }
}
