//! The contents of a map (values or colours). Also combines a map with a background image.

use crate::colours::{ColourScale, class_key, colour_among, direction_key, mixture_key, window_bar};
use crate::stack::STEPS;
use crate::stack::{Stack, Store};
use arcuate_core::{Result, Volume, saturating, statistics};
use serde_json::{Value, json};

/// The values of a [`MapFigure`](crate::MapFigure) and their colours.
#[derive(Debug, Clone)]
pub enum MapPicture {
    /// A map with one value per voxel, which is shown on a colour scale.
    Scalar {
        /// An image with one channel. Values that are not finite are black.
        volume: Volume<f32>,
        /// The values at the two ends of the colour scale. If `None`, the 1st and 99th percentiles of the
        /// non-zero values are used. The choice affects only the display.
        window: Option<[f32; 2]>,
        /// The unit of the values, such as `mm²/s`. It is empty if the values are dimensionless.
        unit: String,
        /// The colour scale of the values.
        colours: ColourScale,
    },
    /// A map with one class per voxel, in which each class has its own colour. The value 1 is the first
    /// class, and 0 means no class.
    Classes {
        /// An image with one channel.
        volume: Volume<f32>,
        /// The names of the classes, beginning with class 1.
        names: Vec<String>,
    },
    /// A map of RGB colours, whose three channels are from 0 to 1. An example is a map of FA-weighted
    /// directions: red (left–right), green (front–back) and blue (up–down).
    Directions {
        /// An image with three channels.
        volume: Volume<f32>,
    },
    /// A map of the amounts of three components in each voxel, shown as red, green and blue. Each amount is
    /// at least 0.
    Mixture {
        /// An image with three channels.
        volume: Volume<f32>,
        /// The names of the three components. The 99th percentile of all amounts is shown with the full
        /// colour.
        names: [String; 3],
    },
}

impl MapPicture {
    /// Returns the image of the map.
    pub(crate) fn volume(&self) -> &Volume<f32> {
        match self {
            Self::Scalar { volume, .. }
            | Self::Classes { volume, .. }
            | Self::Directions { volume }
            | Self::Mixture { volume, .. } => volume,
        }
    }

    /// Returns the number of channels that the image of this kind of map must have.
    pub(crate) fn channels(&self) -> usize {
        match self {
            Self::Scalar { .. } | Self::Classes { .. } => 1,
            Self::Directions { .. } | Self::Mixture { .. } => 3,
        }
    }

