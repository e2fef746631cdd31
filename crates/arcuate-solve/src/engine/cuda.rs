//! The vectors of a solver on one GPU.
#![allow(unsafe_code)]

use super::written::{self, WrittenPass};
use super::{Engine, Layout, Pass, Vector};
use crate::gpus::{AdjointSums, Sizes, Totals, grid};
use crate::{DeviceNormal, Real};
use arcuate_compute::arguments;
use arcuate_compute::cuda::{Argument, Buffer, CudaResult, Gpu, Kernel, Stream};
use arcuate_core::{Error, Result, narrow};
use std::collections::HashMap;

/// The vectors of a solver on one GPU. A solver allocates GPU memory only when this struct is created. A GPU
/// object that only counts bytes ([`Gpu::bytes_of`]) therefore reports the required memory.
pub(crate) struct Device<'a, T: Real> {
    pub(super) stream: Stream,
    pub(super) vectors: Vectors<T>,
    pub(super) totals: Totals,
    pub(super) product: Option<Product>,
    /// The products with AᵀA and with WᵀW of a penalty ‖Wx‖², if the solver needs them.
    pub(super) normal: [Option<&'a dyn DeviceNormal<T>>; 2],
    /// The kernels of passes. The key has the name of the pass and one bit for each vector of zeros.
    kernels: HashMap<(&'static str, u32), Kernel>,
}

pub(super) struct Vectors<T: Real> {
    pub(super) given: Buffer<T>,
    pub(super) unknowns: Vec<Buffer<T>>,
    pub(super) data: Vec<Buffer<T>>,
}

/// The product with Aᵀ on one GPU.
pub(super) struct Product {
    pub(super) sums: AdjointSums,
    pub(super) scale: Buffer<f64>,
    /// The pairs of squared norms that an operator writes.
    pub(super) norms: Buffer<f64>,
    /// One flag for each unknown, which is not 0 if the product is set to 0. Empty if there are no flags.
    pub(super) fixed: Buffer<u8>,
}

impl<T: Real> Vectors<T> {
    fn get(&self, vector: Vector) -> &Buffer<T> {
        match vector {
            Vector::Unknowns(n) => &self.unknowns[n],
            Vector::Data(n) => &self.data[n],
            Vector::Given => &self.given,
            Vector::Product | Vector::Zero => unreachable!("{vector:?} is no buffer"),
        }
    }

    /// Returns two different vectors of the same kind.
    #[expect(
        clippy::expect_used,
        reason = "the passes of solvers name two different vectors that the engine has"
    )]
    pub(super) fn two(&mut self, from: Vector, to: Vector) -> [&mut Buffer<T>; 2] {
        let (all, places) = match (from, to) {
            (Vector::Unknowns(from), Vector::Unknowns(to)) => (&mut self.unknowns, [from, to]),
            (Vector::Data(from), Vector::Data(to)) => (&mut self.data, [from, to]),
            _ => unreachable!("{from:?} and {to:?}"),
        };
        all.get_disjoint_mut(places).expect("two vectors")
    }

    /// Returns a vector of unknowns and a vector of data.
    pub(super) fn both(&mut self, x: Vector, data: Vector) -> (&Buffer<T>, &mut Buffer<T>) {
        let (Vector::Unknowns(x), Vector::Data(data)) = (x, data) else { unreachable!("{x:?} and {data:?}") };
        (&self.unknowns[x], &mut self.data[data])
    }
}

