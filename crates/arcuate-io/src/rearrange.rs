//! From the order and type of values in a file to those of a [`Volume`](arcuate_core::Volume): x fastest, all channels
//! of a voxel together.

use crate::element::{DataType, Element, Stored};
use rayon::prelude::*;

/// Where each value of an image lies in the array of a file; all distances count values (components), not bytes.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Voxels along each axis.
    pub(crate) shape: [usize; 3],
    /// Distance between neighbours along each axis.
    pub(crate) strides: [isize; 3],
    /// Where voxel (0, 0, 0) of each channel lies.
    pub(crate) channels: Vec<isize>,
}

/// What the stored numbers mean: `value = slope · stored + intercept`, where there is a slope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoding {
    pub(crate) data_type: DataType,
    pub(crate) big_endian: bool,
    pub(crate) scaling: Option<(f64, f64)>,
}

impl Layout {
    /// One image after another, x fastest, the `components` of a voxel together, as in NIfTI.
    pub(crate) fn volumes(shape: [usize; 3], volumes: usize, components: usize) -> Self {
        let voxels: usize = shape.iter().product();
        let channels = (0..volumes * components)
            .map(|channel| (channel / components * voxels * components + channel % components) as isize)
            .collect();
        let strides = [components, components * shape[0], components * shape[0] * shape[1]];
        Self { shape, strides: strides.map(|s| s as isize), channels }
    }

    /// Whether a single step leads from each voxel to the next, through rows and slices.
    fn is_one_axis(&self) -> bool {
        self.strides[1] == self.strides[0] * self.shape[0] as isize
            && self.strides[2] == self.strides[1] * self.shape[1] as isize
    }
}

/// Converts the values of `layout` in `bytes` into columns `first_channel..` of `out`, which holds rows of
/// `total_channels` values, one row per voxel of the layout. `bytes` must hold every value of the layout.
///
/// Fails with the first value found that `T` cannot hold.
pub(crate) fn rearrange<T: Element>(
    bytes: &[u8],
    encoding: Encoding,
    layout: &Layout,
    first_channel: usize,
    total_channels: usize,
    out: &mut [T],
) -> Result<(), f64> {
    macro_rules! with {
        ($stored:ty) => {
            match (encoding.big_endian, encoding.scaling) {
                (false, None) => {
                    run::<$stored, T, false>(bytes, layout, first_channel, total_channels, out, |v, _| {
                        v.into_element()
                    })
                }
                (true, None) => {
                    run::<$stored, T, true>(bytes, layout, first_channel, total_channels, out, |v, _| {
                        v.into_element()
                    })
                }
                (big_endian, Some((slope, intercept))) => {
                    // An intercept shifts real parts only.
                    let complex = matches!(encoding.data_type, DataType::Complex64 | DataType::Complex128);
                    let scale = |v: $stored, channel: usize| {
                        let shift = if complex && channel % 2 == 1 { 0.0 } else { intercept };
                        T::from_f64(v.into_f64() * slope + shift)
                    };
                    if big_endian {
                        run::<$stored, T, true>(bytes, layout, first_channel, total_channels, out, scale)
                    } else {
                        run::<$stored, T, false>(bytes, layout, first_channel, total_channels, out, scale)
                    }
                }
            }
        };
    }
    match encoding.data_type.component() {
        DataType::UInt8 => with!(u8),
        DataType::Int8 => with!(i8),
        DataType::UInt16 => with!(u16),
        DataType::Int16 => with!(i16),
        DataType::UInt32 => with!(u32),
        DataType::Int32 => with!(i32),
        DataType::UInt64 => with!(u64),
        DataType::Int64 => with!(i64),
        DataType::Float16 => with!(half::f16),
        DataType::Float32 => with!(f32),
        DataType::Float64 => with!(f64),
        other => unreachable!("{other} is unpacked before it is rearranged"),
    }
}

/// Values of one block of output: small enough to stay in a core's cache while the channels are filled in.
const BLOCK: usize = 1 << 16;

fn run<S: Stored, T: Element, const BIG_ENDIAN: bool>(
    bytes: &[u8],
    layout: &Layout,
    first_channel: usize,
    total_channels: usize,
    out: &mut [T],
    convert: impl Fn(S, usize) -> Option<T> + Sync,
) -> Result<(), f64> {
    let [nx, ny, _] = layout.shape;
    let [step, stride_y, stride_z] = layout.strides;
    let one_axis = layout.is_one_axis();
    let row = if one_axis { (BLOCK / total_channels).max(64) } else { nx };
    let channels = &layout.channels;
    // Stored values of one voxel may be nearer to each other than to those of the next voxel, or farther.
    let channels_together = channels.len() > 1 && (channels[1] - channels[0]).abs() < step.abs();
    let stored = |position: isize| {
        let start = position as usize * S::SIZE;
        S::from_bytes::<BIG_ENDIAN>(&bytes[start..start + S::SIZE])
    };
    out.par_chunks_mut(row * total_channels).enumerate().try_for_each(|(number, out)| {
        let base = if one_axis {
            (number * row) as isize * step
        } else {
            (number % ny) as isize * stride_y + (number / ny) as isize * stride_z
        };
        let voxels = out.len() / total_channels;
        if channels_together {
            for (v, out) in out.chunks_exact_mut(total_channels).enumerate() {
                let base = base + v as isize * step;
                for (c, (out, &offset)) in out[first_channel..].iter_mut().zip(channels).enumerate() {
                    let value = stored(base + offset);
                    *out = convert(value, c).ok_or_else(|| value.into_f64())?;
                }
            }
        } else if step == 1 {
            for (c, &offset) in channels.iter().enumerate() {
                let start = (base + offset) as usize * S::SIZE;
                let values = bytes[start..start + voxels * S::SIZE].chunks_exact(S::SIZE);
                let column = out[first_channel + c..].iter_mut().step_by(total_channels);
                for (out, bytes) in column.zip(values) {
                    let value = S::from_bytes::<BIG_ENDIAN>(bytes);
                    *out = convert(value, c).ok_or_else(|| value.into_f64())?;
                }
            }
        } else {
            for (c, &offset) in channels.iter().enumerate() {
                let column = out[first_channel + c..].iter_mut().step_by(total_channels);
                for (v, out) in column.enumerate() {
                    let value = stored(base + offset + v as isize * step);
                    *out = convert(value, c).ok_or_else(|| value.into_f64())?;
                }
            }
        }
        Ok(())
    })
}

/// Bits, first in the highest bit of a byte, as bytes of 0 and 1.
pub(crate) fn unpack_bits(bytes: &[u8], count: usize) -> Vec<u8> {
    (0..count).map(|n| bytes[n / 8] >> (7 - n % 8) & 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_axes_ends_up_voxel_by_voxel() {
        // A 3 × 2 × 2 image with 5 channels, stored in the orders files use: value = 100 channel + voxel.
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
                let mut file = vec![0i16; 60];
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
    fn bits_come_highest_first() {
        assert_eq!(unpack_bits(&[0b1010_0000, 0b0100_0000], 10), [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    }
}
