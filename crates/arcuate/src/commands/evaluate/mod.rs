//! Which streamlines the measured signal supports.

pub(crate) mod commit;
pub(crate) mod life;

use crate::context::Context;
use arcuate_core::Result;
use clap::{Args, Subcommand, ValueEnum};

/// Find which streamlines the measured signal supports
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(subcommand)]
    method: EvaluateMethod,
}

#[derive(Debug, Subcommand)]
enum EvaluateMethod {
    Life(Box<life::EvaluateLife>),
    Commit(Box<commit::EvaluateCommit>),
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Precision {
    Single,
    Double,
}

impl Evaluate {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        match &self.method {
            EvaluateMethod::Life(command) => command.run(context),
            EvaluateMethod::Commit(command) => command.run(context),
        }
    }
}

/// Mean of the values that are numbers.
fn mean(values: &[f32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for value in values.iter().filter(|v| v.is_finite()) {
        sum += f64::from(*value);
        count += 1;
    }
    sum / count.max(1) as f64
}
