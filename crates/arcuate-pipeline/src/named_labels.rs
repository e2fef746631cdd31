//! Region labels of a file, and the table of their names.

use arcuate_core::{NamedLabel, printable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Converts the labels of a file to region numbers. A label that is not in the table of names gets no region,
/// and is noted for a warning. If there is no table, each label is a region.
pub(crate) struct NamedLabels<'t> {
    table: Option<&'t BTreeMap<i32, NamedLabel>>,
    unnamed: BTreeSet<u32>,
}

impl<'t> NamedLabels<'t> {
    pub(crate) fn new(table: &'t BTreeMap<i32, NamedLabel>, own_tables: bool) -> Self {
        Self { table: Some(table).filter(|table| own_tables && !table.is_empty()), unnamed: BTreeSet::new() }
    }

    pub(crate) fn region(&mut self, label: i32) -> u32 {
        let Ok(region) = u32::try_from(label) else { return 0 };
        if region == 0 || self.table.is_none_or(|table| table.contains_key(&label)) {
            return region;
        }
        self.unnamed.insert(region);
        0
    }

    /// Warns of the labels that are not in the table of names. If the file `path` has several maps, `map` is
    /// the name of the map with these labels.
    pub(crate) fn warn(&self, path: &Path, map: Option<&str>) {
        let unnamed: Vec<u32> = self.unnamed.iter().copied().collect();
        let table = map.map(|map| format!("the table of its map `{}`", printable(map, 60)));
        warn_of_unnamed(path, table.as_deref().unwrap_or("its own table"), &unnamed);
    }
}

/// Returns the region numbers that are not in the table `names`.
pub(crate) fn without_name(regions: &[u32], names: &BTreeMap<u32, String>) -> Vec<u32> {
    regions.iter().copied().filter(|region| !names.contains_key(region)).collect()
}

/// Warns of regions that occur in a file but not in the table of names. These regions are ignored: a
/// streamline that terminates in such a region does not count as a connection.
pub(crate) fn warn_of_unnamed(path: &Path, table: impl std::fmt::Display, unnamed: &[u32]) {
    const MAX_SHOWN: usize = 10;
    if unnamed.is_empty() {
        return;
    }
    let shown: Vec<String> = unnamed.iter().take(MAX_SHOWN).map(u32::to_string).collect();
    let (shown, more) = (shown.join(", "), if unnamed.len() > MAX_SHOWN { ", …" } else { "" });
    let which = match unnamed.len() {
        1 => "1 region has no name".to_owned(),
        count => format!("{count} regions have no name"),
    };
    let are = if unnamed.len() == 1 { "is" } else { "are" };
    tracing::warn!("{}: {which} in {table} and {are} not used: {shown}{more}", path.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_without_a_name_are_reported_and_have_no_region() {
        let label = |name: &str| NamedLabel { name: name.into(), colour: [1.0; 4] };
        let table = BTreeMap::from([(0, label("???")), (1, label("one")), (-2, label("odd"))]);
        let mut named = NamedLabels::new(&table, true);
        let regions: Vec<u32> = [0, 1, 3, 3, 7, -2].map(|label| named.region(label)).to_vec();
        assert_eq!(regions, [0, 1, 0, 0, 0, 0]);
        assert_eq!(named.unnamed, BTreeSet::from([3, 7]));
        // If the file has no table of names, or if another table replaces it, each label is a region.
        for mut all in [NamedLabels::new(&BTreeMap::new(), true), NamedLabels::new(&table, false)] {
            assert_eq!((all.region(3), all.region(0)), (3, 0));
            assert!(all.unnamed.is_empty());
        }
        assert_eq!(without_name(&[1, 3], &BTreeMap::from([(1, "one".to_owned())])), [3]);
    }
}
