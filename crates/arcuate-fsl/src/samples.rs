//! Posterior samples in FSL's form: the volume fraction and the angles of each fibre. Also computes principal
//! directions, dispersions and means from them.

use super::example::Example;
use super::model::{FibreModel, quantities};
use super::subject::Subject;
use super::xfibres_options::Chains;
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Grid, Result, Volume};
use arcuate_model::fit::sample::{SampledParameter, sample_bytes, sample_model};
use arcuate_model::fit::{FitOptions, Status};
use arcuate_numbers::Deviator;
use arcuate_pipeline::fsl_directions::{VoxelAxes, angles_near, upwards};
use arcuate_pipeline::memory;
use serde::{Deserialize, Serialize};

/// Layout of the numbers of a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    /// FSL's names of the parameters that do not belong to a single fibre. In a sample, their values come
    /// first. The values f, θ and φ of each fibre follow.
    pub(super) quantities: Vec<String>,
    pub(super) fibres: usize,
    /// Number of samples per voxel.
    pub(super) samples: usize,
}

/// FSL's name of the noise precision τ = 1/σ².
const NOISE: &str = "tau";
/// Number of values per fibre in a sample: the volume fraction f, and the angles θ and φ.
const OF_FIBRE: usize = 3;
/// Number of values per fibre that follow the samples of a voxel: three components of the principal
/// direction, and the dispersion.
const OF_DYAD: usize = 4;

impl Layout {
    /// Returns the layout of the samples that Markov chains with these options produce.
    pub(super) fn new(chains: &Chains) -> Self {
        let noise = chains.is_rician.then_some(NOISE);
        let quantities = quantities(chains).into_iter().map(|(theirs, _)| theirs).chain(noise);
        let quantities = quantities.map(str::to_owned).collect();
        let samples = (chains.jumps / chains.interval.max(1)) as usize;
        Self { quantities, fibres: chains.fibres, samples }
    }

    pub(super) fn numbers(&self) -> usize {
        self.fibres.saturating_mul(OF_FIBRE).saturating_add(self.quantities.len())
    }

    /// Returns the position of a fibre's value in a sample. The fibre is counted from 0. `which` selects the
    /// value: 0 is f, 1 is θ, and 2 is φ.
    pub(super) fn of_fibre(&self, fibre: usize, which: usize) -> usize {
        self.quantities.len() + OF_FIBRE * fibre + which
    }

    /// Returns the number of values per voxel: those of all samples, then the principal direction and the
    /// dispersion of each fibre.
    pub(super) fn of_voxel(&self) -> usize {
        // The multiplications saturate and cannot overflow, because a damaged file may state any number.
        let of_samples = self.numbers().saturating_mul(self.samples);
        of_samples.saturating_add(self.fibres.saturating_mul(OF_DYAD))
    }
}

/// Samples of some voxels of an image.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Samples {
    pub(super) layout: Layout,
    /// Voxels with samples, in ascending order.
    pub(super) voxels: Vec<usize>,
    /// Values of all voxels, one voxel after the other. In each voxel, the samples come first. The principal
    /// directions and dispersions of the fibres follow.
    pub(super) values: Vec<f32>,
}

/// The sampled model parameters from which the values in FSL's form are computed.
struct Sources<'a> {
    quantities: Vec<&'a SampledParameter>,
    fibres: Vec<[&'a SampledParameter; 2]>,
    /// The parameter σ of the noise, from which FSL's τ = 1/σ² is computed.
    noise: Option<&'a SampledParameter>,
}

