//! A COMMIT problem for tests. It is small enough that its operator can be written as a full matrix.

use super::{Axes, AxialResponse, CommitProblem, Data, DataOptions, Responses, Samples, Segment, Segments};
use arcuate_core::{Affine, GradientTable, Grid, Orientations, Result, Volume};
use arcuate_solve::{Dense, LinearOperator};
use std::sync::Arc;

/// Computes the full matrix of the problem's operator, as defined by the equation of the `commit` module.
pub(super) fn dense(
    segments: &Arc<Segments>,
    axes: &Axes,
    responses: &Responses,
    scale: Option<&[f64]>,
) -> Dense<f64> {
    let (streamlines, samples) = (segments.streamlines(), responses.samples());
    let first_axis = streamlines * responses.intra();
    let first_voxel = first_axis + axes.len() * responses.extra();
    let columns = first_voxel + segments.voxels().len() * responses.isotropic();
    let mut values = vec![0.0; segments.voxels().len() * samples * columns];
    let mut axis = 0;
    for v in 0..segments.voxels().len() {
        let scale = scale.map_or(1.0, |scale| scale[v]);
        let mut add = |column: usize, factor: f64, signal: Vec<f64>| {
            for (g, s) in signal.into_iter().enumerate() {
                values[(v * samples + g) * columns + column] += scale * factor * s;
            }
        };
        for segment in segments.of_voxel(v) {
            let length = segment.length();
            let direction = segment.piece.map(|c| f64::from(c) / length);
            for (j, response) in responses.intra.iter().enumerate() {
                let column = segment.streamline as usize * responses.intra() + j;
                add(column, length, responses.signal(response, direction));
            }
        }
        for direction in axes.of_voxel(v) {
            for (j, response) in responses.extra.iter().enumerate() {
                let column = first_axis + axis * responses.extra() + j;
                add(column, 1.0, responses.signal(response, direction.map(f64::from)));
            }
            axis += 1;
        }
        for (j, response) in responses.isotropic.iter().enumerate() {
            add(first_voxel + v * responses.isotropic() + j, 1.0, responses.isotropic_signal(response));
        }
    }
    Dense::new(columns, values)
}

/// A COMMIT problem with two voxels and two shells. Streamline 0 passes through both voxels along x, and
/// streamline 1 passes through the first voxel along y. Each voxel has one axis of an extra-axonal
/// compartment.
pub(super) struct Small {
    pub(super) gradients: GradientTable,
    pub(super) segments: Arc<Segments>,
    pub(super) axes: Axes,
}

impl Small {
    pub(super) fn new() -> Self {
        let mut directions = vec![[0.0; 3]; 2];
        let mut b = vec![0.0; 2];
        for weight in [1000.0, 2500.0] {
            directions.extend(Orientations::half_sphere(14).directions());
            b.extend([weight; 14]);
        }
        let grid = Grid::new([3, 1, 1], Affine::identity()).unwrap();
        let piece = |piece, streamline| Segment { piece, streamline };
        let pieces = vec![piece([1.0, 0.0, 0.0], 0), piece([0.0, 0.5, 0.0], 1), piece([0.5, 0.0, 0.5], 0)];
        Self {
            gradients: GradientTable::new(&directions, b, 50.0).unwrap(),
            segments: Segments::new(grid, 3, vec![0, 2], vec![0, 2, 3], pieces).unwrap().into(),
            axes: Axes::new(vec![0, 1, 2], vec![[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]]).unwrap(),
        }
    }

    pub(super) fn shells(&self) -> Vec<usize> {
        self.gradients.b_values().iter().map(|&b| usize::from(b > 0.0) + usize::from(b > 2e3)).collect()
    }

    pub(super) fn samples(&self) -> Samples {
        Samples::of_series(&self.gradients, &self.shells(), true).unwrap()
    }

    /// Returns the signals of a stick and a zeppelin, each with a parallel diffusivity of 1.7 µm²/ms, and of
    /// two balls.
    pub(super) fn responses(&self, demean: bool) -> Responses {
        let samples = self.samples();
        let b = [0.0f64, 1.0, 2.5];
        let tensor = |radial: f64| -> AxialResponse {
            Box::new(move |shell, cosine| (-b[shell] * (radial + (1.7 - radial) * cosine * cosine)).exp())
        };
        let ball = |d: f64| b.iter().map(|b| (-b * d).exp()).collect();
        Responses::new(
            samples.directions().to_vec(),
            samples.shells().to_vec(),
            vec![tensor(0.0)],
            vec![tensor(0.5)],
            vec![ball(1.7), ball(3.0)],
            demean,
        )
        .unwrap()
    }

    /// The true amounts of three streamlines, of two axes, and of two balls in each of two voxels. The third
    /// streamline passes through no voxel.
    const TRUTH: [f64; 9] = [0.4, 0.3, 0.0, 0.3, 0.2, 0.15, 0.0, 0.0, 0.25];

    /// Returns the signal that results from the true amounts. The b = 0 signals of the two voxels are 200
    /// and 50.
    pub(super) fn series(&self) -> Volume<f32> {
        let samples = self.samples();
        let a = dense(&self.segments, &self.axes, &self.responses(false), None);
        let mut y = vec![0.0; a.rows()];
        a.forward(&Self::TRUTH, &mut y);
        let mut series = Volume::filled(*self.segments.grid(), self.gradients.len(), 0.0);
        for (n, &voxel) in self.segments.voxels().iter().enumerate() {
            let y = &y[n * samples.len()..(n + 1) * samples.len()];
            let unit = [200.0, 50.0][n] / y[0];
            let signal = series.voxel_mut(voxel as usize);
            signal[..2].fill((unit * y[0]) as f32);
            for (s, y) in signal[2..].iter_mut().zip(&y[1..]) {
                *s = (unit * y) as f32;
            }
        }
        series
    }

    pub(super) fn problem(
        &self,
        series: &Volume<f32>,
        options: &DataOptions,
        confidence: Option<&Volume<f32>>,
        normalise: bool,
    ) -> Result<CommitProblem<f64, Dense<f64>>> {
        let samples = self.samples();
        CommitProblem::assemble(
            &Data::new(series, &samples, options.clone())?,
            self.segments.clone(),
            self.axes.clone(),
            self.responses(options.demean),
            confidence,
            normalise,
            |s, a, r, scale| Ok(dense(s, a, r, scale)),
        )
    }
}
