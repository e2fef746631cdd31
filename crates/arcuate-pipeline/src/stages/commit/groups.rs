//! Groups of streamlines, from a text file or from the tractogram itself.

use arcuate_core::{Error, Result, is_file_or_link, narrow};
use arcuate_io::{LARGEST_TEXT, TractogramReader, read_text_file};
use std::collections::BTreeMap;
use std::path::Path;

/// The group of each streamline (`None` for no group), and the names of the groups.
#[derive(Debug, PartialEq)]
pub(super) struct Groups {
    pub(super) of_streamline: Vec<Option<u32>>,
    pub(super) names: Vec<String>,
}

/// Value of the option `groups` that selects all groups in the tractogram.
const OF_TRACTOGRAM: &str = "all";

impl Groups {
    /// Reads the groups of streamlines. `text` is the path of a text file with one group name per streamline,
    /// or a comma-separated list of groups in the tractogram. `text` can also be `all` for all groups of the
    /// tractogram.
    pub(super) fn read(text: &str, tractogram: Option<&Path>, streamlines: usize) -> Result<Self> {
        let path = Path::new(text);
        if is_file_or_link(path) {
            let lines = read_text_file(path, LARGEST_TEXT)?;
            return Self::of_lines(&lines, streamlines).map_err(|e| e.about(path.display()));
        }
        let Some(tractogram) = tractogram else {
            let advice =
                "give a file with the name of a group for each streamline, or name the tractogram too";
            return Err(Error::usage(format!("‘groups’ {text}"), "there is no such file", advice));
        };
        let known = TractogramReader::open(tractogram)?.read_groups()?.members;
        Self::of_names(text, &known, streamlines)
    }

    /// Parses one group name per line. The name `-` means no group.
    fn of_lines(lines: &str, streamlines: usize) -> Result<Self> {
        let names: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
        if let Some(empty) = names.iter().position(|name| name.is_empty()) {
            let problem = format!("row {} is empty", empty + 1);
            return Err(Error::invalid(
                "groups",
                problem,
                "write `-` as the group of a streamline that is in no group",
            ));
        }
        if names.len() != streamlines {
            let problem = format!("{} rows for {streamlines} streamlines", names.len());
            let advice = "give the name of a group for each streamline, one a line";
            return Err(Error::invalid("groups", problem, advice));
        }
        let mut numbers = BTreeMap::new();
        for name in names.iter().filter(|name| **name != "-") {
            numbers.insert(*name, 0);
        }
        for (number, (_, of_name)) in numbers.iter_mut().enumerate() {
            *of_name = narrow::<u32>(number);
        }
        Ok(Self {
            of_streamline: names.iter().map(|name| numbers.get(name).copied()).collect(),
            names: numbers.into_keys().map(str::to_owned).collect(),
        })
    }

    fn of_names(text: &str, known: &BTreeMap<String, Vec<u32>>, streamlines: usize) -> Result<Self> {
        let fail = |problem: String| {
            let advice = if known.is_empty() {
                "the tractogram has no groups: give a file with the name of a group for each streamline"
                    .into()
            } else {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                format!(
                    "give a file with one group name per streamline, or choose some of the groups {}",
                    names.join(", ")
                )
            };
            Err(Error::usage(format!("‘groups’ {text}"), problem, advice))
        };
        let names: Vec<String> = if text == OF_TRACTOGRAM {
            known.keys().cloned().collect()
        } else {
            text.split(',').map(|name| name.trim().to_owned()).collect()
        };
        if names.is_empty() {
            return fail("the tractogram has no groups".into());
        }
        if let Some(n) = (1..names.len()).find(|&n| names[..n].contains(&names[n])) {
            return fail(format!("it names `{}` twice", names[n]));
        }
        let mut of_streamline: Vec<Option<u32>> = vec![None; streamlines];
        for (number, name) in names.iter().enumerate() {
            let Some(members) = known.get(name) else {
                return fail(format!("no file and no group of the tractogram is called `{name}`"));
            };
            for &member in members {
                let Some(group) = of_streamline.get_mut(member as usize) else {
                    return fail(format!("group `{name}` has a streamline {member} of {streamlines}"));
                };
                if let Some(other) = group.replace(narrow::<u32>(number))
                    && other != narrow::<u32>(number)
                {
                    let other = &names[other as usize];
                    return fail(format!("streamline {member} is in `{other}` and in `{name}`"));
                }
            }
        }
        Ok(Self { of_streamline, names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_the_group_of_each_streamline() {
        let groups = Groups::of_lines("# a comment\nleft\n7\n-\nleft\n", 4).unwrap();
        assert_eq!(groups.names, ["7", "left"]);
        assert_eq!(groups.of_streamline, [Some(1), Some(0), None, Some(1)]);
        let refused = |text| Groups::of_lines(text, 2).unwrap_err().to_string();
        assert_eq!(
            refused("a\nb\nc\n"),
            "groups: 3 rows for 2 streamlines; give the name of a group for each streamline, one a line"
        );
        assert_eq!(
            refused("a\n\nc\n"),
            "groups: row 2 is empty; write `-` as the group of a streamline that is in no group"
        );
    }

    #[test]
    fn names_select_groups_of_the_tractogram() {
        let known: BTreeMap<String, Vec<u32>> =
            [("a".to_owned(), vec![0, 2]), ("b".to_owned(), vec![1]), ("c".to_owned(), vec![2, 3])].into();
        let groups = Groups::of_names("b, a", &known, 4).unwrap();
        assert_eq!(groups.of_streamline, [Some(1), Some(0), Some(1), None]);
        let refused = |text: &str| Groups::of_names(text, &known, 4).unwrap_err().to_string();
        assert_eq!(
            refused("all"),
            "‘groups’ all: streamline 2 is in `a` and in `c`; give a file with one group name per \
             streamline, or choose some of the groups a, b, c"
        );
        assert!(refused("a,a").starts_with("‘groups’ a,a: it names `a` twice; "));
        assert!(refused("d").contains("no file and no group of the tractogram is called `d`"));
        assert!(Groups::of_names("all", &BTreeMap::new(), 4).is_err());
        assert!(Groups::of_names("c", &known, 3).unwrap_err().to_string().contains("streamline 3 of 3"));
    }
}