impl Samples {
    /// Runs the Markov chains in all voxels of a subject. Also returns an example voxel for the report, if
    /// there is a suitable one.
    pub(super) fn draw(
        chains: &Chains,
        subject: Subject,
        device: &Device,
        control: Control,
    ) -> Result<(Self, Option<Example>)> {
        let model = FibreModel::new(chains)?;
        let Subject { dwi, gradients, mask, deviations: gradient_deviations } = subject;
        let options =
            FitOptions { single_precision: true, gradient_deviations, control, ..FitOptions::default() };
        let axes = VoxelAxes::new(dwi.grid().affine())?;
        let sampling = chains.sampling();
        let bytes = sample_bytes(&model.model, &gradients, &options, &sampling, mask.count())?;
        let advice = "give fewer, a larger --sampleevery, or a mask of fewer voxels";
        memory::require(bytes, "--njumps", "their samples", advice)?;
        let mut drawn = sample_model(&model.model, &dwi, &gradients, &mask, device, &options, &sampling)?;
        let example = Example::of(&model, &drawn, &dwi, &gradients, &options)?;
        // Frees the memory of the series, which can be large, before the memory of the results is allocated.
        drop(dwi);
        if let Some((_, count)) = drawn.fit.counts.iter().rfind(|(status, _)| *status == Status::Stuck) {
            tracing::warn!(
                "in {count} of {} voxels the Markov chain accepted no proposal; the samples of these voxels \
                 are the start values and have no meaning",
                drawn.voxels.len()
            );
        }
        let parameters = std::mem::take(&mut drawn.parameters);
        let named = |name: &str| {
            parameters.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
                Error::invalid(
                    model.model.name(),
                    format!("`{name}` was not sampled"),
                    "report this as a bug",
                )
            })
        };
        let mut sources = Sources { quantities: Vec::new(), fibres: Vec::new(), noise: None };
        for (_, ours) in quantities(chains) {
            sources.quantities.push(named(ours)?);
        }
        if chains.is_rician {
            sources.noise = Some(named("sigma")?);
        }
        for [part, orientation] in &model.fibres {
            sources.fibres.push([named(part)?, named(orientation)?]);
        }
        let layout = Layout::new(chains);
        // The values in FSL's form replace the samples of the model in memory, because both have the same
        // size.
        let (voxels, values) =
            drawn.into_numbers(layout.of_voxel(), |rows, out| fill(out, &layout, &sources, rows, &axes));
        Ok((Self { layout, voxels, values }, example))
    }

    /// Returns the values of a voxel.
    fn voxel(&self, place: usize) -> &[f32] {
        &self.values[place * self.layout.of_voxel()..][..self.layout.of_voxel()]
    }

    fn volume(&self, grid: &Grid, channels: usize, value: impl Fn(&[f32], &mut [f32])) -> Volume<f32> {
        let mut volume = Volume::filled(*grid, channels, 0.0);
        for (place, &voxel) in self.voxels.iter().enumerate() {
            value(self.voxel(place), volume.voxel_mut(voxel));
        }
        volume
    }

    /// For a range of voxels that begins at `first`, writes one sample of one parameter to `out`. `place` is
    /// the position of the parameter in a sample, and `sample` the index of the sample.
    pub(super) fn sample_in(&self, place: usize, sample: usize, first: usize, out: &mut [f32]) {
        let (numbers, of_voxel) = (self.layout.numbers(), self.layout.of_voxel());
        out.fill(0.0);
        let begin = self.voxels.partition_point(|&voxel| voxel < first);
        for (n, &voxel) in self.voxels.iter().enumerate().skip(begin) {
            let Some(out) = out.get_mut(voxel - first) else { break };
            *out = self.values[n * of_voxel + sample * numbers + place];
        }
    }

    fn mean_in(&self, of_voxel: &[f32], place: usize) -> f64 {
        let values = of_voxel.iter().skip(place).step_by(self.layout.numbers()).take(self.layout.samples);
        values.map(|value| f64::from(*value)).sum::<f64>() / self.layout.samples as f64
    }

    /// Returns a map of the mean of a parameter over all samples. `place` is the position of the parameter in
    /// a sample.
    pub(super) fn mean(&self, grid: &Grid, place: usize) -> Volume<f32> {
        self.volume(grid, 1, |of_voxel, out| out[0] = self.mean_in(of_voxel, place) as f32)
    }

    /// Returns a map of the sum of the mean volume fractions of all fibres.
    pub(super) fn mean_of_all_fibres(&self, grid: &Grid) -> Volume<f32> {
        let places: Vec<usize> =
            (0..self.layout.fibres).map(|fibre| self.layout.of_fibre(fibre, 0)).collect();
        self.volume(grid, 1, |of_voxel, out| {
            out[0] = places.iter().map(|&place| self.mean_in(of_voxel, place)).sum::<f64>() as f32;
        })
    }

    fn dyad<'a>(&self, of_voxel: &'a [f32], fibre: usize) -> &'a [f32] {
        &of_voxel[self.layout.numbers() * self.layout.samples + OF_DYAD * fibre..][..OF_DYAD]
    }

    /// Returns a map of the principal direction of a fibre, multiplied by a factor. `factor` computes it from
    /// the mean volume fraction of this fibre and the mean volume fraction of the first fibre.
    pub(super) fn dyads(&self, grid: &Grid, fibre: usize, factor: impl Fn(f64, f64) -> f64) -> Volume<f32> {
        self.volume(grid, 3, |of_voxel, out| {
            let [first, own] = [0, fibre].map(|fibre| self.mean_in(of_voxel, self.layout.of_fibre(fibre, 0)));
            let factor = factor(own, first);
            for (out, component) in out.iter_mut().zip(self.dyad(of_voxel, fibre)) {
                *out = (f64::from(*component) * factor) as f32;
            }
        })
    }

    /// Returns a map of the dispersion of a fibre. The dispersion is 1 minus the largest eigenvalue of the
    /// mean of v vᵀ over the sampled directions v.
    pub(super) fn dispersion(&self, grid: &Grid, fibre: usize) -> Volume<f32> {
        self.volume(grid, 1, |of_voxel, out| out[0] = self.dyad(of_voxel, fibre)[3])
    }
}

