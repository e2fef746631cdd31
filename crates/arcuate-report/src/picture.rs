//! What a map shows in its voxels: values or colours, and how they are seen over anatomy.

use crate::colours::{ColourScale, class_key, colour_among, direction_key, mixture_key, window_bar};
use crate::stack::{Stack, Store};
use arcuate_core::{Result, Volume, saturating, statistics};
use serde_json::{Value, json};

/// The values of a [`MapFigure`](crate::MapFigure) and how they are coloured.
#[derive(Debug, Clone)]
pub enum MapPicture {
    /// One value a voxel, on a scale of colours.
    Scalar {
        /// One channel; values that are not finite are shown black.
        volume: Volume<f32>,
        /// Values at the two ends of the scale; nothing: the first and 99th percentile of the values other than
        /// zero, which serves display alone.
        window: Option<[f32; 2]>,
        /// Unit of the values, such as `mm²/s`; empty for plain numbers.
        unit: String,
        /// The scale.
        colours: ColourScale,
    },
    /// A whole number a voxel, 1 for the first class, 0 for none: a colour for each.
    Classes {
        /// One channel.
        volume: Volume<f32>,
        /// What the classes are called.
        names: Vec<String>,
    },
    /// Colours of their own: channels red (left–right), green (front–back) and blue (up–down) in 0 … 1, as FA-weighted
    /// directions are shown.
    Directions {
        /// Three channels.
        volume: Volume<f32>,
    },
    /// Amounts of three things that a voxel holds together, red, green and blue, each from 0 on.
    Mixture {
        /// Three channels.
        volume: Volume<f32>,
        /// What they are amounts of. The 99th percentile of all is seen in full colour.
        names: [String; 3],
    },
}

impl MapPicture {
    /// The image.
    pub(crate) fn volume(&self) -> &Volume<f32> {
        match self {
            Self::Scalar { volume, .. }
            | Self::Classes { volume, .. }
            | Self::Directions { volume }
            | Self::Mixture { volume, .. } => volume,
        }
    }

    /// Values that its image has in each voxel.
    pub(crate) fn channels(&self) -> usize {
        match self {
            Self::Scalar { .. } | Self::Classes { .. } => 1,
            Self::Directions { .. } | Self::Mixture { .. } => 3,
        }
    }

    /// The colour of each voxel.
    pub(crate) fn paint<'a>(
        &'a self,
        anatomy: Option<&'a Volume<f32>>,
    ) -> Box<dyn Fn(usize) -> [u8; 3] + 'a> {
        let below = anatomy.map(|image| (image, usable_window(image, None)));
        let below = move |voxel: usize| {
            below.map_or([0; 3], |(image, window)| [anatomy_shade(image.voxel(voxel)[0], window); 3])
        };
        let has_value = |values: &[f32]| values.iter().any(|value| value.is_finite() && *value != 0.0);
        match self {
            Self::Scalar { volume, window, colours, .. } => {
                let [low, high] = usable_window(volume, *window).map(f64::from);
                Box::new(move |voxel| {
                    let value = f64::from(volume.voxel(voxel)[0]);
                    if has_value(volume.voxel(voxel)) || (anatomy.is_none() && value == 0.0) {
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

    /// What a channel has where its colour is full.
    fn most(&self) -> f32 {
        if let Self::Mixture { volume, .. } = self { usable_window(volume, None)[1] } else { 1.0 }
    }

    /// The colour of the three channels of a voxel.
    fn channel_colour(&self) -> impl Fn(&[f32]) -> [u8; 3] + use<> {
        let most = self.most();
        let byte = move |c: f32| {
            if c.is_finite() { saturating::<u8>(((c / most).clamp(0.0, 1.0) * 255.0).round()) } else { 0 }
        };
        move |values| [byte(values[0]), byte(values[1]), byte(values[2])]
    }

    /// The values, as the script of the page takes them.
    pub(crate) fn pack(&self, stack: &Stack<'_>, store: &mut Store) -> Result<Value> {
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
                json!({ "kind": "channels", "map": map, "names": names, "most": self.most() })
            }
        })
    }

    /// What colours mean; `title` is that of the figure.
    pub(crate) fn key(&self, title: &str) -> String {
        match self {
            Self::Scalar { volume, window, unit, colours } => {
                let window = usable_window(volume, *window).map(f64::from);
                window_bar(*colours, window, if unit.is_empty() { title } else { unit })
            }
            Self::Classes { names, .. } => class_key(names),
            Self::Directions { .. } => direction_key(),
            Self::Mixture { names, .. } => mixture_key(names),
        }
    }
}

/// How bright anatomy is below a map, so that the map stands out.
const ANATOMY: f32 = 0.8;

/// The gray of a value of the image below a map.
pub(crate) fn anatomy_shade(value: f32, [low, high]: [f32; 2]) -> u8 {
    let fraction = (value - low) / (high - low);
    if fraction.is_nan() {
        0
    } else {
        saturating::<u8>((255.0 * (ANATOMY * fraction).clamp(0.0, 1.0)).round())
    }
}

/// The window asked for, where it is one, or one from the values: first to 99th percentile of the finite ones other
/// than zero, from zero on where none is negative.
pub(crate) fn usable_window(volume: &Volume<f32>, asked: Option<[f32; 2]>) -> [f32; 2] {
    if let Some([low, high]) = asked
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
