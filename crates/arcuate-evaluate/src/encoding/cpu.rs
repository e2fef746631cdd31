use super::counts::Counts;
use super::{Encoding, EncodingOptions, NodeValue};
use arcuate_core::{
    Mask, NearestOrientation, Point, Result, StreamlineBatch, StreamlineSink, StreamlineSource, narrow,
};
use arcuate_numbers::vector3::norm;
use rayon::prelude::*;

/// Number of streamlines that one task encodes.
const BATCH: usize = 512;

#[derive(Clone, Copy)]
struct Coefficient {
    voxel: u32,
    streamline: u32,
    value: f32,
    atom: u16,
}

/// Converts streamlines to sparse coefficients on the CPU. `tasks` has the coefficients that each task has
/// found, and each task's number of points outside the mask.
struct Encoder<'a> {
    mask: &'a Mask,
    nearest: NearestOrientation,
    node_value: NodeValue,
    tasks: Vec<(Vec<Coefficient>, u64)>,
    counts: Counts,
}

impl StreamlineSink for Encoder<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let first = self.counts.add(batch)?;
        let Self { mask, nearest, node_value, .. } = &*self;
        let tasks: Vec<_> = (0..batch.len().div_ceil(BATCH))
            .into_par_iter()
            .map(|task| {
                let (mut out, mut outside) = (Vec::new(), 0);
                for n in task * BATCH..((task + 1) * BATCH).min(batch.len()) {
                    outside +=
                        streamline(batch.streamline(n), first + n, mask, nearest, *node_value, &mut out);
                }
                out.shrink_to_fit();
                (out, outside)
            })
            .collect();
        self.tasks.extend(tasks);
        Ok(())
    }
}

pub(super) fn encode(
    source: &dyn StreamlineSource,
    mask: &Mask,
    options: &EncodingOptions,
) -> Result<Encoding> {
    let mut encoder = Encoder {
        mask,
        nearest: NearestOrientation::new(&options.orientations),
        node_value: options.node_value,
        tasks: Vec::new(),
        counts: Counts::default(),
    };
    source.stream(&mut encoder)?;
    let Encoder { tasks: batches, counts: passed, .. } = encoder;
    let nodes_outside = batches.iter().map(|(_, outside)| outside).sum();

    // A counting sort by voxel keeps the order of streamlines. After this sort, the few coefficients of each
    // voxel are sorted by orientation.
    let mut counts = vec![0usize; mask.grid().len()];
    for c in batches.iter().flat_map(|(batch, _)| batch) {
        counts[c.voxel as usize] += 1;
    }
    let voxels: Vec<u32> = (0..narrow::<u32>(counts.len())).filter(|&v| counts[v as usize] > 0).collect();
    let mut voxel_starts = vec![0];
    let mut next = counts;
    let mut total = 0;
    for &voxel in &voxels {
        let here = next[voxel as usize];
        next[voxel as usize] = total;
        total += here;
        voxel_starts.push(total);
    }
    let empty = Coefficient { voxel: 0, streamline: 0, value: 0.0, atom: 0 };
    let mut sorted = vec![empty; total];
    for (batch, _) in batches {
        for c in batch {
            let place = &mut next[c.voxel as usize];
            sorted[*place] = c;
            *place += 1;
        }
    }
    let mut rest = sorted.as_mut_slice();
    let mut pieces = Vec::with_capacity(voxels.len());
    for pair in voxel_starts.windows(2) {
        let (piece, tail) = rest.split_at_mut(pair[1] - pair[0]);
        pieces.push(piece);
        rest = tail;
    }
    pieces.into_par_iter().for_each(|piece| piece.sort_unstable_by_key(|c| (c.atom, c.streamline)));

    Ok(Encoding {
        grid: *mask.grid(),
        orientations: options.orientations.clone(),
        streamlines: passed.streamlines,
        nodes: passed.points,
        voxels,
        voxel_starts,
        atoms: sorted.iter().map(|c| c.atom).collect(),
        members: sorted.iter().map(|c| c.streamline).collect(),
        values: sorted.iter().map(|c| c.value).collect(),
        nodes_outside,
    })
}

/// Adds the coefficients of one streamline, at most one for each pair of voxel and orientation. Returns the
/// number of the streamline's points outside the mask.
fn streamline(
    points: &[Point],
    number: usize,
    mask: &Mask,
    nearest: &NearestOrientation,
    node_value: NodeValue,
    out: &mut Vec<Coefficient>,
) -> u64 {
    if points.len() < 2 {
        return 0;
    }
    let first = out.len();
    let mut outside = 0;
    let wide = |n: usize| points[n].map(f64::from);
    let apart = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|axis| b[axis] - a[axis]) };
    for n in 0..points.len() {
        let Some(voxel) = mask.grid().voxel_at(wide(n)).filter(|&voxel| mask.contains(voxel)) else {
            outside += 1;
            continue;
        };
        let (before, after) = (n.saturating_sub(1), (n + 1).min(points.len() - 1));
        let tangent = apart(wide(before), wide(after));
        if norm(tangent) == 0.0 {
            // At repeated points, and where the streamline reverses, it has no direction and thus no
            // orientation.
            continue;
        }
        let value = match node_value {
            NodeValue::Count => 1.0,
            NodeValue::Length => {
                0.5 * (norm(apart(wide(before), wide(n))) + norm(apart(wide(n), wide(after))))
            }
        };
        out.push(Coefficient {
            voxel: narrow::<u32>(voxel),
            streamline: narrow::<u32>(number),
            value: value as f32,
            atom: narrow::<u16>(nearest.find(tangent)),
        });
    }
    let mine = &mut out[first..];
    mine.sort_by_key(|c| (c.voxel, c.atom));
    let mut kept = first;
    for at in first..out.len() {
        if kept > first && (out[kept - 1].voxel, out[kept - 1].atom) == (out[at].voxel, out[at].atom) {
            out[kept - 1].value += out[at].value;
        } else {
            out[kept] = out[at];
            kept += 1;
        }
    }
    out.truncate(kept);
    outside
}
