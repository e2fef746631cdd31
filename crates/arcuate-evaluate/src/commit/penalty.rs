use arcuate_core::{Error, Result, narrow};

/// The strength λ of a penalty on amounts, given as a fraction or as an absolute number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// λ as a fraction of the smallest λ for which the amounts of all streamlines are 0. This smallest λ is
    /// computed with the best amounts of all other compartments. The fraction 0 is no penalty, and 1 removes
    /// all streamlines. The fraction does not depend on the unit of the signal.
    Fraction(f64),
    /// λ itself, in the unit of Aᵀy.
    Absolute(f64),
}

impl Strength {
    /// Returns an error if the strength is negative, infinite or NaN.
    pub fn check(self) -> Result<()> {
        let (Self::Fraction(value) | Self::Absolute(value)) = self;
        if value >= 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(Error::usage(
            "‘lambda’",
            format!("{value} is not a possible strength of a penalty"),
            "give a strength of 0 or more",
        ))
    }
}

/// Penalties on the amounts of the compartments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Penalty {
    /// Penalty λ Σ x over the amounts x of all streamlines (lasso). In the fit, few streamlines then have
    /// amounts above 0.
    pub streamlines: Option<Strength>,
    /// Penalty λ Σ_g w_g ‖x_g‖₂ over groups g of streamlines, with weights w_g and amounts x_g. In the fit,
    /// few groups then have amounts above 0 (COMMIT2).
    pub groups: Option<(StreamlineGroups, Strength)>,
    /// Penalty λ Σ x over the extra-axonal amounts x. If λ is given as a fraction, it is a fraction of the
    /// largest element of Aᵀy among these unknowns. If the fraction is 1 and all other amounts are 0, then
    /// all extra-axonal amounts are 0.
    pub extra: Option<Strength>,
    /// Penalty λ Σ x over the isotropic amounts x. If λ is given as a fraction, it is a fraction of the
    /// largest element of Aᵀy among these unknowns.
    pub isotropic: Option<Strength>,
}

impl Penalty {
    /// Returns whether no amount has a penalty.
    pub fn is_none(&self) -> bool {
        !self.is_of_streamlines() && self.extra.is_none() && self.isotropic.is_none()
    }

    pub(super) fn is_of_streamlines(&self) -> bool {
        self.streamlines.is_some() || self.groups.is_some()
    }

    /// Returns an error if the strength of a penalty is negative, infinite or NaN.
    pub(super) fn check(&self) -> Result<()> {
        let of_groups = self.groups.iter().map(|(_, strength)| strength);
        let alone = [&self.streamlines, &self.extra, &self.isotropic];
        alone.into_iter().flatten().chain(of_groups).try_for_each(|strength| strength.check())
    }
}

/// How the weight w_g of a group g of streamlines is computed. The weight is a factor in the penalty on the
/// group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GroupWeights {
    /// The weight is w_g = √|g|, where |g| is the number of streamlines in the group g (Yuan and Lin 2006,
    /// doi:10.1111/j.1467-9868.2005.00532.x).
    #[default]
    Size,
    /// The weight is w_g = √|g| / ‖x_g‖₂, where |g| is the number of streamlines in the group g. The vector
    /// x_g contains their amounts in a fit without this penalty. The penalty therefore hardly shrinks the
    /// amounts of groups that the signal supports (Schiavi et al. 2020, doi:10.1126/sciadv.aba8245). If the
    /// amounts of a group are 0 in the fit without penalty, they remain 0.
    Adaptive,
}

/// Disjoint groups of streamlines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamlineGroups {
    pub(super) starts: Vec<usize>,
    pub(super) members: Vec<u32>,
    pub(super) weights: GroupWeights,
}

impl StreamlineGroups {
    /// Creates groups of streamlines from one group number per streamline, counted from 0. A streamline with
    /// `None` is in no group. If no streamline has a number, the group of this number is empty.
    ///
    /// Returns an error if no streamline belongs to a group.
    pub fn new(group_of: &[Option<u32>], weights: GroupWeights) -> Result<Self> {
        let Some(last) = group_of.iter().flatten().max() else {
            let advice = "give each streamline the name of its group";
            return Err(Error::invalid("groups", "no streamline is in one", advice));
        };
        let mut numbered: Vec<(u32, u32)> = group_of
            .iter()
            .enumerate()
            .filter_map(|(f, group)| Some(((*group)?, narrow::<u32>(f))))
            .collect();
        // The sort is stable, so that the streamlines of a group keep their order.
        numbered.sort_by_key(|&(group, _)| group);
        let starts =
            (0..=*last as usize + 1).map(|g| numbered.partition_point(|&(group, _)| (group as usize) < g));
        Ok(Self { starts: starts.collect(), members: numbered.iter().map(|&(_, f)| f).collect(), weights })
    }

    /// Returns the number of groups.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the numbers of the streamlines in a group, ascending.
    pub fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamlines_are_sorted_by_group() {
        let groups = StreamlineGroups::new(&[Some(2), None, Some(0), Some(2)], GroupWeights::Size).unwrap();
        assert_eq!(groups.len(), 3);
        assert_eq!(
            (groups.members(0), groups.members(1), groups.members(2)),
            (&[2][..], &[][..], &[0, 3][..])
        );
        assert!(StreamlineGroups::new(&[None, None], GroupWeights::Size).is_err());
    }

    #[test]
    fn negative_penalties_are_rejected() {
        assert!(Strength::Fraction(0.0).check().is_ok() && Strength::Absolute(3e7).check().is_ok());
        for wrong in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(Strength::Fraction(wrong).check().is_err());
        }
    }
}
