//! The vectors of a solver in CPU memory.

use super::{Engine, Layout, Normal, Pass, Products, Vector};
use crate::vector::{self, Elements};
use crate::{GroupPenalty, LinearOperator, Real};
use std::convert::Infallible;
use std::mem::take;

/// The vectors of a solver in CPU memory, and the operators that compute its products.
pub(crate) struct CpuEngine<'a, T> {
    operator: &'a dyn LinearOperator<T>,
    given: &'a [T],
    /// Flags of the unknowns for which products with Aᵀ are set to 0.
    pub(crate) fixed: Option<&'a [bool]>,
    pub(crate) groups: Option<&'a GroupPenalty>,
    /// The operator W of the penalty ‖Wx‖². `None` if it is the identity.
    pub(crate) penalty: Option<&'a dyn LinearOperator<T>>,
    unknowns: Vec<Vec<T>>,
    data: Vec<Vec<T>>,
    product: Vec<T>,
    sums: Vec<f64>,
}

impl<'a, T: Real> CpuEngine<'a, T> {
    pub(crate) fn new(operator: &'a dyn LinearOperator<T>, given: &'a [T], layout: Layout) -> Self {
        let zeros = |length: usize| vec![T::zero(); length];
        Self {
            operator,
            given,
            fixed: None,
            groups: None,
            penalty: None,
            unknowns: (0..layout.unknowns).map(|_| zeros(operator.columns())).collect(),
            data: (0..layout.data).map(|_| zeros(operator.rows())).collect(),
            product: Vec::new(),
            sums: vec![0.0; layout.sums],
        }
    }

    fn values(&self, vector: Vector) -> &[T] {
        match vector {
            Vector::Unknowns(n) => &self.unknowns[n],
            Vector::Data(n) => &self.data[n],
            Vector::Given => self.given,
            Vector::Product => &self.product,
            Vector::Zero => &[],
        }
    }

    fn place(&mut self, vector: Vector) -> &mut Vec<T> {
        match vector {
            Vector::Unknowns(n) => &mut self.unknowns[n],
            Vector::Data(n) => &mut self.data[n],
            Vector::Product => &mut self.product,
            Vector::Given | Vector::Zero => unreachable!("{vector:?} does not change"),
        }
    }

    /// Changes a vector. `change` must not read this vector from the engine.
    fn change(&mut self, vector: Vector, change: impl FnOnce(&Self, &mut Vec<T>)) {
        let mut values = take(self.place(vector));
        change(self, &mut values);
        *self.place(vector) = values;
    }

    /// Adds the vector `image` (u) to `data`. Stores ‖u‖² and ‖data‖² after that from position `sums` on. The
    /// operators of GPUs do this in the kernels that compute u.
    fn add_image(&mut self, image: Vector, data: Vector, sums: usize) {
        let mut values = take(self.place(data));
        let totals = vector::pass(
            [&mut values],
            [self.values(image)],
            false,
            #[inline(always)]
            |[data], [u]| {
                let data = vector::rounded::<T>(data + u);
                ([data], [u * u, data * data])
            },
        );
        *self.place(data) = values;
        self.sums[sums..sums + 2].copy_from_slice(&totals);
    }
}

