//! Nodes of a program: constants, inputs, and functions of other nodes.

use super::id::Id;

/// A node of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// The bits of a number in double precision.
    Constant(u64),
    /// A value from outside the program.
    Input(Input),
    /// A function of one value.
    Unary(Unary, Id),
    /// A function of two values.
    Binary(Binary, Id, Id),
    /// A function of three values.
    Ternary(Ternary, [Id; 3]),
    /// A coefficient of even degree of a function on the sphere. The function depends on one value.
    Moment(Moments, u16, Id),
    /// The mean of exp(−x cos²) over a Watson distribution, or a derivative of it. Arguments: x, the concentration κ
    /// and the cosine.
    Dispersed(Dispersed, [Id; 3]),
    /// The coefficient of even degree and even order of the Bingham distribution with two concentrations.
    Harmonic {
        /// The degree in cos θ.
        degree: u16,
        /// The order in φ.
        order: u16,
        /// The concentrations across the fan and along it.
        concentrations: [Id; 2],
    },
    /// The mean of exp(−x cos²) over a Bingham distribution, or a derivative of it. Arguments: x, the concentrations κ₁
    /// and κ₂, and the cosines to the mean orientation and to the fan's axis.
    Fanned(Fanned, [Id; 5]),
}

/// The origin of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Input {
    /// A fitted number.
    Parameter(u16),
    /// A number that is the same for all voxels and measurements, and known before a fit.
    Setting(u16),
    /// A number of a measurement.
    Measurement(u16),
    /// A number of a voxel that is not fitted.
    Map(u16),
    /// A component of one of two vectors perpendicular to a fitted orientation.
    Across {
        /// Index of the orientation.
        orientation: u16,
        /// 0 for the first vector, 1 for the second.
        vector: u8,
        /// Axis of the component: x, y or z.
        axis: u8,
    },
}

/// Functions of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// −x.
    Negative,
    /// √x.
    Root,
    /// eˣ.
    Exponential,
    /// ln x.
    Logarithm,
    /// |x|.
    Absolute,
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
    /// The angle between −π/2 and π/2 whose tangent is x.
    ArcTangent,
    /// The angle between 0 and π whose cosine is x.
    ArcCosine,
    /// The error function.
    Erf,
    /// Dawson's integral exp(−x²) ∫ exp(t²) dt from 0 to x.
    Dawson,
    /// exp(−|x|) I₀(x).
    BesselI0e,
    /// exp(−|x|) I₁(x).
    BesselI1e,
}

/// Functions of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a b.
    Multiply,
    /// a / b.
    Divide,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// 1 where a < b, else 0.
    Less,
    /// The angle of the point (b, a).
    ArcTangent2,
}

/// Functions of three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ternary {
    /// b where a is not 0, else c.
    Choose,
    /// a b + c, rounded once.
    Fma,
    /// a b − c, rounded once.
    Fms,
    /// c − a b, rounded once.
    Fnma,
}

/// Families of coefficients, each of even degree l.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moments {
    /// ∫ W P_l of Watson's distribution W ∝ exp(κ cos²) with ∫ W = 1.
    Watson,
    /// (2 l + 1)/2 ∫ exp(−x t²) P_l(t) dt from −1 to 1: a stick's signal as a Legendre series.
    Stick,
}

/// The mean of exp(−x cos²) over Watson's distribution, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dispersed {
    /// The mean itself.
    Value,
    /// Its derivative by x.
    ByX,
    /// Its derivative by κ.
    ByConcentration,
    /// Its derivative by the cosine of the angle between gradient and mean orientation.
    ByCosine,
}

/// The mean of exp(−x cos²) over Bingham's distribution, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fanned {
    /// The mean itself.
    Value,
    /// Its derivative by x.
    ByX,
    /// Its derivative by κ₁.
    ByFirst,
    /// Its derivative by κ₂.
    BySecond,
    /// Its derivative by the cosine of the angle between gradient and mean orientation.
    ByCosine,
    /// Its derivative by the cosine of the angle between gradient and the axis of the fan.
    ByFanCosine,
}

impl Node {
    /// Returns the operands of the node.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (count, all) = match self {
            Self::Constant(_) | Self::Input(_) => (0, [Id::default(); 5]),
            Self::Unary(_, x) | Self::Moment(_, _, x) => (1, [x; 5]),
            Self::Binary(_, a, b) | Self::Harmonic { concentrations: [a, b], .. } => (2, [a, b, b, b, b]),
            Self::Ternary(_, [a, b, c]) | Self::Dispersed(_, [a, b, c]) => (3, [a, b, c, c, c]),
            Self::Fanned(_, all) => (5, all),
        };
        all.into_iter().take(count)
    }

    /// Returns the same node with other operands.
    pub(crate) fn of(self, mut other: impl FnMut(Id) -> Id) -> Self {
        match self {
            Self::Constant(_) | Self::Input(_) => self,
            Self::Unary(function, x) => Self::Unary(function, other(x)),
            Self::Moment(family, degree, x) => Self::Moment(family, degree, other(x)),
            Self::Binary(function, a, b) => Self::Binary(function, other(a), other(b)),
            Self::Ternary(function, all) => Self::Ternary(function, all.map(other)),
            Self::Dispersed(part, all) => Self::Dispersed(part, all.map(other)),
            Self::Harmonic { degree, order, concentrations } => {
                Self::Harmonic { degree, order, concentrations: concentrations.map(other) }
            }
            Self::Fanned(part, all) => Self::Fanned(part, all.map(other)),
        }
    }
}
