//! Nodes of a program (graph of operations): constants, inputs, and functions of other nodes.

use super::id::Id;

/// A node of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A constant number in double precision, stored as its bits.
    Constant(u64),
    /// A value from outside the program.
    Input(Input),
    /// A function of one other node's value.
    Unary(Unary, Id),
    /// A function of two arguments. The arguments are the values of two other nodes.
    Binary(Binary, Id, Id),
    /// A function of three arguments. The arguments are the values of three other nodes.
    Ternary(Ternary, [Id; 3]),
    /// A coefficient of even degree of an axially symmetric function on the sphere. The function depends on
    /// one value, such as a concentration.
    Moment(Moments, u16, Id),
    /// The mean of exp(−x cos²γ) over a Watson distribution of the stick's orientation, or a derivative of
    /// this mean. γ is the angle between stick and gradient. The operands are x, the concentration κ, and the
    /// cosine of the angle between the gradient and the mean orientation.
    Dispersed(Dispersed, [Id; 3]),
    /// A coefficient of even degree and even order of the Bingham distribution, which depends on two
    /// concentrations.
    Harmonic {
        /// The degree l of the coefficient. The coefficient belongs to a polynomial of this degree in cos θ.
        degree: u16,
        /// The order m of the coefficient. The coefficient belongs to the function cos mφ.
        order: u16,
        /// The two concentrations of the Bingham distribution: first the one across the fan, then the one
        /// along the fan.
        concentrations: [Id; 2],
    },
    /// The mean of exp(−x cos²γ) over a Bingham distribution of the stick's orientation, or a derivative of
    /// this mean. γ is the angle between stick and gradient. The operands are x, the concentrations κ₁ and
    /// κ₂, and two cosines. The first cosine is of the angle between gradient and mean orientation, and the
    /// second is of the angle between gradient and fan's axis.
    Fanned(Fanned, [Id; 5]),
}

/// The source of an input's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Input {
    /// A fitted value with this index.
    Parameter(u16),
    /// A value that is the same for all voxels and measurements, and known before a fit. The number is the
    /// index of the value.
    Setting(u16),
    /// A number of the measurement, such as b, given by its index.
    Measurement(u16),
    /// A known value of the voxel, which is not fitted, given by its index.
    Map(u16),
    /// One component of one of two unit vectors that are perpendicular to a fitted orientation.
    Across {
        /// Index of the orientation among the fitted orientations.
        orientation: u16,
        /// The index of the perpendicular vector: 0 for the first one, 1 for the second one.
        vector: u8,
        /// The axis of the vector's component: 0 for x, 1 for y, 2 for z.
        axis: u8,
    },
}

macro_rules! operations {
    (
        operators { $(unary $of_one:ident::$one:ident;)* $(binary $of_two:ident::$two:ident;)* }
        functions {
            $($file:ident::$row:ident $(, unary $unary:ident)? $(, binary $binary:ident)?;)*
        }
    ) => {
        /// Functions of one value. The files of `functions/` define them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Unary {
            $($one,)*
            $($($unary,)?)*
        }

        /// Functions of two values. The files of `functions/` define them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Binary {
            $($two,)*
            $($($binary,)?)*
        }
    };
}
functions!(operations);

/// Functions of three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Ternary {
    /// If a is not 0, the value is b. If a is 0, the value is c.
    Choose,
    /// The value a b + c, computed with a single rounding.
    Fma,
    /// The value a b − c, computed with a single rounding.
    Fms,
    /// The value c − a b, computed with a single rounding.
    Fnma,
}

/// Axially symmetric functions on the sphere. Each function has one coefficient for each even degree l.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Moments {
    /// Watson's distribution W ∝ exp(κ cos²θ) with ∫ W = 1. Its coefficient of degree l is ∫ W P_l, with the
    /// Legendre polynomial P_l.
    Watson,
    /// The signal of a stick, as a Legendre series. The coefficient of degree l is (2 l + 1)/2 ∫ exp(−x t²)
    /// P_l(t) dt from −1 to 1.
    Stick,
}

/// The mean of exp(−x cos²γ) over Watson's distribution of a stick's orientation, and the derivatives of this
/// mean. γ is the angle between stick and gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dispersed {
    /// The mean, not a derivative.
    Value,
    /// The derivative of the mean by x.
    ByX,
    /// The derivative of the mean by κ.
    ByConcentration,
    /// The derivative of the mean with respect to the cosine of the angle between gradient and mean
    /// orientation.
    ByCosine,
}

/// The mean of exp(−x cos²γ) over Bingham's distribution of a stick's orientation, and the derivatives of
/// this mean. γ is the angle between stick and gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fanned {
    /// The mean, not a derivative.
    Value,
    /// The derivative of the mean by x.
    ByX,
    /// The derivative of the mean by κ₁.
    ByFirst,
    /// The derivative of the mean by κ₂.
    BySecond,
    /// The derivative of the mean with respect to the cosine of the angle between gradient and mean
    /// orientation.
    ByCosine,
    /// The derivative of the mean with respect to the cosine of the angle between the gradient and the axis
    /// of the fan.
    ByFanCosine,
}

impl Node {
    /// Returns the operands of the node.
    pub(crate) fn operands(self) -> impl Iterator<Item = Id> {
        let (count, all) = match self {
            Self::Constant(_) | Self::Input(_) => (0, [Id::default(); 5]),
            Self::Unary(_, x) | Self::Moment(_, _, x) => (1, [x; 5]),
            Self::Binary(_, a, b) | Self::Harmonic { concentrations: [a, b], .. } => (2, [a, b, b, b, b]),
            Self::Ternary(_, [a, b, c]) | Self::Dispersed(_, [a, b, c]) => (3, [a, b, c, c, c]),
            Self::Fanned(_, all) => (5, all),
        };
        all.into_iter().take(count)
    }

    /// Returns a node with the same operation and other operands. `other` returns the new operand for each
    /// operand.
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
