//! The operators that solvers accept.

use crate::algebra::{
    ComplexDiagonal, Composition, Diagonal, HorizontalStack, Identity, Scaled, Sum, Transposed,
    VerticalStack, WithoutColumns,
};
use crate::{Dense, DeviceNormal, LinearOperator, LocalUnknowns, Real, SplitOperator};

/// A linear operator that solvers accept. If the operator is on GPUs, a solver keeps its vectors there. An operator that is only on the CPU implements the trait without methods.
pub trait SolverOperator<T: Real>: LinearOperator<T> {
    /// Returns the operator with its data split between GPUs. Returns `None` if it is not on GPUs in this
    /// way.
    #[doc(hidden)]
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        None
    }

    /// Returns the operator as one whose local unknowns the CPU can eliminate. Returns `None` if the operator
    /// has no local unknowns.
    #[doc(hidden)]
    fn local_unknowns(&self) -> Option<Box<dyn LocalUnknowns<T> + '_>> {
        None
    }

    /// Returns the product with AᵀA on one GPU, with whole vectors. Returns `None` if the operator has no
    /// such product. The method of conjugate gradients needs only this product.
    #[doc(hidden)]
    fn device_normal(&self) -> Option<&dyn DeviceNormal<T>> {
        None
    }
}

/// References and boxes of operators are also operators.
macro_rules! forwarded {
    ($($pointer:ty),*) => {$(
        impl<T: Real, A: SolverOperator<T> + ?Sized> SolverOperator<T> for $pointer {
            fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
                (**self).on_gpus()
            }

            fn local_unknowns(&self) -> Option<Box<dyn LocalUnknowns<T> + '_>> {
                (**self).local_unknowns()
            }

            fn device_normal(&self) -> Option<&dyn DeviceNormal<T>> {
                (**self).device_normal()
            }
        }
    )*};
}
forwarded!(&A, Box<A>);

// These operators are on the CPU. The operators of which they consist may compute products on GPUs.
impl<T: Real> SolverOperator<T> for Dense<T> {}
impl<T: Real> SolverOperator<T> for Identity<T> {}
impl<T: Real> SolverOperator<T> for Diagonal<T> {}
impl<T: Real> SolverOperator<T> for ComplexDiagonal<T> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for Scaled<A> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for Transposed<A> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for Sum<T, A> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for VerticalStack<T, A> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for HorizontalStack<T, A> {}
impl<T: Real, A: LinearOperator<T>> SolverOperator<T> for WithoutColumns<T, A> {}
impl<T: Real, A: LinearOperator<T>, B: LinearOperator<T>> SolverOperator<T> for Composition<T, A, B> {}
