//! The language of signal models: models from text files, and models in Rust.
//!
//! ```
//! use arcuate::model::language::{Expression, Model, Parameter, SignalModel, Unit};
//!
//! /// A mono-exponential decay: the apparent diffusion coefficient.
//! struct Decay;
//!
//! impl SignalModel for Decay {
//!     fn name(&self) -> &str {
//!         "decay"
//!     }
//!
//!     fn parameters(&self) -> Vec<Parameter> {
//!         let diffusivity = Unit::parse("mm²/s").expect("a unit");
//!         vec![
//!             Parameter::signal("s0"),
//!             Parameter::number("adc", diffusivity).with_bounds(0.0, 5e-3).with_grid(&[0.3e-3, 1e-3, 3e-3]),
//!         ]
//!     }
//!
//!     fn signal(&self) -> Expression {
//!         let [s0, b, adc] = ["s0", "b", "adc"].map(Expression::name);
//!         s0 * (-b * adc).call("exp")
//!     }
//! }
//!
//! let model = Model::of(&Decay)?;
//! assert_eq!(model.parameters().len(), 2);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_model::language::{
    Constraint, Dimension, Expression, Form, Known, Method, Model, OtherNames, Output, Parameter, Prior,
    Range, SignalModel, SignalStatistic, Start, TensorPart, Unit,
};
