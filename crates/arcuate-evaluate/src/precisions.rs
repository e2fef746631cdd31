//! Macro that compiles the linear operators of this crate for single and double precision.

/// Implements the precision trait of an operator for `f32` and `f64`. The operator has its CPU arrays in the
/// field `arrays`, and its copy on devices in the field `placed`. With the argument `local_unknowns`, it also
/// implements the function of this name. Without the macro, every crate that uses
/// the operator would compile generic code again, which takes long.
macro_rules! compiled_in_both_precisions {
    ($trait:ident for $operator:ident placed with $options:ty $(, $local:ident)?) => {
        compiled_in_both_precisions!(f32: $trait for $operator placed with $options $(, $local)?);
        compiled_in_both_precisions!(f64: $trait for $operator placed with $options $(, $local)?);
    };
    ($precision:ty: $trait:ident for $operator:ident placed with $options:ty $(, $local:ident)?) => {
        impl $trait for $precision {
            fn place(
                operator: &mut $operator<Self>,
                device: &arcuate_compute::Device,
                options: $options,
            ) -> arcuate_core::Result<()> {
                operator.placed = arcuate_solve::Placed::place(&operator.arrays, device, options)?;
                Ok(())
            }

            fn forward(operator: &$operator<Self>, unknowns: &[Self], data: &mut [Self]) {
                if !operator.placed.forward(unknowns, data) {
                    cpu::forward(&operator.arrays, unknowns, data);
                }
            }

            fn adjoint(operator: &$operator<Self>, data: &[Self], unknowns: &mut [Self]) {
                if !operator.placed.adjoint(data, unknowns) {
                    cpu::adjoint(&operator.arrays, data, unknowns);
                }
            }

            fn on_gpus(
                operator: &$operator<Self>,
            ) -> Option<Box<dyn arcuate_solve::SplitOperator<Self> + '_>> {
                operator.placed.on_gpus()
            }

            $(fn $local(
                operator: &$operator<Self>,
            ) -> Option<Box<dyn arcuate_solve::LocalUnknowns<Self> + '_>> {
                cpu::$local(&operator.arrays)
            })?
        }
    };
}

pub(crate) use compiled_in_both_precisions;
