//! Formulas as the user writes them, in a model file or in Rust.

use super::source::Place;
use super::unit::Unit;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// A formula. Cloning a formula is cheap. If several formulas share a subexpression, it is computed once.
///
/// In Rust, formulas are built from [`name`](Self::name)s, numbers and operators, as in a model file:
///
/// ```
/// use arcuate_model::language::Expression;
///
/// let [b, d] = ["b", "d"].map(Expression::name);
/// let signal = Expression::name("s0") * (-b * d).call("exp");
/// ```
#[derive(Debug, Clone)]
pub struct Expression(Arc<Term>);

#[derive(Debug)]
pub(super) struct Term {
    pub(super) kind: Kind,
    pub(super) place: Place,
}

/// The operands of a term are dropped in a loop instead of by recursion. A sum of ten thousand terms is a
/// tree with a depth of ten thousand, and recursion would need a very large stack.
impl Drop for Term {
    fn drop(&mut self) {
        let mut waiting = self.kind.take_operands();
        while let Some(Expression(of)) = waiting.pop() {
            if let Some(mut term) = Arc::into_inner(of) {
                waiting.append(&mut term.kind.take_operands());
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Number(f64),
    Quantity(f64, Unit),
    Name(String),
    Negative(Expression),
    Sum(Expression, Expression),
    Difference(Expression, Expression),
    Product(Expression, Expression),
    Quotient(Expression, Expression),
    Power(Expression, Expression),
    Call(String, Vec<Expression>),
    Component(Expression, usize),
    /// The condition `a < b` in the formula `where(a < b, …)`.
    Less(Expression, Expression),
}

impl Kind {
    /// Returns the operands of the term in the order in which the formula has them.
    pub(super) fn operands(&self) -> impl DoubleEndedIterator<Item = &Expression> {
        let (two, more) = match self {
            Self::Number(_) | Self::Quantity(..) | Self::Name(_) => ([None, None], &[][..]),
            Self::Negative(x) | Self::Component(x, _) => ([Some(x), None], &[][..]),
            Self::Sum(a, b)
            | Self::Difference(a, b)
            | Self::Product(a, b)
            | Self::Quotient(a, b)
            | Self::Power(a, b)
            | Self::Less(a, b) => ([Some(a), Some(b)], &[][..]),
            Self::Call(_, arguments) => ([None, None], &arguments[..]),
        };
        two.into_iter().flatten().chain(more)
    }

    /// Removes the operands from the term, and returns them.
    fn take_operands(&mut self) -> Vec<Expression> {
        match std::mem::replace(self, Self::Number(0.0)) {
            Self::Number(_) | Self::Quantity(..) | Self::Name(_) => Vec::new(),
            Self::Negative(x) | Self::Component(x, _) => vec![x],
            Self::Sum(a, b)
            | Self::Difference(a, b)
            | Self::Product(a, b)
            | Self::Quotient(a, b)
            | Self::Power(a, b)
            | Self::Less(a, b) => vec![a, b],
            Self::Call(_, arguments) => arguments,
        }
    }
}

impl Expression {
    pub(super) fn at(kind: Kind, place: Place) -> Self {
        Self(Arc::new(Term { kind, place }))
    }

    pub(super) fn term(&self) -> &Term {
        &self.0
    }

    /// Returns a key that identifies the formula: the memory address of its outermost term.
    pub(super) fn key(&self) -> *const Term {
        Arc::as_ptr(&self.0)
    }

    /// Creates a formula that consists of a single name. The name is that of a parameter, a number of the
    /// measurement or of the voxel, or a constant.
    pub fn name(name: &str) -> Self {
        Self::at(Kind::Name(name.to_owned()), None)
    }

    /// Creates a formula that consists of a number with a unit. Returns `None` if the unit is unknown.
    pub fn quantity(value: f64, unit: &str) -> Option<Self> {
        Some(Self::at(Kind::Quantity(value, Unit::parse(unit)?), None))
    }

    /// Applies a function of one argument, such as `exp` or `sqrt`, to the formula.
    #[must_use]
    pub fn call(self, function: &str) -> Self {
        Self::function(function, [self])
    }

    /// Applies a function of several arguments.
    pub fn function(function: &str, of: impl IntoIterator<Item = Self>) -> Self {
        Self::at(Kind::Call(function.to_owned(), of.into_iter().collect()), None)
    }

    /// Returns the formula raised to a power.
    #[must_use]
    pub fn to_the(self, power: f64) -> Self {
        Self::at(Kind::Power(self, power.into()), None)
    }
}

impl From<f64> for Expression {
    fn from(value: f64) -> Self {
        Self::at(Kind::Number(value), None)
    }
}

impl Neg for Expression {
    type Output = Self;

    fn neg(self) -> Self {
        Self::at(Kind::Negative(self), None)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $kind:ident,)*) => {$(
        impl<E: Into<Expression>> $trait<E> for Expression {
            type Output = Self;

            fn $method(self, other: E) -> Self {
                Self::at(Kind::$kind(self, other.into()), None)
            }
        }

        impl $trait<Expression> for f64 {
            type Output = Expression;

            fn $method(self, other: Expression) -> Expression {
                Expression::at(Kind::$kind(self.into(), other), None)
            }
        }
    )*};
}
operators! {
    Add add Sum,
    Sub sub Difference,
    Mul mul Product,
    Div div Quotient,
}
