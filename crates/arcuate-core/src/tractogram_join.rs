use crate::{Column, Error, Result, StreamlineSink, Tractogram};
use std::collections::BTreeMap;

impl Tractogram {
    /// The streamlines of several tractograms, one after the other, with what all of them know; and the names of what was
    /// left out.
    ///
    /// Data of points and streamlines stay where every part has them in the same width and type. Groups are renumbered,
    /// and those of one name become one; data of a group stay unless two parts say different things of it. Fails where
    /// there are more streamlines than groups can number.
    pub fn join(parts: impl IntoIterator<Item = Self>) -> Result<(Self, Vec<String>)> {
        let mut parts = parts.into_iter();
        let mut joined = parts.next().unwrap_or_default();
        let mut left_out = Vec::new();
        for part in parts {
            let first = joined.len();
            joined.take(part.as_batch())?;
            append_columns(&mut joined.per_point, part.per_point, &mut left_out);
            append_columns(&mut joined.per_streamline, part.per_streamline, &mut left_out);
            for (name, members) in part.groups {
                let numbers = members.into_iter().map(|member| renumbered(first, member));
                joined.groups.entry(name).or_default().extend(numbers.collect::<Result<Vec<_>>>()?);
            }
            for (group, columns) in part.per_group {
                let known = joined.per_group.entry(group.clone()).or_default();
                for (name, column) in columns {
                    let full = format!("{group}/{name}");
                    if left_out.contains(&full) {
                        continue;
                    }
                    if known.get(&name).is_some_and(|other| *other != column) {
                        known.remove(&name);
                        left_out.push(full);
                    } else {
                        known.insert(name, column);
                    }
                }
            }
        }
        joined.per_group.retain(|_, columns| !columns.is_empty());
        left_out.sort_unstable();
        left_out.dedup();
        Ok((joined, left_out))
    }
}

/// The number of a member of a group when `first` streamlines come before.
fn renumbered(first: usize, member: u32) -> Result<u32> {
    u32::try_from(first + member as usize).map_err(|_| {
        let problem = format!("a group cannot name streamline {}", first + member as usize);
        Error::invalid("tractogram", problem, "join fewer streamlines, or leave the groups out")
    })
}

/// Adds the columns of another table below those of the same name, width and type; all others go.
fn append_columns(
    columns: &mut BTreeMap<String, Column>,
    mut others: BTreeMap<String, Column>,
    left_out: &mut Vec<String>,
) {
    columns.retain(|name, column| {
        let stays = others.remove(name).is_some_and(|other| column.append(other));
        if !stays {
            left_out.push(name.clone());
        }
        stays
    });
    left_out.extend(others.into_keys());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalars;

    fn column(values: Vec<f32>) -> Column {
        Column::new(1, Scalars::F32(values)).unwrap()
    }

    fn one(x: f32) -> Tractogram {
        let mut t = Tractogram::new();
        t.push(&[[x; 3], [x + 1.0; 3]]);
        t.push(&[[x; 3]]);
        t.per_point.insert("id".into(), column(vec![x, x + 1.0, x + 2.0]));
        t.per_streamline.insert("weight".into(), column(vec![x, -x]));
        t.groups.insert("both".into(), vec![1]);
        t.per_group.insert("both".into(), BTreeMap::from([("colour".into(), column(vec![3.0]))]));
        t
    }

    #[test]
    fn what_all_parts_have_follows_each_other() {
        let (joined, left_out) = Tractogram::join([one(0.0), one(5.0), one(9.0)]).unwrap();
        joined.check().unwrap();
        assert!(left_out.is_empty());
        assert_eq!(joined.len(), 6);
        assert_eq!(joined.streamline(4), [[9.0; 3], [10.0; 3]]);
        let ids = [0.0, 1.0, 2.0, 5.0, 6.0, 7.0, 9.0, 10.0, 11.0];
        assert_eq!(joined.per_point["id"].values().to_f64(), ids);
        assert_eq!(joined.per_streamline["weight"].values().to_f64(), [0.0, 0.0, 5.0, -5.0, 9.0, -9.0]);
        assert_eq!(joined.groups["both"], [1, 3, 5]);
        assert_eq!(joined.per_group["both"]["colour"], column(vec![3.0]));
        assert_eq!(Tractogram::join([one(5.0)]).unwrap(), (one(5.0), vec![]));
        assert!(Tractogram::join([]).unwrap().0.is_empty());
    }

    #[test]
    fn what_some_lack_or_have_otherwise_is_left_out_and_named() {
        let [mut first, mut second, third] = [one(0.0), one(5.0), one(9.0)];
        first.per_point.insert("alone".into(), column(vec![0.0; 3]));
        second.per_point.insert("late".into(), column(vec![0.0; 3]));
        let other_type = Column::new(1, Scalars::F64(vec![0.0; 2])).unwrap();
        second.per_streamline.insert("weight".into(), other_type);
        second.groups.insert("new".into(), vec![0]);
        let other_colour = BTreeMap::from([("colour".into(), column(vec![4.0]))]);
        second.per_group.insert("both".into(), other_colour);
        let (joined, left_out) = Tractogram::join([first, second, third]).unwrap();
        joined.check().unwrap();
        assert_eq!(left_out, ["alone", "both/colour", "late", "weight"]);
        assert_eq!(joined.per_point.keys().collect::<Vec<_>>(), ["id"]);
        assert!(joined.per_streamline.is_empty() && joined.per_group.is_empty());
        assert_eq!(joined.groups["new"], [2]);
        assert_eq!(joined.groups["both"], [1, 3, 5]);
    }
}