impl<T: Real> Device<'_, T> {
    fn new(gpu: &Gpu, given: usize, [columns, rows]: [usize; 2], layout: Layout) -> CudaResult<Self> {
        let alloc = |number, length| (0..number).map(|_| gpu.alloc(length)).collect::<CudaResult<Vec<_>>>();
        let vectors = Vectors {
            given: gpu.alloc(given)?,
            unknowns: alloc(layout.unknowns, columns)?,
            data: alloc(layout.data, rows)?,
        };
        let totals = Totals::new(gpu, layout.sums)?;
        let stream = gpu.stream()?;
        Ok(Self { stream, vectors, totals, product: None, normal: [None; 2], kernels: HashMap::new() })
    }

    /// Allocates vectors for products with AᵀA.
    pub(crate) fn for_normal(gpu: &Gpu, columns: usize, layout: Layout) -> CudaResult<Self> {
        Self::new(gpu, columns, [columns, 0], layout)
    }

    /// Allocates vectors for products with A and Aᵀ. `fixed` states whether unknowns are fixed at 0.
    pub(crate) fn for_products(gpu: &Gpu, sizes: &Sizes, layout: Layout, fixed: bool) -> CudaResult<Self> {
        let product = Product {
            sums: AdjointSums::new(gpu, sizes)?,
            scale: gpu.alloc(2)?,
            norms: gpu.alloc(2 * sizes.norms)?,
            fixed: gpu.alloc(if fixed { sizes.columns } else { 0 })?,
        };
        let device = Self::new(gpu, sizes.rows, [sizes.columns, sizes.rows], layout)?;
        Ok(Self { product: Some(product), ..device })
    }

    /// Returns the vectors and the product with Aᵀ.
    #[expect(clippy::expect_used, reason = "solvers multiply by Aᵀ only on devices of `for_products`")]
    pub(super) fn parts(&mut self) -> (&Stream, &mut Vectors<T>, &mut Totals, &mut Product) {
        let product = self.product.as_mut().expect("an operator with Aᵀ");
        (&self.stream, &mut self.vectors, &mut self.totals, product)
    }

    /// Returns the kernel of a pass. The first call writes and compiles it.
    fn kernel(&mut self, pass: &WrittenPass, read: &[Vector]) -> CudaResult<Kernel> {
        let zeros = read.iter().fold(0, |zeros, vector| 2 * zeros + u32::from(*vector == Vector::Zero));
        if let Some(kernel) = self.kernels.get(&(pass.name, zeros)) {
            return Ok(kernel.clone());
        }
        let flags = self.product.as_ref().map(|p| [p.sums.exchanged().1.is_some(), !p.fixed.is_empty()]);
        let written = pass.write::<T>(read, flags.unwrap_or_default());
        let kernel = self.stream.gpu().written(&written)?;
        self.kernels.insert((pass.name, zeros), kernel.clone());
        Ok(kernel)
    }

    /// Runs a pass, as [`Engine::pass`] does.
    pub(super) fn run(
        &mut self,
        pass: &WrittenPass,
        scalars: &[f64],
        changed: &[Vector],
        read: &[Vector],
        sums: Option<usize>,
    ) -> Result<()> {
        assert!(!read.iter().any(|vector| changed.contains(vector)), "a vector that changes is read again");
        let kernel = self.kernel(pass, read)?;
        let Self { stream, vectors, totals, product, .. } = self;
        let first =
            changed.iter().chain(read).find(|vector| !matches!(vector, Vector::Zero | Vector::Product));
        #[expect(clippy::expect_used, reason = "each pass changes or reads a vector in memory")]
        let count = vectors.get(*first.expect("a pass has a vector")).len();
        let kinds = pass.kinds();
        let grid = grid(count).shared(written::shared_bytes(kinds));
        let mut arguments = arguments![grid.blocks[0], count as u64].to_vec();
        arguments.extend(scalars.iter().map(|scalar| Argument::from(*scalar)));
        arguments.extend(changed.iter().map(|vector| Argument::from(vectors.get(*vector))));
        for vector in read {
            match (vector, &*product) {
                (Vector::Zero, _) => {}
                (Vector::Product, Some(Product { sums, scale, fixed, .. })) => {
                    let (own, others) = sums.exchanged();
                    arguments.push(own.into());
                    arguments.extend(others.map(Argument::from));
                    arguments.push(scale.into());
                    arguments.extend((!fixed.is_empty()).then(|| Argument::from(fixed)));
                }
                _ => arguments.push(vectors.get(*vector).into()),
            }
        }
        if kinds > 0 {
            arguments.push(totals.partials().into());
        }
        // SAFETY: the kernel was written for these arguments. All vectors have `count` elements, nobody else
        // uses the vectors of this GPU while `self` is borrowed, and the partial sums fit any grid.
        unsafe { stream.launch(&kernel, grid, &arguments) }?;
        if let (Some(at), 1..) = (sums, kinds) {
            totals.add_up(stream, grid, (narrow(kinds), u32::from(pass.largest) << pass.sums, at))?;
        }
        Ok(())
    }
}

impl<T: Real> Engine<T> for Device<'_, T> {
    type Error = Error;

    fn pass<P, const W: usize, const R: usize, const K: usize, const S: usize>(
        &mut self,
        pass: P,
        scalars: [f64; K],
        changed: [Vector; W],
        read: [Vector; R],
        sums: Option<usize>,
    ) -> Result<()>
    where
        P: Pass<W, R, K, S>,
    {
        self.run(&WrittenPass::of(pass), &scalars, &changed, &read, sums)
    }

    fn sums(&mut self) -> Result<Vec<f64>> {
        Ok(self.totals.read(&self.stream)?)
    }

    fn set(&mut self, to: Vector, values: &[T]) -> Result<()> {
        let Vector::Unknowns(n) = to else { unreachable!("{to:?} is not set") };
        Ok(self.vectors.unknowns[n].copy_from(&self.stream, values)?)
    }

    fn get(&self, from: Vector) -> Result<Vec<T>> {
        Ok(self.vectors.get(from).to_vec(&self.stream)?)
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<()> {
        let [from, to] = self.vectors.two(from, to);
        Ok(to.view_mut().copy_from_device(&self.stream, from.view())?)
    }
}
