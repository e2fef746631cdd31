//! Benchmarks of reconstruction from non-Cartesian k-space data.

mod figure;
mod kirk;
mod ladder;
mod large;
mod on_gpu;

pub(crate) use figure::run as run_figure;
pub(crate) use kirk::run as run_kirk;
pub(crate) use ladder::run as run_ladder;
pub(crate) use large::run as run_large;
