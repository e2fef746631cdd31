// Streamlines for NiiVue, and what it needs to be helped with.
import { NVMesh } from '@niivue/niivue';
import { bytesOf } from './scene.js';
import { WeightScale } from './weights.js';

/** The streamlines of a scene, and their weights where they have any; colours and thresholds come later. */
export async function loadTracts({ data, shown }, gl) {
  const mesh = await NVMesh.readMesh(bytesOf(data), 'tracts.trx', gl);
  endOnce(mesh, shown);
  doubleHeads(mesh);
  mesh.fiberDither = 0; // colours mean directions: no random shade
  mesh.fiberLength = 0.001; // NiiVue hides what is shorter than 2 mm
  mesh.colormap = 'viridis';
  mesh.colorbarVisible = false;
  const column = mesh.dps?.find(({ id }) => id === 'weight');
  if (!column) return { mesh, weights: null };
  const weights = new WeightScale(column.vals);
  mesh.dps = [column, { ...column, id: 'log_weight', vals: weights.logarithms() }];
  return { mesh, weights };
}

/**
 * TRX offsets end with the number of points; NiiVue adds that end itself and then sees one streamline too many, for
 * which there is no weight.
 */
function endOnce(mesh, streamlines) {
  if (mesh.offsetPt0.length === streamlines + 2) mesh.offsetPt0 = mesh.offsetPt0.slice(0, -1);
}

/**
 * NiiVue gives the first point of a streamline a colour of no direction (it compares x with y, y with z and z with x).
 * With that point twice the wrong colour lies on a piece without length.
 */
function doubleHeads(mesh) {
  const { pts, offsetPt0 } = mesh;
  const streamlines = offsetPt0.length - 1;
  const points = new Float32Array(pts.length + 3 * streamlines);
  const offsets = Uint32Array.from(offsetPt0, (offset, n) => offset + n);
  for (let n = 0; n < streamlines; n++) {
    const line = pts.subarray(3 * offsetPt0[n], 3 * offsetPt0[n + 1]);
    points.set(line.subarray(0, 3), 3 * offsets[n]);
    points.set(line, 3 * offsets[n] + 3);
  }
  mesh.pts = points;
  mesh.offsetPt0 = offsets;
}
