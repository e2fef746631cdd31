//! Which group each streamline of a scene belongs to, and the groups' colours.

use crate::colours::class_colour;
use arcuate_core::StreamlineGroups;

/// The groups of a tractogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Groups {
    pub(crate) names: Vec<String>,
    /// For each streamline the first group that it is in; the number of groups where it is in none.
    pub(crate) of: Vec<usize>,
}

/// Of more groups nobody could tell the colours apart.
const MOST: usize = 40;
/// Colours of streamlines in no group.
const NONE: [u8; 3] = [128, 128, 128];
/// Classes of colours, those first that stand out best on black.
const CLASSES: [usize; 7] = [0, 1, 2, 6, 3, 5, 4];

impl Groups {
    /// The groups that have streamlines, of some of these by their numbers (ascending); nothing where there are no groups, or
    /// too many to be told apart.
    pub(crate) fn of(groups: &StreamlineGroups, kept: &[usize]) -> Option<Self> {
        let groups: Vec<_> = groups.members.iter().filter(|(_, members)| !members.is_empty()).collect();
        if groups.is_empty() || groups.len() > MOST {
            return None;
        }
        let mut of = vec![groups.len(); kept.len()];
        for (number, (_, members)) in groups.iter().enumerate().rev() {
            for member in *members {
                if let Ok(place) = kept.binary_search(&(*member as usize)) {
                    of[place] = number;
                }
            }
        }
        Some(Self { names: groups.into_iter().map(|(name, _)| name.clone()).collect(), of })
    }

    /// Names and colours as a key shows them, with one for the rest where there is any.
    pub(crate) fn key(&self) -> Vec<(String, [u8; 3])> {
        let count = self.names.len();
        let colours = (0..count).map(|number| colour(number, count));
        let mut key: Vec<_> = self.names.iter().cloned().zip(colours).collect();
        if self.of.contains(&count) {
            key.push(("in no group".into(), NONE));
        }
        key
    }

    /// The colour of a streamline.
    pub(crate) fn colour_of(&self, streamline: usize) -> [u8; 3] {
        let count = self.names.len();
        let number = self.of[streamline];
        if number < count { colour(number, count) } else { NONE }
    }
}

/// The colour of one of so many groups: of many, around the circle of hues.
fn colour(number: usize, count: usize) -> [u8; 3] {
    if count <= CLASSES.len() {
        return class_colour(CLASSES[number]);
    }
    let hue = 6.0 * number as f64 / count as f64;
    // Every second one is paler, which keeps neighbours apart.
    let pale = if number.is_multiple_of(2) { 0.15 } else { 0.5 };
    [0.0, 4.0, 2.0].map(|shift| {
        let distance = ((hue + shift) % 6.0 - 3.0).abs();
        let full = (distance - 1.0).clamp(0.0, 1.0);
        (255.0 * (pale + (1.0 - pale) * full)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn groups(groups: &[(&str, &[u32])]) -> StreamlineGroups {
        let members = groups.iter().map(|(name, members)| ((*name).into(), members.to_vec())).collect();
        StreamlineGroups { members, ..StreamlineGroups::default() }
    }

    #[test]
    fn every_streamline_has_the_colour_of_its_first_group() {
        let all = groups(&[("b", &[1, 2]), ("a", &[2, 0]), ("empty", &[])]);
        let groups_of = |kept: &[usize]| Groups::of(&all, kept).unwrap();
        let groups = groups_of(&[0, 1, 2, 3]);
        assert_eq!((groups.names.join(" "), groups.of.clone()), ("a b".into(), vec![0, 1, 0, 2]));
        let key = groups.key();
        assert_eq!(key.len(), 3, "one for streamlines in no group");
        assert_eq!(groups.colour_of(1), key[1].1);
        assert_eq!(groups_of(&[1, 3]).of, [1, 2]);
        assert_eq!(groups_of(&[1]).key().len(), 2);
        let none = StreamlineGroups::default();
        assert!(Groups::of(&none, &[0]).is_none());
        let empty = BTreeMap::from([("a".into(), Vec::new())]);
        assert!(Groups::of(&StreamlineGroups { members: empty, ..none }, &[0]).is_none());
    }

    #[test]
    fn many_groups_have_colours_apart() {
        let mut colours: Vec<_> = (0..MOST).map(|number| colour(number, MOST)).collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), MOST);
        let names: Vec<String> = (0..=MOST).map(|n| n.to_string()).collect();
        let many: Vec<(&str, &[u32])> = names.iter().map(|name| (name.as_str(), &[0u32][..])).collect();
        assert!(Groups::of(&groups(&many), &[0]).is_none());
        assert!(Groups::of(&groups(&many[1..]), &[0]).is_some());
    }
}
