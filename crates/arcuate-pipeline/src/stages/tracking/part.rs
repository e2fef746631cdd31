//! Division of a run into parts. The streamlines of the run are divided among several jobs, and each job
//! computes one part.

use arcuate_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of several parts of a run. Numbers are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartOf {
    number: u64,
    of: u64,
}

/// Part of a run to compute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// The whole run. If all parts of the divided run are already saved, they are merged instead of tracking
    /// again.
    #[default]
    Whole,
    /// One part of a divided run. It is saved next to the result, in a folder whose name is that of the
    /// result followed by `.parts`.
    Part(PartOf),
    /// The whole run, merged from its saved parts. It is an error if a part is missing.
    Merged,
}

/// Maximum number of parts of a run. It is larger than the number of jobs on any cluster.
const MOST: u64 = 1_000_000;

impl PartOf {
    /// Creates part number `number`, counted from 1, of a run that is divided into `of` parts.
    ///
    /// # Errors
    /// Returns an error if one of the two numbers is out of range.
    pub fn new(number: u64, of: u64) -> Result<Self> {
        if (1..=MOST).contains(&of) && (1..=of).contains(&number) {
            return Ok(Self { number, of });
        }
        let problem = format!("{number}/{of} is not a part of a divided run");
        Err(Error::usage(
            "‘part’",
            problem,
            "give the number of this part, counted from 1, and the number of all parts, such as 2/8",
        ))
    }

    /// Returns the number of this part, counted from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// Returns the number of parts.
    pub fn of(self) -> u64 {
        self.of
    }

    /// Returns all parts of a run that is divided into `of` parts, in ascending order.
    pub(super) fn all(of: u64) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }

    /// Returns the name of the folder in which this part is saved, such as `2-of-8`.
    pub(super) fn folder_name(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }

    /// Returns the part that is saved in a folder with this name, such as `2-of-8`. Returns `None` if the
    /// name has another form.
    pub(super) fn of_folder(name: &str) -> Option<Self> {
        let (number, of) = name.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?).ok()
    }

    /// Returns the range of the numbers of the streamlines of this part. `all` is the number of streamlines
    /// of the whole run. The function `cut` moves a boundary between two parts forward to the next streamline
    /// at which the run can be divided.
    pub(super) fn streamlines(self, all: u64, cut: impl Fn(u64) -> u64) -> Range<u64> {
        let at = |number: u64| match number {
            0 => 0,
            number if number == self.of => all,
            // The quotient is at most `all`, which has 64 bits.
            number => cut((u128::from(all) * u128::from(number) / u128::from(self.of)) as u64).min(all),
        };
        at(self.number - 1)..at(self.number)
    }
}

impl fmt::Display for PartOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for PartOf {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = numbers else {
            let problem = format!("{text} is not a part of a divided run");
            return Err(Error::usage(
                "‘part’",
                problem,
                "give the number of this part, counted from 1, and the number of all parts, such as 2/8",
            ));
        };
        Self::new(number, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_streamlines_once() {
        for all in [0, 1, 7, 100, u64::MAX / 2] {
            for of in [1, 2, 3, 8, 250] {
                for each in [1, 5] {
                    let mut next = 0;
                    for part in PartOf::all(of) {
                        let range = part.streamlines(all, |number| number.next_multiple_of(each));
                        assert_eq!(range.start, next);
                        assert!(range.end == all || range.end % each == 0, "{range:?}");
                        assert!(range.end - range.start <= all / of + each, "{range:?} of {all} by {of}");
                        next = range.end;
                    }
                    assert_eq!(next, all);
                }
            }
        }
    }

    #[test]
    fn invalid_parts_are_rejected() {
        assert_eq!("2/8".parse::<PartOf>().unwrap().to_string(), "2/8");
        for text in ["", "2", "0/8", "9/8", "2/0", "1/1000001", "a/8", "2/8/9", "-1/8", "2/ 8"] {
            let error = text.parse::<PartOf>().unwrap_err().to_string();
            assert!(
                error.contains("is not a part of a divided run; give the number of this part"),
                "{error}"
            );
        }
        let part = PartOf::new(3, 10).unwrap();
        assert_eq!(PartOf::of_folder(&part.folder_name()), Some(part));
        assert!(
            ["3-of-2", "x-of-3", "3of4", ".arcuate-1-of-2.partial"]
                .iter()
                .all(|name| PartOf::of_folder(name).is_none())
        );
    }
}
