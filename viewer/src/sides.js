// The letters of a slice's four sides, each on a dark field, so that neither the crosshair nor a bright voxel runs through it.
import { SLICE_TYPE } from '@niivue/niivue';

/** Left, right, above and below, in the radiological convention. */
const SIDES = {
  [SLICE_TYPE.AXIAL]: ['R', 'L', 'A', 'P'],
  [SLICE_TYPE.CORONAL]: ['R', 'L', 'S', 'I'],
  [SLICE_TYPE.SAGITTAL]: ['P', 'A', 'S', 'I'],
};
const FIELD = [0, 0, 0, 1];

/** Letters the slice in a box (left, top, width, height) of the canvas; stands in for NiiVue's own lettering. */
export function drawSides(niivue, [left, top, width, height], plane) {
  const letters = SIDES[plane];
  if (!letters) return;
  const { gl } = niivue;
  gl.viewport(0, 0, gl.canvas.width, gl.canvas.height); // of the slice until now
  const size = niivue.fontPx;
  const gap = size * 0.2;
  const wide = letters.map((letter) => niivue.textWidth(size, letter));
  const centre = [left + width / 2, top + height / 2];
  const places = [
    [left + gap, centre[1] - size / 2],
    [left + width - gap - wide[1], centre[1] - size / 2],
    [centre[0] - wide[2] / 2, top + gap],
    [centre[0] - wide[3] / 2, top + height - gap - size],
  ];
  letters.forEach((letter, n) => {
    const [x, y] = places[n];
    niivue.drawRect([x - gap, y - gap, wide[n] + 2 * gap, size + 2 * gap], FIELD);
    niivue.drawText([x, y], letter);
  });
}
