//! Table of sampled fibre orientations: each voxel has several samples, and each sample has one or more
//! fibres.

use super::constants;
use super::counts::{MAX_VOXELS, check_voxels};
use arcuate_core::{Error, Grid, Mask, Result, Volume, narrow, saturating};
use arcuate_numbers::Deviator;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// One fibre of one sample of a voxel. The direction is a unit vector in scanner axes with 16 bits per
/// component (an error of at most 2·10⁻⁵ rad). The volume fraction has 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Fibre {
    pub(crate) direction: [i16; 3],
    pub(crate) fraction: u16,
}

const DIRECTION_SCALE: f32 = 1.0 / 32767.0;
const FRACTION_SCALE: f32 = 1.0 / 65535.0;
/// Stored 16-bit value that denotes a volume fraction of 1.
const FULL_FRACTION: f64 = 65535.0;

impl Fibre {
    /// Creates a fibre from a direction in scanner axes, which can have any length, and a volume fraction,
    /// which is clamped to the range from 0 to 1. Returns an empty fibre if the direction is zero or not
    /// finite, or if the fraction is NaN.
    pub fn new(direction: [f64; 3], fraction: f64) -> Self {
        let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) || fraction.is_nan() {
            return Self::default();
        }
        Self {
            direction: direction.map(|c| saturating::<i16>((c / length * 32767.0).round())),
            fraction: saturating::<u16>((fraction.clamp(0.0, 1.0) * FULL_FRACTION).round()),
        }
    }

    /// Returns the direction and the volume fraction of the fibre as one number of 64 bits.
    pub fn to_bits(self) -> u64 {
        bytemuck::cast(self)
    }

    /// Returns the fibre that [`to_bits`](Self::to_bits) stored.
    pub fn from_bits(bits: u64) -> Self {
        bytemuck::cast(bits)
    }

    /// Returns the direction in single precision.
    pub fn direction(&self) -> [f32; 3] {
        self.direction.map(|c| f32::from(c) * DIRECTION_SCALE)
    }

    /// Returns the volume fraction in single precision.
    pub fn fraction(&self) -> f32 {
        f32::from(self.fraction) * FRACTION_SCALE
    }
}

/// Number of fibres in one GPU memory transaction, which is 32 bytes.
pub(crate) const FIBRES_TOGETHER: usize = 4;

/// Four fibres of one voxel and sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct Sector(pub(crate) [Fibre; FIBRES_TOGETHER]);

/// Source of orientations: posterior samples, peaks or refitted tensors. Fibres are read one after the other,
/// so that only one fibre of a large file is in memory at a time.
pub trait OrientationSource {
    /// Returns the voxels with orientations.
    fn mask(&self) -> &Mask;
    /// Returns the maximum number of fibres of a voxel.
    fn fibres(&self) -> usize;
    /// Returns the number of samples of each voxel.
    fn samples(&self) -> usize;
    /// Returns one fibre for all voxels of the mask and all samples. The samples of a voxel are consecutive,
    /// and voxels are in the order of [`Mask::indices`].
    fn fibre(&self, number: usize) -> Result<Vec<Fibre>>;
}

/// Orientations of all voxels of a mask, prepared for tracking.
#[derive(Debug, Clone, PartialEq)]
pub struct OrientationTable {
    grid: Grid,
    /// Index of each voxel of the grid in the list of voxels with orientations; [`NOWHERE`] if the voxel has
    /// none.
    places: Vec<u32>,
    fibres: usize,
    samples: usize,
    /// Number of sectors per voxel and sample.
    sectors_each: usize,
    sectors: Vec<Sector>,
}

/// Marks a voxel without orientations.
pub(crate) const NOWHERE: u32 = constants::NOWHERE;

/// Maximum number of samples per voxel and of fibres per sample. A file with more is not a file of
/// orientation samples.
const MOST: usize = 1 << 16;

impl OrientationTable {
    /// Reads all orientations from a source. Returns an error if reading fails, if there are no voxels,
    /// samples or fibres, or if the source returns a wrong number of values.
    pub fn new(source: &dyn OrientationSource) -> Result<Self> {
        let mask = source.mask();
        let (fibres, samples, voxels) = (source.fibres(), source.samples(), mask.count());
        check_voxels(mask.grid().len(), MAX_VOXELS, "mask")?;
        if voxels == 0 {
            return Err(Error::invalid("mask", "no voxel is inside", "give a mask with voxels above 0.5"));
        }
        if !(1..=MOST).contains(&fibres) || !(1..=MOST).contains(&samples) {
            let problem = format!("there are {fibres} fibres and {samples} samples per voxel");
            return Err(Error::invalid(
                "orientations",
                problem,
                "give 1 to 65,536 fibres and 1 to 65,536 samples",
            ));
        }
        let sectors_each = fibres.div_ceil(FIBRES_TOGETHER);
        let empty = Sector([Fibre::default(); FIBRES_TOGETHER]);
        let mut sectors = Vec::new();
        for number in 0..fibres {
            let read = source.fibre(number)?;
            if read.len() != voxels * samples {
                let problem = format!(
                    "fibre number {} has {} samples, not {}",
                    number + 1,
                    read.len(),
                    voxels * samples
                );
                return Err(Error::invalid(
                    "orientations",
                    problem,
                    "give the same number of samples for \
                    every fibre",
                ));
            }
            // Memory is allocated after the first fibre has been read, because a file can claim more data
            // than it contains.
            sectors.resize(voxels * samples * sectors_each, empty);
            let (sector, lane) = (number / FIBRES_TOGETHER, number % FIBRES_TOGETHER);
            sectors
                .par_chunks_mut(sectors_each)
                .zip(&read)
                .for_each(|(sectors, &fibre)| sectors[sector].0[lane] = fibre);
        }
        let mut places = vec![NOWHERE; mask.grid().len()];
        for (place, voxel) in mask.indices().into_iter().enumerate() {
            places[voxel] = narrow::<u32>(place);
        }
        Ok(Self { grid: *mask.grid(), places, fibres, samples, sectors_each, sectors })
    }