impl<T: Real> Engine<T> for CpuEngine<'_, T> {
    type Error = Infallible;

    fn pass<P, const W: usize, const R: usize, const K: usize, const S: usize>(
        &mut self,
        _: P,
        scalars: [f64; K],
        changed: [Vector; W],
        read: [Vector; R],
        sums: Option<usize>,
    ) -> Result<(), Infallible>
    where
        P: Pass<W, R, K, S>,
    {
        // These are loops and not `array::map`, because the solvers have many passes, and a call of `map` compiles to
        // hundreds of instructions.
        let mut own: [Vec<T>; W] = [const { Vec::new() }; W];
        for n in 0..W {
            own[n] = take(self.place(changed[n]));
        }
        let mut slices: [&[T]; R] = [&[]; R];
        for n in 0..R {
            // Zeros are not in memory. Another vector is read in their place.
            slices[n] = self.values(if read[n] == Vector::Zero { other(&read) } else { read[n] });
        }
        let mut lanes = [Elements::all(0.0); K];
        for n in 0..K {
            lanes[n] = Elements::all(scalars[n]);
        }
        let totals = vector::pass(
            own.each_mut().map(Vec::as_mut_slice),
            slices,
            P::LIKE_DOT,
            #[inline(always)]
            |changed, mut elements| {
                for n in 0..R {
                    if read[n] == Vector::Zero {
                        elements[n] = Elements::all(0.0);
                    }
                }
                let (new, factors) = P::element(vector::rounded::<T>, lanes, changed, elements);
                let mut terms = [Elements::all(0.0); S];
                for n in 0..S {
                    terms[n] = factors[n][0] * factors[n][1];
                }
                (new, terms)
            },
        );
        for (vector, values) in changed.into_iter().zip(own) {
            *self.place(vector) = values;
        }
        if let Some(at) = sums {
            self.sums[at..at + S].copy_from_slice(&totals);
        }
        Ok(())
    }

    fn sums(&mut self) -> Result<Vec<f64>, Infallible> {
        Ok(self.sums.clone())
    }

    fn set(&mut self, to: Vector, values: &[T]) -> Result<(), Infallible> {
        self.place(to).copy_from_slice(values);
        Ok(())
    }

    fn get(&self, from: Vector) -> Result<Vec<T>, Infallible> {
        Ok(self.values(from).to_vec())
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<(), Infallible> {
        self.change(to, |engine, to| to.copy_from_slice(engine.values(from)));
        Ok(())
    }
}

/// Returns the first vector of a pass that is in memory.
#[expect(clippy::expect_used, reason = "each pass reads a vector that is in memory")]
fn other(read: &[Vector]) -> Vector {
    *read.iter().find(|vector| **vector != Vector::Zero).expect("a vector in memory")
}

impl<T: Real> Products<T> for CpuEngine<'_, T> {
    fn forward(&mut self, x: Vector, data: Vector) -> Result<(), Infallible> {
        self.change(data, |engine, data| engine.operator.forward(engine.values(x), data));
        Ok(())
    }

    fn adjoint(&mut self, data: Vector, _: usize) -> Result<(), Infallible> {
        self.change(Vector::Product, |engine, product| {
            product.resize(engine.operator.columns(), T::zero());
            engine.operator.adjoint(engine.values(data), product);
            vector::clear(product, engine.fixed);
        });
        Ok(())
    }

    fn take(&mut self, into: Vector) -> Result<(), Infallible> {
        let product = take(&mut self.product);
        self.product = std::mem::replace(self.place(into), product);
        Ok(())
    }

    fn image(
        &mut self,
        x: Vector,
        image: Vector,
        added_to: Option<Vector>,
        largest: Option<usize>,
        sums: usize,
    ) -> Result<(), Infallible> {
        self.forward(x, image)?;
        if let Some(data) = added_to {
            self.add_image(image, data, sums);
        } else {
            let square = vector::norm_squared(self.values(image));
            self.sums[sums..sums + 2].fill(square);
        }
        if largest.is_some() { self.adjoint(image, 0) } else { Ok(()) }
    }

    fn shrink_groups(&mut self, x: Vector, length: f64, sums: usize) -> Result<(), Infallible> {
        let Some(groups) = self.groups else { return Ok(()) };
        let penalty = groups.shrink(self.place(x), length);
        self.sums[sums] = penalty;
        Ok(())
    }
}

impl<T: Real> Normal<T> for CpuEngine<'_, T> {
    fn normal(&mut self, x: Vector, out: Vector) -> Result<(), Infallible> {
        self.change(out, |engine, out| engine.operator.normal(engine.values(x), out));
        Ok(())
    }

    fn penalty_normal(&mut self, x: Vector, out: Vector) -> Result<bool, Infallible> {
        let Some(penalty) = self.penalty else { return Ok(false) };
        self.change(out, |engine, out| penalty.normal(engine.values(x), out));
        Ok(true)
    }

    fn penalty(&mut self, x: Vector, _: Vector, _: f64, _: usize) -> Result<f64, Infallible> {
        let x = self.values(x);
        let Some(penalty) = self.penalty else { return Ok(vector::norm_squared(x)) };
        let mut image = vec![T::zero(); penalty.rows()];
        penalty.forward(x, &mut image);
        Ok(vector::norm_squared(&image))
    }
}
