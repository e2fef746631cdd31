//! Converts image values from the order and number type of a file to those of a
//! [`Volume`](arcuate_core::Volume): voxels with x fastest, and all channels of a voxel adjacent.

use crate::element::{DataType, Element, Stored};
use rayon::prelude::*;

/// The positions of the values of an image in the file's array of numbers. All positions and distances count
/// numbers, not bytes.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Number of voxels along each axis.
    pub(crate) shape: [usize; 3],
    /// Distance between neighbouring voxels along each axis.
    pub(crate) strides: [isize; 3],
    /// For each channel, the position of the value of voxel (0, 0, 0).
    pub(crate) channels: Vec<isize>,
}

/// The number type of the stored numbers, their byte order, and their scaling: `value = slope · stored +
/// intercept`, if there is a slope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoding {
    pub(crate) data_type: DataType,
    pub(crate) big_endian: bool,
    pub(crate) scaling: Option<(f64, f64)>,
}

impl Layout {
    /// Creates the layout of a file that stores one volume after another, with x fastest, as in NIfTI. A
    /// voxel has `components` numbers in each volume, which are adjacent.
    pub(crate) fn volumes(shape: [usize; 3], volumes: usize, components: usize) -> Self {
        let voxels: usize = shape.iter().product();
        let channels = (0..volumes * components)
            .map(|channel| (channel / components * voxels * components + channel % components) as isize)
            .collect();
        let strides = [components, components * shape[0], components * shape[0] * shape[1]];
        Self { shape, strides: strides.map(|s| s as isize), channels }
    }

    /// Returns the distance in the file between consecutive channels of a voxel. Returns `None` if this
    /// distance differs between channels.
    fn channel_step(&self) -> Option<isize> {
        let first = self.channels.get(1)? - self.channels[0];
        self.channels.windows(2).all(|pair| pair[1] - pair[0] == first).then_some(first)
    }

    /// Returns true if the distance in the file from each voxel to the next is always the same, also from one
    /// row or slice to the next.
    fn is_one_axis(&self) -> bool {
        self.strides[1] == self.strides[0] * self.shape[0] as isize
            && self.strides[2] == self.strides[1] * self.shape[1] as isize
    }
}

/// Converts the stored values in `bytes`, whose positions `layout` states, and writes them to `out`. For each
/// voxel, `out` has `total_channels` adjacent values. The first channel of `bytes` is written to channel
/// `first_channel` of `out`. `bytes` must contain every value of the layout.
///
/// If the number type `T` cannot represent one of the stored values, this value is returned as the error.
pub(crate) fn rearrange<T: Element>(
    bytes: &[u8],
    encoding: Encoding,
    layout: &Layout,
    first_channel: usize,
    total_channels: usize,
    out: &mut [T],
) -> Result<(), f64> {
    let run = run_for::<T>(encoding);
    // The intercept of the scaling is added only to the real parts of complex numbers.
    let complex = matches!(encoding.data_type, DataType::Complex64 | DataType::Complex128);
    let scaling = |channel: usize| match encoding.scaling {
        Some((slope, _)) if complex && channel % 2 == 1 => Some((slope, 0.0)),
        scaling => scaling,
    };
    let [nx, ny, _] = layout.shape;
    let [step, stride_y, stride_z] = layout.strides;
    let one_axis = layout.is_one_axis();
    let row = if one_axis { (BLOCK / total_channels).max(64) } else { nx };
    let channels = &layout.channels;
    // If the channels of a voxel are closer to each other in the file than to the next voxel, all channels of
    // a voxel are converted together.
    let together = layout.channel_step().filter(|apart| apart.abs() < step.abs() && !complex);
    out.par_chunks_mut(row * total_channels).enumerate().try_for_each(|(number, out)| {
        let base = if one_axis {
            (number * row) as isize * step
        } else {
            (number % ny) as isize * stride_y + (number / ny) as isize * stride_z
        };
        if let Some(apart) = together {
            for (v, out) in out.chunks_exact_mut(total_channels).enumerate() {
                let start = base + v as isize * step + channels[0];
                let columns = &mut out[first_channel..first_channel + channels.len()];
                run(bytes, start, apart, scaling(0), columns, 1)?;
            }
        } else {
            for (c, &offset) in channels.iter().enumerate() {
                run(bytes, base + offset, step, scaling(c), &mut out[first_channel + c..], total_channels)?;
            }
        }
        Ok(())
    })
}

/// Number of values of a block of the output. A block fits into the cache of a processor core while its
/// channels are filled one after the other.
const BLOCK: usize = 1 << 16;

/// A function that converts the stored values at the positions `start`, `start + step` … of `bytes`. It
/// writes them to the elements 0, `out_step` … of `out`, up to the end of `out`.
type Run<T> = fn(&[u8], isize, isize, Option<(f64, f64)>, &mut [T], usize) -> Result<(), f64>;

