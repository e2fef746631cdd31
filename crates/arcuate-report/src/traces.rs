use crate::axis::{Axis, range};
use crate::colours::{line_colour, line_key};
use crate::human;
use crate::plot::Plot;
use crate::plot_width::PlotWidth;

/// A figure with trace plots of Markov chain samples. There is one plot per parameter, with one line per
/// chain, in the order of sampling.
#[derive(Debug, Clone, Default)]
pub struct TraceFigure {
    /// The title of the figure, such as the indices of the voxel.
    pub title: String,
    /// The caption of the figure. It may be empty.
    pub caption: String,
    /// The plots, with one parameter each.
    pub plots: Vec<TracePlot>,
}

/// One parameter of a [`TraceFigure`].
#[derive(Debug, Clone, Default)]
pub struct TracePlot {
    /// The name of the sampled parameter with its unit. It is the label of the vertical axis.
    pub name: String,
    /// A summary of the parameter's samples. It may be empty.
    pub note: String,
    /// The samples of the parameter in each chain. A value that is not finite leaves a gap in the chain's
    /// line.
    pub chains: Vec<Vec<f64>>,
}

impl TraceFigure {
    /// Draws a plot for each parameter that has values. If there are several chains, it also draws their
    /// colour key.
    pub(crate) fn draw(&self, plot_width: PlotWidth) -> Vec<String> {
        let plots: Vec<String> = self.plots.iter().filter_map(|plot| plot.draw(plot_width)).collect();
        let chains = self.plots.iter().map(|plot| plot.chains.len()).max().unwrap_or(0);
        let names: Vec<String> = (1..=chains).map(|n| format!("chain {n}")).collect();
        let key = (chains > 1 && !plots.is_empty()).then(|| line_key(plot_width, &names));
        key.into_iter().chain(plots).collect()
    }
}

impl TracePlot {
    fn draw(&self, plot_width: PlotWidth) -> Option<String> {
        let values = || self.chains.iter().flatten().copied();
        let (low, high) = range(values())?;
        let longest = self.chains.iter().map(Vec::len).max()?;
        // The axis begins below the lowest value, so that a chain that stays at this value is visible.
        let above = 0.04 * (high - low);
        let axes = (Axis::exactly(1.0, longest as f64), Axis::exactly(low - above, high + above));
        let below = if self.note.is_empty() { "sample".into() } else { format!("sample ({})", self.note) };
        let description = format!(
            "{} in {} of {longest} samples: {} to {}. {}",
            self.name,
            if self.chains.len() == 1 { "a chain".into() } else { format!("{} chains", self.chains.len()) },
            human::number(low, 4),
            human::number(high, 4),
            self.note
        );
        let labels = [below.as_str(), self.name.as_str()];
        let mut plot = Plot::new(plot_width, 150.0, axes, labels, description.trim(), 0.0);
        for (n, chain) in self.chains.iter().enumerate() {
            plot.svg.begin_colour(&line_colour(n, self.chains.len()));
            for run in runs(chain, pieces(plot_width)) {
                let line: Vec<(f64, f64)> = run.iter().map(|(x, y)| (plot.x(*x), plot.y(*y))).collect();
                match line[..] {
                    [(x, y)] => plot.svg.dot("measured", x, y, 2.5),
                    _ => plot.svg.polyline("trace", &line),
                }
            }
            plot.svg.end_colour();
        }
        Some(plot.svg.finish())
    }
}

/// Returns the number of pieces into which the line of a chain is divided. If a chain has more than twice as
/// many samples, only the lowest and the highest sample of each piece are drawn.
fn pieces(plot_width: PlotWidth) -> usize {
    plot_width.points() / 2
}

