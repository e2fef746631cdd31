//! Named groups of the streamlines of a tractogram.

use crate::{Column, Columns, Error, Result};
use std::collections::BTreeMap;

/// Named groups of the streamlines of a tractogram, and values of the groups.
///
/// A group lists the numbers of its streamlines, counted over all batches of streamlines. Groups are
/// therefore stored separately from batches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamlineGroups {
    /// Streamline numbers of each group, counted from 0.
    pub members: BTreeMap<String, Vec<u32>>,
    /// Values of the groups (TRX `dpg`): for each name of a group and each name of a value, a table with one
    /// row.
    pub values: BTreeMap<String, Columns>,
}

impl StreamlineGroups {
    /// Returns true if there are neither groups nor values of groups.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.values.is_empty()
    }

    /// Returns an error if a group contains a streamline number that is not below `streamlines`, the number
    /// of streamlines.
    pub fn check(&self, streamlines: u64) -> Result<()> {
        for (name, members) in &self.members {
            if let Some(member) = members.iter().find(|&&member| u64::from(member) >= streamlines) {
                let problem = format!(
                    "group `{name}` has streamline {member} (counted from 0), but there \
                                       are {streamlines} streamlines"
                );
                return Err(Error::invalid(
                    "tractogram",
                    problem,
                    "give groups that belong to these \
                    streamlines",
                ));
            }
        }
        Ok(())
    }

    /// Returns the groups after some streamlines have been removed: they contain only the kept streamlines,
    /// with their new numbers.
    #[must_use]
    #[doc(hidden)]
    pub fn of(&self, kept: &KeptStreamlines) -> Self {
        let ranks = kept.ranks();
        let new = |members: &Vec<u32>| members.iter().filter_map(|&old| ranks.of(old)).collect();
        Self {
            members: self.members.iter().map(|(name, members)| (name.clone(), new(members))).collect(),
            values: self.values.clone(),
        }
    }

    /// Appends the groups of further streamlines, whose numbers start at `streamlines`. Groups of the same
    /// name are merged. If two merged groups have different values of the same name, the values are removed
    /// and their name is added to `left_out`. Returns an error if a streamline number is too large for a
    /// group.
    pub fn append(&mut self, others: Self, streamlines: u64, left_out: &mut Vec<String>) -> Result<()> {
        for (name, members) in others.members {
            let all = self.members.entry(name).or_default();
            for member in members {
                all.push(renumbered(streamlines, member)?);
            }
        }
        for (group, columns) in others.values {
            let known = self.values.entry(group.clone()).or_default();
            for (name, column) in columns {
                let full = format!("{group}/{name}");
                if left_out.contains(&full) {
                    continue;
                }
                if known.get(&name).is_some_and(|other: &Column| *other != column) {
                    known.remove(&name);
                    left_out.push(full);
                } else {
                    known.insert(name, column);
                }
            }
        }
        self.values.retain(|_, columns| !columns.is_empty());
        Ok(())
    }
}

/// The new number of a streamline in a group, if `first` streamlines of other files precede the streamlines
/// of its own file.
fn renumbered(first: u64, member: u32) -> Result<u32> {
    u32::try_from(first + u64::from(member)).map_err(|_| {
        let problem = format!("streamline number {} is too large for a group", first + u64::from(member));
        Error::invalid("tractogram", problem, "join fewer streamlines, or remove the groups")
    })
}

/// The set of streamlines that are kept when others are removed, stored as one bit per streamline.
#[derive(Debug, Clone, Default)]
pub struct KeptStreamlines {
    bits: Vec<u64>,
}

impl KeptStreamlines {
    /// Marks the streamline with this number as kept.
    pub fn insert(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (number % 64);
    }

    /// Number of streamlines that are kept.
    pub fn len(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns whether no streamline is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn ranks(&self) -> Ranks<'_> {
        let mut before = 0;
        let count = |word: &u64| {
            let here = before;
            before += word.count_ones();
            here
        };
        Ranks { bits: &self.bits, before: self.bits.iter().map(count).collect() }
    }
}

/// A table of the number of kept streamlines before each 64th streamline.
struct Ranks<'a> {
    bits: &'a [u64],
    before: Vec<u32>,
}

impl Ranks<'_> {
    /// The new number of a streamline after the other streamlines are removed; `None` if this streamline is
    /// removed.
    fn of(&self, old: u32) -> Option<u32> {
        let (word, bit) = ((old / 64) as usize, old % 64);
        let bits = *self.bits.get(word)?;
        let below = (bits & ((1 << bit) - 1)).count_ones();
        (bits >> bit & 1 == 1).then(|| self.before[word] + below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalars;

    fn column(value: f32) -> Column {
        Column::new(1, Scalars::F32(vec![value])).unwrap()
    }

    fn groups(name: &str, members: &[u32], colour: f32) -> StreamlineGroups {
        StreamlineGroups {
            members: BTreeMap::from([(name.into(), members.to_vec())]),
            values: BTreeMap::from([(name.into(), BTreeMap::from([("colour".into(), column(colour))]))]),
        }
    }

    #[test]
    fn groups_are_reduced_to_the_kept_streamlines() {
        let mut kept = KeptStreamlines::default();
        for number in [0, 3, 63, 64, 130] {
            kept.insert(number);
        }
        assert_eq!(kept.len(), 5);
        // The streamline numbers of the group are unordered, occur several times, and partly exceed the
        // number of the last kept streamline.
        let all = groups("a", &[130, 1, 64, 63, 3, 64, 500], 1.0);
        assert_eq!(all.of(&kept).members["a"], [4, 3, 2, 1, 3]);
        assert_eq!(all.of(&kept).values, all.values);
        assert!(all.of(&KeptStreamlines::default()).members["a"].is_empty());
        assert!(all.check(501).is_ok());
        assert!(all.check(500).unwrap_err().to_string().contains("has streamline 500 (counted from 0)"));
    }

    #[test]
    fn groups_of_several_inputs_are_appended() {
        let (mut joined, mut left_out) = (groups("both", &[1], 3.0), Vec::new());
        joined.append(groups("both", &[1], 3.0), 2, &mut left_out).unwrap();
        assert_eq!((&joined.members["both"][..], left_out.len()), (&[1, 3][..], 0));
        assert_eq!(joined.values["both"]["colour"], column(3.0));
        joined.append(groups("both", &[], 4.0), 4, &mut left_out).unwrap();
        joined.append(groups("both", &[], 4.0), 4, &mut left_out).unwrap();
        joined.append(groups("new", &[0], 5.0), 4, &mut left_out).unwrap();
        assert_eq!((left_out, joined.members["new"][0]), (vec!["both/colour".to_owned()], 4));
        assert_eq!(joined.values.keys().collect::<Vec<_>>(), ["new"]);
        let beyond = joined.append(groups("far", &[1], 1.0), u64::from(u32::MAX), &mut Vec::new());
        assert!(beyond.unwrap_err().to_string().contains(
            "streamline number 4294967296 is too large for a \
                                                          group"
        ));
    }
}
