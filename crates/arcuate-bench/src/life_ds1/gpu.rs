//! Times the matrix products of LiFE on GPUs. Prints the times with their lower bounds, and the numerical
//! errors of the products.

use super::{Bench, Outcome, System, error};
use crate::gpu_products::{KINDS, milliseconds};
use arcuate_evaluate::Element;
use arcuate_solve::{LinearOperator, SolverOperator};

impl Bench<'_> {
    /// Prints the median time of each matrix product on the slowest GPU, and the numerical errors. The
    /// products for the errors take their data from host memory, those for the times from GPU memory.
    pub(super) fn products_on_gpus<T: Element>(
        &self,
        system: &System<T>,
        reference: &System<f64>,
        weights: &[f64],
    ) -> Outcome {
        let Some(operator) = system.operator.on_gpus() else {
            return Err("the operator did not go to the GPU".into());
        };
        let narrow: Vec<T> = weights.iter().map(|&w| T::of(w)).collect();
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.rows()], vec![0.0; reference.operator.rows()]);
        system.operator.forward(&narrow, &mut out);
        reference.operator.forward(weights, &mut expected);
        let forward = error(&out, &expected);
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.columns()], vec![0.0; reference.operator.columns()]);
        system.operator.adjoint(&system.data, &mut out);
        reference.operator.adjoint(&reference.data, &mut expected);
        let adjoint = error(&out, &expected);
        let gpus = operator.gpus().len() as f64;
        let apart = Self::floor(&self.rates, &system.operator) / gpus;
        // A combined product computes M w and then Mᵀ of the result. It reads the coefficients once, reads
        // and writes the data, and does the arithmetic of both products.
        let [bytes, _, operations] = Self::work(&system.operator);
        let width = size_of::<T>() as f64;
        let bytes = bytes + width * system.operator.rows() as f64;
        let operations = 2.0 * operations * width / 4.0;
        let together = (bytes / self.rates.copy).max(operations / self.rates.operations) / gpus;
        let times = milliseconds(&*operator, &narrow, &system.data)?;
        for ((what, unknowns, _, sums), slowest) in KINDS.into_iter().zip(times) {
            let floor = if unknowns && sums { together } else { apart };
            println!(
                "  {what:<34} {slowest:>8.3} ms, floor {:.3} ms, {:.2} × floor",
                1e3 * floor,
                1e-3 * slowest / floor
            );
        }
        println!("  errors: M w {forward:.1e}, Mᵀ y {adjoint:.1e}");
        Ok(())
    }
}