    /// Returns a function that computes the colour of a voxel from its index.
    pub(crate) fn paint<'a>(
        &'a self,
        anatomy: Option<&'a Volume<f32>>,
    ) -> Box<dyn Fn(usize) -> [u8; 3] + Sync + 'a> {
        let below = anatomy.map(|image| (image, usable_window(image, None)));
        let below = move |voxel: usize| {
            below.map_or([0; 3], |(image, window)| [anatomy_shade(image.voxel(voxel)[0], window); 3])
        };
        let has_value = |values: &[f32]| values.iter().any(|value| value.is_finite() && *value != 0.0);
        match self {
            Self::Scalar { volume, window, colours, .. } => {
                let [low, high] = usable_window(volume, *window).map(f64::from);
                // Enlarged slices round the values of the map to integer multiples of a thousandth of the
                // window (the shown range of values). If the rounded value is 0, they show the background
                // image.
                let minimum = 0.5 * (high - low) / STEPS;
                Box::new(move |voxel| {
                    let value = f64::from(volume.voxel(voxel)[0]);
                    let is_shown = has_value(volume.voxel(voxel))
                        && (anatomy.is_none() || value.fract() == 0.0 || value.abs() >= minimum);
                    if is_shown || (anatomy.is_none() && value == 0.0) {
                        colours.colour((value - low) / (high - low))
                    } else {
                        below(voxel)
                    }
                })
            }
            Self::Classes { volume, names } => Box::new(move |voxel| {
                let class = volume.voxel(voxel)[0];
                if class >= 1.0 { colour_among(class as usize - 1, names.len()) } else { below(voxel) }
            }),
            Self::Directions { .. } | Self::Mixture { .. } => {
                let (volume, colour) = (self.volume(), self.channel_colour());
                Box::new(move |voxel| {
                    let values = volume.voxel(voxel);
                    if has_value(values) { colour(values) } else { below(voxel) }
                })
            }
        }
    }

    /// Returns the channel value that is shown with the full red, green or blue.
    fn maximum(&self) -> f32 {
        if let Self::Mixture { volume, .. } = self { usable_window(volume, None)[1] } else { 1.0 }
    }

    /// Returns a function that computes the colour of a voxel from its three channel values.
    fn channel_colour(&self) -> impl Fn(&[f32]) -> [u8; 3] + use<> {
        let maximum = self.maximum();
        let byte = move |c: f32| {
            if c.is_finite() { saturating::<u8>(((c / maximum).clamp(0.0, 1.0) * 255.0).round()) } else { 0 }
        };
        move |values| [byte(values[0]), byte(values[1]), byte(values[2])]
    }

    /// Packs the values of the map for the page's script.
    pub(crate) fn pack(&self, stack: &Stack<'_>, store: &Store) -> Result<Value> {
        Ok(match self {
            Self::Scalar { volume, window, unit, colours } => {
                let window = usable_window(volume, *window);
                let map = stack.numbers(store, window, |voxel| volume.values()[voxel])?;
                json!({
                    "kind": "scalar", "map": map, "window": window, "unit": unit,
                    "colours": colours.control_points(),
                })
            }
            Self::Classes { volume, names } => {
                let class = |voxel: usize| [saturating::<u8>(volume.values()[voxel].clamp(0.0, 255.0))];
                let colours: Vec<_> = (0..names.len()).map(|n| colour_among(n, names.len())).collect();
                json!({ "kind": "classes", "map": stack.bytes(store, class)?, "names": names, "colours": colours })
            }
            Self::Directions { volume } | Self::Mixture { volume, .. } => {
                let colour = self.channel_colour();
                let map = stack.bytes(store, |voxel| colour(volume.voxel(voxel)))?;
                let names = if let Self::Mixture { names, .. } = self {
                    names.each_ref().map(String::as_str)
                } else {
                    ["left–right", "front–back", "up–down"]
                };
                json!({ "kind": "channels", "map": map, "names": names, "most": self.maximum() })
            }
        })
    }

    /// Draws the colour key. `title` is the title of the figure. `label` is the label of a colour bar. If there
    /// is none, the label is the unit, or the title if the unit is empty.
    pub(crate) fn key(&self, title: &str, label: Option<&str>) -> String {
        match self {
            Self::Scalar { volume, window, unit, colours } => {
                let window = usable_window(volume, *window).map(f64::from);
                let quantity = if unit.is_empty() { title } else { unit };
                window_bar(*colours, window, label.unwrap_or(quantity))
            }
            Self::Classes { names, .. } => class_key(names),
            Self::Directions { .. } => direction_key(),
            Self::Mixture { names, .. } => mixture_key(names),
        }
    }
}

/// Factor of the brightness of the background image. It is below 1, so that the map is more prominent.
const ANATOMY: f32 = 0.8;

/// Returns the gray level (0 to 255) of a value of the background image.
pub(crate) fn anatomy_shade(value: f32, [low, high]: [f32; 2]) -> u8 {
    let fraction = (value - low) / (high - low);
    if fraction.is_nan() {
        0
    } else {
        saturating::<u8>((255.0 * (ANATOMY * fraction).clamp(0.0, 1.0)).round())
    }
}

/// Returns the window of a map: the values at the two ends of the colour scale. If the requested window is
/// valid, it is used. If not, the window extends from the 1st to the 99th percentile of the finite non-zero
/// values. In this case, the window starts at zero if no value is negative.
pub(crate) fn usable_window(volume: &Volume<f32>, requested: Option<[f32; 2]>) -> [f32; 2] {
    if let Some([low, high]) = requested
        && low.is_finite()
        && high.is_finite()
        && low < high
    {
        return [low, high];
    }
    let mut values: Vec<f32> =
        volume.values().iter().copied().filter(|value| value.is_finite() && *value != 0.0).collect();
    let mut at = |part: f64| statistics::quantile(&mut values, part).map(|value| value as f32);
    let (Some(low), Some(high)) = (at(0.01), at(0.99)) else { return [0.0, 1.0] };
    let low = if low > 0.0 { 0.0 } else { low };
    if high > low { [low, high] } else { [low, low + low.abs().max(1.0)] }
}
