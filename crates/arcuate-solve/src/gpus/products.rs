//! Products of an operator on GPUs with vectors in CPU memory. The operator's methods `forward` and `adjoint`
//! use them.

use super::operator::{DeviceNormal, Products, SplitOperator, fixed_point_scale};
use crate::Real;
use arcuate_compute::cuda::{Gpu, on_each};
use arcuate_core::Result;
use std::ops::Range;

/// Computes `data` = A `unknowns` with an operator that is split between GPUs. Both vectors are in CPU
/// memory.
///
/// Returns an error if the number of unknowns is wrong or a GPU fails.
///
/// # Panics
///
/// Panics if `data` does not have one element for each row of the operator.
pub fn forward_on_gpus<T: Real>(
    operator: &dyn SplitOperator<T>,
    unknowns: &[T],
    data: &mut [T],
) -> Result<()> {
    let mut parts = Vec::with_capacity(operator.gpus().len());
    let (mut rest, mut begin) = (data, 0);
    for (n, gpu) in operator.gpus().iter().enumerate() {
        let rows = operator.rows_on(n);
        let (mine, others) = rest.split_at_mut(rows.end - begin);
        parts.push((gpu, &mut mine[rows.start - begin..]));
        (rest, begin) = (others, rows.end);
    }
    assert!(rest.is_empty(), "vectors do not fit");
    on_each(parts, |n, (gpu, data): (&Gpu, &mut [T])| {
        let stream = gpu.stream()?;
        let unknowns = gpu.upload(&stream, unknowns)?;
        let mut image = gpu.alloc(data.len())?;
        operator.products(n, &stream, Products::image(&unknowns, &mut image))?;
        Ok(image.copy_to(&stream, data)?)
    })?;
    Ok(())
}

/// Computes `unknowns` = Aᵀ `data` with an operator that is split between GPUs. Both vectors are in CPU
/// memory. The result is computed as fixed-point sums. It is bit-identical for any number of GPUs.
///
/// Returns an error if the number of unknowns is wrong or a GPU fails.
///
/// # Panics
///
/// Panics if `data` does not have one element for each row of the operator.
pub fn adjoint_on_gpus<T: Real>(
    operator: &dyn SplitOperator<T>,
    data: &[T],
    unknowns: &mut [T],
) -> Result<()> {
    let largest = data.iter().fold(0.0, |largest: f64, y| match y.double().abs() {
        y if y > largest || y.is_nan() => y,
        _ => largest,
    });
    let [scale, unit] = fixed_point_scale(operator.bounds().adjoint * largest);
    let count = operator.raw_sums().unwrap_or(unknowns.len());
    let rows: Vec<Range<usize>> = (0..operator.gpus().len()).map(|n| operator.rows_on(n)).collect();
    assert_eq!(data.len(), rows.last().map_or(0, |rows| rows.end), "vectors do not fit");
    let of_gpus = on_each(operator.gpus().iter().zip(rows), |n, (gpu, rows): (&Gpu, Range<usize>)| {
        let stream = gpu.stream()?;
        let mut rows = gpu.upload(&stream, &data[rows])?;
        let scale = gpu.upload(&stream, &[scale, unit])?;
        let mut sums = gpu.alloc(count)?;
        operator.products(n, &stream, Products::adjoint(&mut rows, &mut sums, &scale))?;
        let total = sums.to_vec(&stream)?;
        Ok((total, (stream, sums)))
    })?;
    let mut of_gpus = of_gpus.into_iter();
    let Some((mut total, (stream, mut raw))) = of_gpus.next() else { unreachable!("there is a GPU") };
    for (others, _) in of_gpus {
        for (total, other) in total.iter_mut().zip(others) {
            *total = total.wrapping_add(other);
        }
    }
    if operator.raw_sums().is_some() {
        raw.copy_from(&stream, &total)?;
        let mut sums = operator.gpus().first().alloc(unknowns.len())?;
        operator.expand(0, &stream, &raw, &mut sums)?;
        total = sums.to_vec(&stream)?;
    }
    for (out, total) in unknowns.iter_mut().zip(total) {
        *out = T::of(total as i64 as f64 * unit);
    }
    Ok(())
}

/// Computes `out` = AᵀA `unknowns` with an operator on one GPU. Both vectors are in CPU memory.
///
/// Returns an error if a vector has a wrong length, or if the GPU fails.
pub fn normal_on_device<T: Real>(
    operator: &dyn DeviceNormal<T>,
    unknowns: &[T],
    out: &mut [T],
) -> Result<()> {
    let gpu = operator.gpu();
    let stream = gpu.stream()?;
    let unknowns = gpu.upload(&stream, unknowns)?;
    let mut there = gpu.alloc(out.len())?;
    operator.normal(&stream, &unknowns, &mut there)?;
    Ok(there.copy_to(&stream, out)?)
}
