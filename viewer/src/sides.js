// Draws the letters of a slice's four sides on dark rectangles, so that the crosshair and bright voxels do not cross the letters.
import { SLICE_TYPE } from '@niivue/niivue';

/** Letters at the left, right, upper and lower side of each slice type in the radiological convention. */
const SIDES = {
  [SLICE_TYPE.AXIAL]: ['R', 'L', 'A', 'P'],
  [SLICE_TYPE.CORONAL]: ['R', 'L', 'S', 'I'],
  [SLICE_TYPE.SAGITTAL]: ['P', 'A', 'S', 'I'],
};
const FIELD = [0, 0, 0, 1];

/** Draws the letters of a slice in a box (left, top, width, height) of the canvas. Replaces NiiVue's own letters. */
export function drawSides(niivue, [left, top, width, height], plane) {
  const letters = SIDES[plane];
  if (!letters) return;
  const { gl } = niivue;
  gl.viewport(0, 0, gl.canvas.width, gl.canvas.height); // Until here the viewport is the slice.
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
