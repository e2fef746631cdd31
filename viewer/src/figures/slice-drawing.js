// Draws a slice on a canvas: voxels, outlines of regions, fibre orientations, and the letters of the sides.
import { drawGlyphs } from './glyph-drawing.js';
import { PLANES } from './stack.js';

/**
 * Draws the visible part of a slice on a canvas that has the given width and height in CSS pixels. `shown` gives the first column and
 * row of this part and its numbers of columns and rows, which may be fractions.
 */
export function drawSlice(canvas, stack, { plane, slice, shown, glyphSize }, [width, height], position) {
  const sharp = Math.max(window.devicePixelRatio || 1, 1);
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = false; // Voxels are drawn as rectangles without interpolation.
  const [columns, rows] = stack.extent(plane);
  const [across, down] = [canvas.width / shown.columns, canvas.height / shown.rows];
  const corner = [-shown.column * across, -shown.row * down];
  context.drawImage(voxelsOf(stack, plane, slice), ...corner, columns * across, rows * down);
  stack.regions.forEach((region, n) => {
    const inside = (column, row) =>
      column >= 0 && row >= 0 && column < columns && row < rows && region[stack.index(stack.place(plane, slice, column, row))] > 0;
    const path = boundary(inside, columns, rows, across, down, corner);
    for (const [style, line] of [['rgb(0 0 0 / 0.6)', 4], [`rgb(${stack.outlines[n].colour.join(' ')})`, 2]]) {
      context.strokeStyle = style;
      context.lineWidth = line * sharp;
      context.stroke(path);
    }
  });
  if (stack.glyphs && glyphSize > 0) {
    // The slice is darkened so that the coloured glyphs stand out and the anatomy stays visible.
    context.fillStyle = 'rgb(0 0 0 / 0.5)';
    context.fillRect(0, 0, canvas.width, canvas.height);
    const indexAt = (column, row) => stack.index(stack.place(plane, slice, column, row));
    drawGlyphs(context, stack.glyphs, { indexAt, columns, rows, shown, axes: stack.axesOf(plane), size: glyphSize });
  }
  const size = 15 * sharp;
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.lineWidth = 3 * sharp;
  context.strokeStyle = '#000';
  const write = (text, x, y, align, colour) => {
    context.textAlign = align;
    context.fillStyle = colour;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  };
  const [middle, half] = [canvas.width / 2, canvas.height / 2];
  if (stack.placed) {
    const [left, right, above, below] = PLANES[plane].sides;
    write(left, size / 3, half, 'left', '#ffd75e');
    write(right, canvas.width - size / 3, half, 'right', '#ffd75e');
    write(above, middle, size * 0.7, 'center', '#ffd75e');
    write(below, middle, canvas.height - size * 0.7, 'center', '#ffd75e');
  }
  // The position is part of the picture, so saved files show it.
  write(position, size / 3, canvas.height - size * 0.7, 'left', '#c3ccd9');
}

function voxelsOf(stack, plane, slice) {
  const [columns, rows] = stack.extent(plane);
  const image = new ImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [r, g, b] = stack.colour(stack.index(stack.place(plane, slice, column, row)));
      image.data.set([r, g, b, 255], 4 * (row * columns + column));
    }
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext('2d').putImageData(image, 0, 0);
  return small;
}

/** Returns the path along the edges between voxels of a region and other voxels. */
function boundary(inside, columns, rows, across, down, [left, top]) {
  const path = new Path2D();
  const edge = (x1, y1, x2, y2) => {
    path.moveTo(left + x1 * across, top + y1 * down);
    path.lineTo(left + x2 * across, top + y2 * down);
  };
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const here = inside(column, row);
      if (here !== inside(column - 1, row)) edge(column, row, column, row + 1);
      if (here !== inside(column, row - 1)) edge(column, row, column + 1, row);
    }
  }
  return path;
}