/// Computes the values of a voxel in FSL's form. Each of `rows` is one sample of the model parameters.
fn fill(out: &mut [f32], layout: &Layout, sources: &Sources<'_>, rows: &[&[f32]], axes: &VoxelAxes) {
    let (of_samples, of_dyads) = out.split_at_mut(layout.numbers() * layout.samples);
    for (out, row) in of_samples.chunks_exact_mut(layout.numbers()).zip(rows) {
        let quantities = sources.quantities.iter().map(|source| source.of(row)[0]);
        let tau = sources.noise.map(|source| f64::from(source.of(row)[0]).powi(-2) as f32);
        out.iter_mut().zip(quantities.chain(tau)).for_each(|(out, value)| *out = value);
    }
    for (fibre, [part, orientation]) in sources.fibres.iter().enumerate() {
        let directions = rows.iter().map(|row| {
            let numbers = orientation.of(row);
            axes.of([0, 1, 2].map(|n| f64::from(numbers[n])))
        });
        let directions: Vec<[f64; 3]> = directions.collect();
        let (dyad, dispersion) = principal(&directions);
        for (sample, (row, direction)) in rows.iter().zip(&directions).enumerate() {
            let [theta, phi] = angles_near(*direction, dyad);
            let first = sample * layout.numbers() + layout.of_fibre(fibre, 0);
            of_samples[first..first + OF_FIBRE].copy_from_slice(&[part.of(row)[0], theta as f32, phi as f32]);
        }
        let [x, y, z] = dyad.map(|component| component as f32);
        of_dyads[OF_DYAD * fibre..][..OF_DYAD].copy_from_slice(&[x, y, z, dispersion as f32]);
    }
}

/// Returns the first eigenvector of the mean of v vᵀ over the directions v, and 1 minus its eigenvalue.
pub(super) fn principal(directions: &[[f64; 3]]) -> ([f64; 3], f64) {
    let mut sums = [0.0; 6];
    for [x, y, z] in directions {
        for (sum, product) in sums.iter_mut().zip([x * x, y * y, z * z, x * y, x * z, y * z]) {
            *sum += product;
        }
    }
    let count = directions.len().max(1) as f64;
    let system = Deviator::of(sums.map(|sum| sum / count)).eigensystem();
    (upwards(system.vectors[0]), 1.0 - system.values[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_a_principal_axis_and_a_dispersion() {
        let (axis, dispersion) = principal(&[[0.6, 0.0, 0.8], [-0.6, 0.0, -0.8]]);
        assert!((axis[0] - 0.6).abs() < 1e-12 && (axis[2] - 0.8).abs() < 1e-12, "{axis:?}");
        assert!(dispersion.abs() < 1e-12);
        let (_, dispersion) = principal(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert!((dispersion - 2.0 / 3.0).abs() < 1e-12);
    }
}