/// Returns the points of the lines of a chain, in which the first sample has the number 1. A value that is
/// not finite ends a line, and the next line begins after it. If a chain has many samples, only the lowest
/// and the highest of each of `pieces` pieces are kept, in their order.
fn runs(values: &[f64], pieces: usize) -> Vec<Vec<(f64, f64)>> {
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(n, y)| ((n + 1) as f64, *y)).collect();
    let width = values.len().div_ceil(pieces);
    let kept = |run: &[(f64, f64)]| -> Vec<(f64, f64)> {
        if width > 2 { run.chunks(width).flat_map(extremes).collect() } else { run.to_vec() }
    };
    let runs = points.chunk_by(|a, b| a.1.is_finite() == b.1.is_finite());
    runs.filter(|run| run[0].1.is_finite()).map(kept).collect()
}

/// Returns the point with the lowest value and the point with the highest value, in their order along the
/// line.
fn extremes(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let ends = [points.iter().min_by(by_height), points.iter().max_by(by_height)];
    let mut ends: Vec<(f64, f64)> = ends.into_iter().flatten().copied().collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    ends.dedup();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(chains: Vec<Vec<f64>>) -> TraceFigure {
        let note = "R̂ 1.01".to_owned();
        TraceFigure {
            plots: vec![TracePlot { name: "d, mm²/s".into(), note, chains }],
            ..TraceFigure::default()
        }
    }

    #[test]
    fn each_chain_is_a_line_with_its_own_colour() {
        let drawn = figure(vec![vec![1.0, 3.0, 2.0], vec![2.0, 2.5, 4.0]]).draw(PlotWidth::Wide);
        assert_eq!(drawn.len(), 2);
        assert!(drawn[0].contains("chain 1") && drawn[0].contains("chain 2"));
        assert_eq!(drawn[1].matches("<polyline class=\"trace\"").count(), 2);
        let colours: Vec<&str> =
            drawn[1].split("<g color=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(colours.len() == 2 && colours[0] != colours[1]);
        assert!(
            drawn[1].contains("sample (R̂ 1.01)")
                && drawn[1].contains("d, mm²/s in 2 chains of 3 samples: 1 to 4.")
        );
        // The highest value of the first chain is in the middle of the chain, and exceeds both neighbouring
        // values.
        let line = drawn[1].split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let points: Vec<Vec<f64>> =
            line.split(' ').map(|pair| pair.split(',').map(|n| n.parse().unwrap()).collect()).collect();
        assert!((points[1][0] - f64::midpoint(points[0][0], points[2][0])).abs() < 0.02);
        assert!(points[1][1] < points[2][1] && points[2][1] < points[0][1]);
        assert_eq!(figure(vec![vec![1.0, 3.0]]).draw(PlotWidth::Wide).len(), 1, "one chain needs no key");
    }

    #[test]
    fn missing_samples_are_gaps_and_empty_traces_give_no_plot() {
        let drawn =
            figure(vec![vec![1.0, 2.0, f64::NAN, 2.0, f64::INFINITY, 1.0, 3.0]]).draw(PlotWidth::Wide);
        assert_eq!((drawn[0].matches("<polyline").count(), drawn[0].matches("<circle").count()), (2, 1));
        assert!(!drawn[0].contains("NaN"));
        assert!(
            figure(vec![]).draw(PlotWidth::Wide).is_empty()
                && figure(vec![vec![f64::NAN]]).draw(PlotWidth::Wide).is_empty()
        );
        assert_eq!(figure(vec![vec![5.0; 10]]).draw(PlotWidth::Wide).len(), 1, "what never moves has a line");
    }

    #[test]
    fn long_chains_keep_their_extremes() {
        let mut chain: Vec<f64> = (0..100_000).map(|n| f64::from(n % 7)).collect();
        chain[54_321] = 60.0;
        chain[54_322] = -60.0;
        let all = runs(&chain, 600);
        assert!(all.len() == 1 && all[0].len() <= 1200 && all[0].is_sorted_by(|a, b| a.0 < b.0));
        assert!(all[0].contains(&(54_322.0, 60.0)) && all[0].contains(&(54_323.0, -60.0)));
    }
}
