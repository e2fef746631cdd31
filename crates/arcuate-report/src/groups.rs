//! The group of each streamline in a scene of the interactive viewer, and the colours of the groups.

use crate::colours::colour_among;
use arcuate_core::StreamlineGroups;

/// The groups of a tractogram's streamlines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Groups {
    pub(crate) names: Vec<String>,
    /// For each streamline, the index of the first group that contains it. If a streamline is in no group,
    /// its entry is the number of groups.
    pub(crate) of: Vec<usize>,
}

/// The maximum number of groups with distinguishable colours.
const MOST: usize = 64;
/// The colour of streamlines in no group.
const NONE: [u8; 3] = [128, 128, 128];

impl Groups {
    /// Returns the groups of the streamlines whose indices are in `kept` (ascending). Returns `None` if no
    /// group has streamlines, or if there are too many groups. Groups without streamlines are kept, so that
    /// the colours of the other groups do not depend on them.
    pub(crate) fn of(groups: &StreamlineGroups, kept: &[usize]) -> Option<Self> {
        let groups: Vec<_> = groups.members.iter().collect();
        if groups.iter().all(|(_, members)| members.is_empty()) || groups.len() > MOST {
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

    /// Returns the names and colours of the groups for the colour key. If some streamlines are in no group,
    /// the key has an additional entry for them.
    pub(crate) fn key(&self) -> Vec<(String, [u8; 3])> {
        let count = self.names.len();
        let colours = (0..count).map(|number| colour_among(number, count));
        let mut key: Vec<_> = self.names.iter().cloned().zip(colours).collect();
        if self.of.contains(&count) {
            key.push(("in no group".into(), NONE));
        }
        key
    }

    /// Returns the colour of a streamline.
    pub(crate) fn colour_of(&self, streamline: usize) -> [u8; 3] {
        let count = self.names.len();
        let number = self.of[streamline];
        if number < count { colour_among(number, count) } else { NONE }
    }
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
        assert_eq!((groups.names.join(" "), groups.of.clone()), ("a b empty".into(), vec![0, 1, 0, 3]));
        let key = groups.key();
        assert_eq!(key.len(), 4, "one for streamlines in no group");
        assert_eq!(groups.colour_of(1), key[1].1);
        assert_eq!(groups_of(&[1, 3]).of, [1, 3]);
        assert_eq!(groups_of(&[1]).key().len(), 3);
        let none = StreamlineGroups::default();
        assert!(Groups::of(&none, &[0]).is_none());
        let empty = BTreeMap::from([("a".into(), Vec::new())]);
        assert!(Groups::of(&StreamlineGroups { members: empty, ..none }, &[0]).is_none());
    }

    #[test]
    fn many_groups_have_distinct_colours() {
        let mut colours: Vec<_> = (0..MOST).map(|number| colour_among(number, MOST)).collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), MOST);
        let names: Vec<String> = (0..=MOST).map(|n| n.to_string()).collect();
        let many: Vec<(&str, &[u32])> = names.iter().map(|name| (name.as_str(), &[0u32][..])).collect();
        assert!(Groups::of(&groups(&many), &[0]).is_none());
        assert!(Groups::of(&groups(&many[1..]), &[0]).is_some());
    }
}
