// Streamlines for NiiVue, with corrections for some of NiiVue's behaviour.
import { NVMesh } from '@niivue/niivue';
import { bytesOf } from './scene.js';
import { QuantityScale } from './quantity.js';

/** Loads the streamlines of a scene, and the scale of their quantity if they have one. Colours and thresholds are set later. */
export async function loadTracts({ data, shown, quantity, groups }, gl) {
  const mesh = await NVMesh.readMesh(bytesOf(data), 'tracts.trx', gl);
  endOnce(mesh, shown);
  doubleHeads(mesh);
  mesh.fiberDither = 0; // Colours mean directions, so they get no random shade.
  mesh.fiberLength = 0.001; // By default NiiVue hides streamlines shorter than 2 mm.
  mesh.colormap = 'viridis';
  mesh.colorbarVisible = false;
  if (groups) mesh.groups = membersOf(mesh, groups.length);
  const column = mesh.dps?.find(({ id }) => id === 'quantity');
  if (!column || !quantity) return { mesh: Object.assign(mesh, { dps: null }), scale: null };
  const scale = new QuantityScale(column.vals, quantity);
  mesh.dps = [column, { ...column, id: 'colour', vals: Float32Array.from(column.vals, (value) => scale.colour(value)) }];
  return { mesh, scale };
}

/** Returns the streamlines of each group in NiiVue's form. */
function membersOf(mesh, count) {
  const members = Array.from({ length: count }, () => []);
  mesh.dps.find(({ id }) => id === 'group').vals.forEach((group, streamline) => members[group].push(streamline));
  return members.map((vals, n) => ({ id: String(n), vals }));
}

/** Returns the colours of the groups in NiiVue's form. */
export function groupColours(groups) {
  const channel = (n) => groups.map(([, colour]) => colour[n]);
  return { R: channel(0), G: channel(1), B: channel(2), I: groups.map((_, n) => n) };
}

/**
 * Removes a superfluous offset. The offsets of a TRX file end with the number of points. NiiVue adds this number again, which would
 * make one streamline too many, without a value.
 */
function endOnce(mesh, streamlines) {
  if (mesh.offsetPt0.length === streamlines + 2) mesh.offsetPt0 = mesh.offsetPt0.slice(0, -1);
}

/**
 * Doubles the first point of each streamline. NiiVue gives the first point a colour that does not match the direction (it compares x
 * with y, y with z and z with x). With the doubled point, only a segment of length 0 has this wrong colour.
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
