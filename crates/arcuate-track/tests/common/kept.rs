//! A sink that stores streamlines from the host or from GPUs for comparison.

use arcuate_compute::cuda::CudaResult;
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_core::{Point, Result, StreamlineBatch, StreamlineSink, Tractogram};
use std::collections::BTreeMap;

/// Received streamlines.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) on_host: Tractogram,
    /// Points and index of the seed point, by the number of the streamline.
    pub(crate) on_gpus: BTreeMap<u64, (Vec<Point>, u32)>,
    pub(crate) batches: usize,
    pub(crate) collected: bool,
    pub(crate) forgotten: usize,
}

impl StreamlineSink for Kept {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.on_host.take(batch)
    }
}

impl DeviceStreamlineSink for Kept {
    fn take_on_gpu(&mut self, batch: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        assert!(!self.collected, "a batch after the last");
        self.batches += 1;
        let spans = {
            let mut spans = vec![bytemuck::Zeroable::zeroed(); batch.spans.len()];
            batch.spans.copy_to(batch.stream, &mut spans)?;
            spans
        };
        let mut positions = vec![0.0; batch.positions.len()];
        batch.positions.copy_to(batch.stream, &mut positions)?;
        let points: &[Point] = bytemuck::cast_slice(&positions);
        assert_eq!(spans.iter().map(|span| u64::from(span.points)).sum::<u64>(), points.len() as u64);
        for span in spans {
            let own = points[span.begin as usize..][..span.points as usize].to_vec();
            assert!(
                self.on_gpus.insert(span.number, (own, span.seed)).is_none(),
                "{} came twice",
                span.number
            );
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<()> {
        self.collected = true;
        Ok(())
    }

    fn forget(&mut self) {
        *self = Self { forgotten: self.forgotten + 1, ..Self::default() };
    }
}

impl Kept {
    /// The streamlines in the order of their numbers.
    pub(crate) fn streamlines(&self) -> Tractogram {
        let mut all = Tractogram::new();
        for (points, _) in self.on_gpus.values() {
            all.push(points);
        }
        all
    }
}
