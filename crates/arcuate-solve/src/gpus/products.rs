//! Products of vectors that lie on the host: an operator's own `forward` and `adjoint` where it lies on GPUs.

use super::{CudaOperator, Products, fixed_point_scale};
use crate::Real;
use arcuate_core::Result;

/// `data` = A `unknowns`, both on the host.
///
/// Fails where `unknowns` are not as many as the operator has, and where a GPU does.
///
/// # Panics
/// Where `data` is shorter than the operator's rows.
pub fn forward_on_gpus<T: Real>(
    operator: &dyn CudaOperator<T>,
    unknowns: &[T],
    data: &mut [T],
) -> Result<()> {
    let mut queued = Vec::with_capacity(operator.gpus().len());
    for (n, gpu) in operator.gpus().iter().enumerate() {
        let stream = gpu.stream()?;
        let unknowns = gpu.upload(&stream, unknowns)?;
        let mut image = gpu.alloc(operator.rows_on(n).len())?;
        let what =
            Products { unknowns: Some(&unknowns), carry: false, data: &mut image, sums: None, norms: None };
        operator.products(n, &stream, what)?;
        queued.push((stream, unknowns, image));
    }
    for (n, (stream, _, image)) in queued.iter().enumerate() {
        image.copy_to(stream, &mut data[operator.rows_on(n)])?;
    }
    Ok(())
}

/// `unknowns` = Aᵀ `data`, both on the host, from fixed-point sums: the same bits for any number of GPUs.
///
/// Fails where `unknowns` are not as many as the operator has, and where a GPU does.
///
/// # Panics
/// Where `data` is shorter than the operator's rows.
pub fn adjoint_on_gpus<T: Real>(
    operator: &dyn CudaOperator<T>,
    data: &[T],
    unknowns: &mut [T],
) -> Result<()> {
    let largest = data.iter().fold(0.0, |largest: f64, y| match y.wide().abs() {
        y if y > largest || y.is_nan() => y,
        _ => largest,
    });
    let [scale, unit] = fixed_point_scale(operator.bounds().adjoint * largest);
    let count = operator.raw_sums().unwrap_or(unknowns.len());
    let mut queued = Vec::with_capacity(operator.gpus().len());
    for (n, gpu) in operator.gpus().iter().enumerate() {
        let stream = gpu.stream()?;
        let mut rows = gpu.upload(&stream, &data[operator.rows_on(n)])?;
        let scale = gpu.upload(&stream, &[scale, unit])?;
        let mut sums = gpu.alloc(count)?;
        let what = Products {
            unknowns: None,
            carry: false,
            data: &mut rows,
            sums: Some((&mut sums, &scale)),
            norms: None,
        };
        operator.products(n, &stream, what)?;
        queued.push((stream, rows, scale, sums));
    }
    let mut total = vec![0u64; count];
    for (stream, _, _, sums) in &queued {
        for (total, part) in total.iter_mut().zip(sums.to_vec(stream)?) {
            *total = total.wrapping_add(part);
        }
    }
    if operator.raw_sums().is_some()
        && let Some((stream, _, _, raw)) = queued.first_mut()
    {
        raw.copy_from(stream, &total)?;
        let mut sums = operator.gpus().first().alloc(unknowns.len())?;
        operator.expand(0, stream, raw, &mut sums)?;
        total = sums.to_vec(stream)?;
    }
    for (out, total) in unknowns.iter_mut().zip(total) {
        *out = T::of(total as i64 as f64 * unit);
    }
    Ok(())
}
