//! The fixed-point sums of adjoint products, as GPUs add them up between them.
#![allow(unsafe_code)]

use super::CudaOperator;
use crate::Real;
use arcuate_compute::arguments;
use arcuate_compute::cuda::{Argument, Buffer, CudaResult, Event, Gpu, Grid, Kernel, Stream};
use arcuate_core::Result;

/// The sums of adjoint products on one GPU, between a product and what is made of it.
pub(crate) struct AdjointSums {
    /// One for each unknown.
    sums: Buffer<u64>,
    /// What products add to, where that is something else.
    raw: Option<Buffer<u64>>,
    /// The sums of the other GPUs, and room for one of them; raw ones where there are raw ones.
    others: Option<(Buffer<u64>, Buffer<u64>)>,
    /// Its sums are complete; the others' have been copied.
    summed: Event,
    copied: Event,
}

impl AdjointSums {
    pub(crate) fn new<T: Real>(
        operator: &dyn CudaOperator<T>,
        gpu: &Gpu,
        columns: usize,
    ) -> CudaResult<Self> {
        let raw = operator.raw_sums();
        let exchanged = raw.unwrap_or(columns);
        let several = operator.gpus().len() > 1;
        Ok(Self {
            sums: gpu.alloc(columns)?,
            raw: raw.map(|count| gpu.alloc(count)).transpose()?,
            others: if several { Some((gpu.alloc(exchanged)?, gpu.alloc(exchanged)?)) } else { None },
            summed: gpu.event()?,
            copied: gpu.event()?,
        })
    }

    /// What products are to add to.
    pub(crate) fn target(&mut self) -> &mut Buffer<u64> {
        self.raw.as_mut().unwrap_or(&mut self.sums)
    }

    /// After [`exchange`], the two arrays whose sum is that of all GPUs, for each unknown; the second may be null. Who
    /// reads the first clears it.
    pub(crate) fn exchanged(&mut self) -> [Argument<'_>; 2] {
        let others = match (&self.raw, &self.others) {
            // The sums that raw ones were expanded to are complete.
            (Some(_), _) | (None, None) => Argument::null(),
            (None, Some((others, _))) => others.into(),
        };
        [(&mut self.sums).into(), others]
    }
}

/// One GPU's part in [`exchange`]: its stream, its sums, and the kernel that adds sums to sums.
pub(crate) type Exchanged<'a> = (&'a Stream, &'a mut AdjointSums, Kernel);

/// Lets every GPU have the sums of all others, and expands raw ones.
pub(crate) fn exchange<T: Real>(
    operator: &dyn CudaOperator<T>,
    parts: &mut [Exchanged<'_>],
    (blocks, threads): (u32, u32),
) -> Result<()> {
    let several = parts.len() > 1;
    if several {
        for (stream, sums, _) in &*parts {
            stream.record(&sums.summed)?;
        }
        for n in 0..parts.len() {
            let (before, rest) = parts.split_at_mut(n);
            let Some(((stream, mine, add), after)) = rest.split_first_mut() else { continue };
            let AdjointSums { sums, raw, others: Some((others, room)), copied, .. } = &mut **mine else {
                continue;
            };
            others.zero(stream)?;
            let count = u32::try_from(others.len()).expect("operators on GPUs have 32-bit unknowns");
            let grid = Grid::row(count.div_ceil(threads).clamp(1, blocks), threads);
            for (_, other, _) in before.iter().chain(after.iter()) {
                stream.wait(&other.summed)?;
                let values = other.raw.as_ref().unwrap_or(&other.sums);
                room.view_mut().copy_from_device(stream, values.view())?;
                // SAFETY: vectors of `count` elements.
                unsafe { stream.launch(add, grid, &arguments![count, &mut *others, &*room]) }?;
            }
            stream.record(copied)?;
            if let Some(raw) = raw {
                // SAFETY: vectors of `count` elements.
                unsafe { stream.launch(add, grid, &arguments![count, &mut *others, &*raw]) }?;
                operator.expand(n, stream, others, sums)?;
            }
        }
        // The sums are cleared next: not before everyone has them.
        for (stream, _, _) in &*parts {
            for (_, other, _) in &*parts {
                stream.wait(&other.copied)?;
            }
        }
    }
    for (n, (stream, mine, _)) in parts.iter_mut().enumerate() {
        let AdjointSums { sums, raw, .. } = &mut **mine;
        if let Some(raw) = raw {
            if !several {
                operator.expand(n, stream, raw, sums)?;
            }
            raw.zero(stream)?;
        }
    }
    Ok(())
}
