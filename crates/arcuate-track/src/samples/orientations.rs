//! Orientations that streamlines sample from: fibres of every voxel, many samples of each.

use super::constants;
use super::counts::{MOST_VOXELS, check_voxels};
use arcuate_core::{Deviator, Error, Grid, Mask, Result, Volume, narrow, saturating};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// One fibre of one sample: a unit vector in scanner axes to 16 bits a component (an error of at most 2·10⁻⁵ rad), and the
/// volume fraction to 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Fibre {
    pub(crate) direction: [i16; 3],
    pub(crate) fraction: u16,
}

const DIRECTION_SCALE: f32 = 1.0 / 32767.0;
const FRACTION_SCALE: f32 = 1.0 / 65535.0;
/// A fraction of 1 as it is stored.
const FULL_FRACTION: f64 = 65535.0;

impl Fibre {
    /// A fibre along a direction in scanner axes of any length, with a volume fraction from 0 to 1 (others are taken to the
    /// nearer end). Without a direction or a fraction that is a number there is no fibre.
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

    /// All of it as a number, for storage.
    pub fn to_bits(self) -> u64 {
        bytemuck::cast(self)
    }

    /// The fibre of [`to_bits`](Self::to_bits).
    pub fn from_bits(bits: u64) -> Self {
        bytemuck::cast(bits)
    }

    /// The direction as streamlines follow it.
    pub fn direction(&self) -> [f32; 3] {
        self.direction.map(|c| f32::from(c) * DIRECTION_SCALE)
    }

    /// The fraction as streamlines see it.
    pub fn fraction(&self) -> f32 {
        f32::from(self.fraction) * FRACTION_SCALE
    }
}

/// Fibres that lie together: what one read from memory brings, 32 bytes.
pub(crate) const FIBRES_TOGETHER: usize = 4;

/// Four fibres of one voxel and sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct Sector(pub(crate) [Fibre; FIBRES_TOGETHER]);

/// Where orientations come from: samples of posteriors, peaks, refitted tensors. A source is read fibre by fibre, so that of
/// wide files one is in memory at a time.
pub trait OrientationSource {
    /// The voxels that have orientations.
    fn mask(&self) -> &Mask;
    /// Fibres of a voxel at most.
    fn fibres(&self) -> usize;
    /// Samples of each voxel.
    fn samples(&self) -> usize;
    /// One fibre of every voxel of the mask and sample: samples next to one another, voxels in the order of
    /// [`Mask::indices`].
    fn fibre(&self, number: usize) -> Result<Vec<Fibre>>;
}

/// Orientations of all voxels of a mask, ready to be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct OrientationTable {
    grid: Grid,
    /// Of each voxel of the grid: its place among those that have orientations.
    places: Vec<u32>,
    fibres: usize,
    samples: usize,
    /// Of a voxel and sample.
    sectors_each: usize,
    sectors: Vec<Sector>,
}

/// A voxel without orientations.
pub(crate) const NOWHERE: u32 = constants::NOWHERE;

/// Samples and fibres beyond which a file is none of samples.
const MOST: usize = 1 << 16;

impl OrientationTable {
    /// Reads a source. Fails where it does, on one without voxels, samples or fibres, and where it answers with another
    /// number of them than it has.
    pub fn new(source: &dyn OrientationSource) -> Result<Self> {
        let mask = source.mask();
        let (fibres, samples, voxels) = (source.fibres(), source.samples(), mask.count());
        check_voxels(mask.grid().len(), MOST_VOXELS, "mask")?;
        if voxels == 0 {
            return Err(Error::invalid("mask", "no voxel is inside", "give a mask with voxels above 0.5"));
        }
        if !(1..=MOST).contains(&fibres) || !(1..=MOST).contains(&samples) {
            let problem = format!("there are {fibres} fibres and {samples} samples of each voxel");
            return Err(Error::invalid("orientations", problem, "give 1 to 65,536 of both"));
        }
        let sectors_each = fibres.div_ceil(FIBRES_TOGETHER);
        let empty = Sector([Fibre::default(); FIBRES_TOGETHER]);
        let mut sectors = Vec::new();
        for number in 0..fibres {
            let read = source.fibre(number)?;
            if read.len() != voxels * samples {
                let problem =
                    format!("fibre {} has {} samples, not {}", number + 1, read.len(), voxels * samples);
                return Err(Error::invalid("orientations", problem, "give as many of every fibre"));
            }
            // Not before there is something for it: what files claim may be more than they hold.
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

    /// The lattice of the voxels.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Fibres of a voxel at most.
    pub fn fibres(&self) -> usize {
        self.fibres
    }

    /// Samples of each voxel.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// How many voxels have orientations.
    pub fn voxels(&self) -> usize {
        self.sectors.len() / (self.samples * self.sectors_each)
    }

    /// The voxels that have orientations.
    pub fn mask(&self) -> Result<Mask> {
        Mask::new(self.grid, self.places.iter().map(|&place| place != NOWHERE).collect())
    }

    /// The voxels whose fibres' fractions together are at least `least` in the mean of their samples.
    pub fn mask_of_fraction(&self, least: f64) -> Result<Mask> {
        let each = self.samples * self.sectors_each;
        let enough: Vec<bool> = self
            .sectors
            .par_chunks(each)
            .map(|sectors| {
                let fractions =
                    sectors.iter().flat_map(|sector| sector.0).map(|fibre| u64::from(fibre.fraction));
                let sum: u64 = fractions.sum();
                // Half of what 16 bits tell apart forgives their rounding.
                sum as f64 / self.samples as f64 + 0.5 >= least * FULL_FRACTION
            })
            .collect();
        let inside = |&place: &u32| place != NOWHERE && enough[place as usize];
        Mask::new(self.grid, self.places.iter().map(inside).collect())
    }

    /// In each voxel the fractions of all its fibres together, in the mean over its samples; 0 where there are no orientations.
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

    /// In each voxel the mean orientation of each fibre, three components in scanner axes: the principal axis of the mean of d dᵀ
    /// over its samples (as FSL's dyads), as long as its mean fraction; 0 where there is none.
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

    /// The fibres of a sample of a voxel that has orientations.
    pub fn fibres_at(&self, voxel: usize, sample: usize) -> Option<impl Iterator<Item = Fibre> + '_> {
        let place = *self.places.get(voxel)?;
        (place != NOWHERE && sample < self.samples).then(|| {
            let first = (place as usize * self.samples + sample) * self.sectors_each;
            self.sectors[first..first + self.sectors_each]
                .iter()
                .flat_map(|sector| sector.0)
                .take(self.fibres)
        })
    }

    /// One fibre of every voxel and sample, as [`OrientationSource::fibre`] returns it.
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

    /// Bytes of the table, which a GPU holds too.
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.sectors.as_slice()) + size_of_val(self.places.as_slice())) as u64
    }
}
