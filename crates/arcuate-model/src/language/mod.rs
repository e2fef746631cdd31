//! The model language: a signal model as a small file, or in Rust.
//!
//! - [`Model`]: what a file declares, checked: names, units, divisors.
//! - [`Program`]: the model as a graph of operations, with its derivatives. What computes a program is elsewhere.
//!
//! The page “The model language” of the documentation says how files are written.

mod derivative;
mod expression;
mod file;
mod functions;
mod lowering;
mod model;
mod parser;
mod program;
mod range;
mod signal_model;
mod source;
mod unit;

pub use expression::Expression;
pub use functions::FUNCTIONS;
pub(crate) use lowering::{LinearConstraint, OWN_COLUMNS, OutputProgram};
pub use lowering::{MEASURED, ModelProgram, Role};
pub use model::{
    Constraint, Form, Known, Method, Model, OtherNames, Output, Parameter, Stage, Start, TensorPart,
};
pub use program::{Binary, Dispersed, Id, Input, Moments, Node, Program, Ternary, Unary};
pub use range::Range;
pub use signal_model::SignalModel;
pub(crate) use source::did_you_mean;
pub use unit::{Dimension, Unit};
