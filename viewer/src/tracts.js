// Streamlines for NiiVue, and what it needs to be helped with.
import { NVMesh } from '@niivue/niivue';
import { bytesOf } from './scene.js';
import { QuantityScale } from './quantity.js';

/** The streamlines of a scene, and the scale of their numbers where they have any; colours and thresholds come later. */
export async function loadTracts({ data, shown, quantity, groups }, gl) {
  const mesh = await NVMesh.readMesh(bytesOf(data), 'tracts.trx', gl);
  endOnce(mesh, shown);
  doubleHeads(mesh);
  mesh.fiberDither = 0; // colours mean directions: no random shade
  mesh.fiberLength = 0.001; // NiiVue hides what is shorter than 2 mm
  mesh.colormap = 'viridis';
  mesh.colorbarVisible = false;
  if (groups) mesh.groups = membersOf(mesh, groups.length);
  const column = mesh.dps?.find(({ id }) => id === 'quantity');
  if (!column || !quantity) return { mesh: Object.assign(mesh, { dps: null }), scale: null };
  const scale = new QuantityScale(column.vals, quantity);
  mesh.dps = [column, { ...column, id: 'colour', vals: Float32Array.from(column.vals, (value) => scale.colour(value)) }];
  return { mesh, scale };
}

/** Streamlines by groups, as NiiVue takes them. */
function membersOf(mesh, count) {
  const members = Array.from({ length: count }, () => []);
  mesh.dps.find(({ id }) => id === 'group').vals.forEach((group, streamline) => members[group].push(streamline));
  return members.map((vals, n) => ({ id: String(n), vals }));
}

/** The colours of groups, as NiiVue takes them. */
export function groupColours(groups) {
  const channel = (n) => groups.map(([, colour]) => colour[n]);
  return { R: channel(0), G: channel(1), B: channel(2), I: groups.map((_, n) => n) };
}

/**
 * TRX offsets end with the number of points; NiiVue adds that end itself and then sees one streamline too many, for
 * which there is no number.
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
