//! Tissues along a half of a streamline.

use super::placed::{Matter, PlacedAnatomy};
use crate::summary::Termination;

/// State of one half of a streamline (the part from the seed in one direction) with respect to the tissues.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnatomicalHalf {
    /// Number of the point at which the half entered the sub-cortical grey matter that it is in; the seed has
    /// number 0. `None` if the half is not in sub-cortical grey matter.
    entered: Option<u32>,
    /// True if the half may leave the sub-cortical grey matter that contains its seed.
    may_leave: bool,
    /// True if the half has left the sub-cortical grey matter that contains its seed.
    pub(crate) has_left: bool,
    /// True if at least one point of the half is in white matter.
    pub(crate) in_white: bool,
}

impl AnatomicalHalf {
    /// Starts a half at its seed. `may_leave` is true if the half may leave the sub-cortical grey matter that
    /// contains the seed.
    pub(crate) fn begin(&mut self, may_leave: bool) {
        *self = Self { may_leave, ..Self::default() };
    }

    /// Returns true if the half may leave the sub-cortical grey matter that contains its seed.
    pub(crate) fn may_leave(&self) -> bool {
        self.may_leave
    }

    /// Processes a point of the half; the seed has number 0. If the half stops at this point, returns the
    /// reason and whether the point still belongs to the half.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        anatomy: &PlacedAnatomy,
        place: [f32; 3],
        number: u32,
    ) -> Option<(Termination, bool)> {
        let matter = anatomy.at(place);
        match matter {
            Matter::Cortical if number > 0 => return Some((Termination::CorticalGrey, true)),
            Matter::Csf => return Some((Termination::Csf, false)),
            Matter::Nothing => return Some((Termination::LeftBrain, false)),
            Matter::SubCortical => {
                self.entered.get_or_insert(number);
            }
            Matter::White | Matter::Pathological | Matter::Cortical => {
                if let Some(entered) = self.entered {
                    if entered > 0 || !self.may_leave {
                        return Some((Termination::SubCorticalGrey, false));
                    }
                    (self.entered, self.has_left) = (None, true);
                }
                self.in_white |= matter == Matter::White;
            }
        }
        None
    }

    /// Returns how many of the half's points remain after truncation inside sub-cortical grey matter.
    ///
    /// `support` returns the support of the direction field at the point with the given index, for example
    /// the amplitude of a fibre orientation distribution. It returns `None` if the field has no such value.
    pub(crate) fn points_left(
        &self,
        anatomy: &PlacedAnatomy,
        why: Termination,
        points: &[[f32; 3]],
        support: impl Fn(usize) -> Option<f32>,
    ) -> usize {
        let (Termination::SubCorticalGrey, Some(entered)) = (why, self.entered) else { return points.len() };
        let (mut best, mut minimum) = (points.len(), f32::INFINITY);
        for n in entered as usize..points.len() {
            let value = support(n).unwrap_or_else(|| -anatomy.depth(points[n]));
            if value < minimum {
                (best, minimum) = (n + 1, value);
            }
        }
        best
    }
}

/// Returns true if a half of a streamline may stop for the reason `why`. `last` is the last point of the
/// half.
pub(crate) fn ends_well(anatomy: &PlacedAnatomy, why: Termination, last: Option<[f32; 3]>) -> bool {
    use Termination::{Avoid, CorticalGrey, Csf, Exit, LeftBrain, LeftImage, Stop, SubCorticalGrey, Target};
    match why {
        // Regions override tissues: a half may stop at a region in any tissue. A half in a region to avoid is
        // rejected later, by the constraints.
        CorticalGrey | SubCorticalGrey | LeftBrain | LeftImage | Stop | Exit | Avoid | Target => true,
        Csf => false,
        _ => last.is_none_or(|place| anatomy.may_end(place)),
    }
}