    /// Returns the grid of the voxels.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the maximum number of fibres of a voxel.
    pub fn fibres(&self) -> usize {
        self.fibres
    }

    /// Returns the number of samples of each voxel.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Returns the number of voxels with orientations.
    pub fn voxels(&self) -> usize {
        self.sectors.len() / (self.samples * self.sectors_each)
    }

    /// Returns the mask of the voxels with orientations.
    pub fn mask(&self) -> Result<Mask> {
        Mask::new(self.grid, self.places.iter().map(|&place| place != NOWHERE).collect())
    }

    /// Returns the mask of the voxels whose total volume fraction of all fibres, averaged over the samples,
    /// is at least `minimum`.
    pub fn mask_of_fraction(&self, minimum: f64) -> Result<Mask> {
        let each = self.samples * self.sectors_each;
        let enough: Vec<bool> = self
            .sectors
            .par_chunks(each)
            .map(|sectors| {
                let fractions =
                    sectors.iter().flat_map(|sector| sector.0).map(|fibre| u64::from(fibre.fraction));
                let sum: u64 = fractions.sum();
                // Volume fractions are rounded to 16-bit values. Adding half a unit of these values allows
                // for this rounding.
                sum as f64 / self.samples as f64 + 0.5 >= minimum * FULL_FRACTION
            })
            .collect();
        let inside = |&place: &u32| place != NOWHERE && enough[place as usize];
        Mask::new(self.grid, self.places.iter().map(inside).collect())
    }

    /// Returns the total volume fraction of all fibres in each voxel, averaged over the samples. Voxels
    /// without orientations are 0.
    pub fn mean_fraction(&self) -> Result<Volume<f32>> {
        let each = self.samples * self.sectors_each;
        let of_place = |sectors: &[Sector]| {
            let fractions = sectors.iter().flat_map(|sector| sector.0).map(|fibre| u64::from(fibre.fraction));
            (fractions.sum::<u64>() as f64 / (self.samples as f64 * FULL_FRACTION)) as f32
        };
        let means: Vec<f32> = self.sectors.par_chunks(each).map(of_place).collect();
        let mean = |&place: &u32| if place == NOWHERE { 0.0 } else { means[place as usize] };
        Volume::new(self.grid, 1, self.places.iter().map(mean).collect())
    }

    /// Returns the mean orientation of each fibre in each voxel, as three components in scanner axes. The
    /// direction is the principal axis of the mean of d dᵀ over the samples, as in FSL's dyads. The length is
    /// the mean volume fraction. Voxels without orientations are 0.
    pub fn mean_orientations(&self) -> Result<Volume<f32>> {
        let each = self.samples * self.sectors_each;
        let of_fibre = |sectors: &[Sector], number: usize| -> [f32; 3] {
            let (sector, lane) = (number / FIBRES_TOGETHER, number % FIBRES_TOGETHER);
            let (mut dyad, mut fraction) = ([0.0; 6], 0.0);
            for fibre in sectors.iter().skip(sector).step_by(self.sectors_each).map(|sector| sector.0[lane]) {
                let [x, y, z] = fibre.direction().map(f64::from);
                let products = [x * x, y * y, z * z, x * y, x * z, y * z];
                dyad.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
                fraction += f64::from(fibre.fraction()) / self.samples as f64;
            }
            let axis = if dyad == [0.0; 6] { [0.0; 3] } else { Deviator::of(dyad).eigensystem().vectors[0] };
            axis.map(|component| (component * fraction) as f32)
        };
        let of_place = |sectors: &[Sector]| (0..self.fibres).flat_map(|n| of_fibre(sectors, n)).collect();
        let means: Vec<Vec<f32>> = self.sectors.par_chunks(each).map(of_place).collect();
        let none = vec![0.0; 3 * self.fibres];
        let values =
            self.places.iter().flat_map(|&place| means.get(place as usize).unwrap_or(&none)).copied();
        Volume::new(self.grid, 3 * self.fibres, values.collect())
    }

    /// Returns one fibre of all voxels and samples, in the order of [`OrientationSource::fibre`].
    pub fn fibre(&self, number: usize) -> Vec<Fibre> {
        let (sector, lane) = (number / FIBRES_TOGETHER, number % FIBRES_TOGETHER);
        self.sectors.iter().skip(sector).step_by(self.sectors_each).map(|sector| sector.0[lane]).collect()
    }

    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    pub(crate) fn sectors(&self) -> &[Sector] {
        &self.sectors
    }

    pub(crate) fn sectors_each(&self) -> usize {
        self.sectors_each
    }

    /// Returns the size of the table in bytes. A GPU needs the same amount of memory.
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.sectors.as_slice()) + size_of_val(self.places.as_slice())) as u64
    }
}