/// Returns the function that converts numbers of the file's number type and byte order to the type `T`.
fn run_for<T: Element>(encoding: Encoding) -> Run<T> {
    macro_rules! either {
        ($stored:ty) => {
            if encoding.big_endian { run::<$stored, T, true> } else { run::<$stored, T, false> }
        };
    }
    match encoding.data_type.component() {
        DataType::UInt8 => either!(u8),
        DataType::Int8 => either!(i8),
        DataType::UInt16 => either!(u16),
        DataType::Int16 => either!(i16),
        DataType::UInt32 => either!(u32),
        DataType::Int32 => either!(i32),
        DataType::UInt64 => either!(u64),
        DataType::Int64 => either!(i64),
        DataType::Float16 => either!(half::f16),
        DataType::Float32 => either!(f32),
        DataType::Float64 => either!(f64),
        other => unreachable!("{other} is unpacked before it is rearranged"),
    }
}

fn run<S: Stored, T: Element, const BIG_ENDIAN: bool>(
    bytes: &[u8],
    start: isize,
    step: isize,
    scaling: Option<(f64, f64)>,
    out: &mut [T],
    out_step: usize,
) -> Result<(), f64> {
    let count = out.len().div_ceil(out_step);
    let places = out.iter_mut().step_by(out_step);
    if let Some((slope, intercept)) = scaling {
        for (n, out) in places.enumerate() {
            let at = (start + n as isize * step) as usize * S::SIZE;
            let value = S::from_bytes::<BIG_ENDIAN>(&bytes[at..at + S::SIZE]).into_f64();
            *out = T::from_f64(value * slope + intercept).ok_or(value)?;
        }
    } else if step == 1 {
        let at = start as usize * S::SIZE;
        let stored = bytes[at..at + count * S::SIZE].chunks_exact(S::SIZE);
        for (out, bytes) in places.zip(stored) {
            let value = S::from_bytes::<BIG_ENDIAN>(bytes);
            *out = value.into_element().ok_or_else(|| value.into_f64())?;
        }
    } else {
        for (n, out) in places.enumerate() {
            let at = (start + n as isize * step) as usize * S::SIZE;
            let value = S::from_bytes::<BIG_ENDIAN>(&bytes[at..at + S::SIZE]);
            *out = value.into_element().ok_or_else(|| value.into_f64())?;
        }
    }
    Ok(())
}

/// Unpacks each bit to a byte with the value 0 or 1. The highest bit of a byte comes first.
pub(crate) fn unpack_bits(bytes: &[u8], count: usize) -> Vec<u8> {
    (0..count).map(|n| bytes[n / 8] >> (7 - n % 8) & 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_order_is_rearranged_voxel_by_voxel() {
        // The image of the test has 3 × 2 × 2 voxels and 5 channels. It is stored in the orders that the
        // image formats use. Each value is 100 · channel + index of the voxel.
        let (shape, channels) = ([3usize, 2, 2], 5usize);
        let sizes = [3, 2, 2, 5];
        let orders = [[0, 1, 2, 3], [3, 0, 1, 2], [2, 1, 0, 3], [1, 3, 0, 2], [3, 2, 1, 0]];
        for order in orders {
            for flips in 0..16usize {
                let mut strides = [0isize; 4];
                let mut origin = 0;
                let mut next = 1;
                for axis in order {
                    strides[axis] = next;
                    next *= sizes[axis] as isize;
                    if flips >> axis & 1 == 1 {
                        origin += strides[axis] * (sizes[axis] as isize - 1);
                        strides[axis] = -strides[axis];
                    }
                }
                let mut file = [0i16; 60];
                for v in 0..12 {
                    let at = [v % 3, v / 3 % 2, v / 6];
                    for c in 0..5 {
                        let place = origin
                            + (0..3).map(|a| at[a] as isize * strides[a]).sum::<isize>()
                            + c as isize * strides[3];
                        file[place as usize] = (100 * c + v) as i16;
                    }
                }
                let bytes: Vec<u8> = file.iter().flat_map(|v| v.to_be_bytes()).collect();
                let layout = Layout {
                    shape,
                    strides: [strides[0], strides[1], strides[2]],
                    channels: (0..5).map(|c| origin + c * strides[3]).collect(),
                };
                let encoding = Encoding { data_type: DataType::Int16, big_endian: true, scaling: None };
                let mut out = vec![0f32; 60];
                rearrange(&bytes, encoding, &layout, 0, channels, &mut out).unwrap();
                for v in 0..12 {
                    for c in 0..5 {
                        assert_eq!(out[v * 5 + c], (100 * c + v) as f32, "order {order:?} flips {flips:b}");
                    }
                }
            }
        }
    }

    #[test]
    fn bits_are_unpacked_from_the_highest() {
        assert_eq!(unpack_bits(&[0b1010_0000, 0b0100_0000], 10), [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    }
}
