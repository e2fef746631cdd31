// The enlarged view of a slice: it steps through all slices of a plane, zooms, and shows the value and the coordinates at the cursor.
import { PLANES, Stack } from './stack.js';
import { drawSlice } from './slice-drawing.js';
import { Zoom } from './zoom.js';
import { saveCanvas } from '../download.js';

/** Zoom factor of one step. */
const STEP = 1.5;

/** Makes each slice of a figure open its enlarged view on a click, Enter or the space key. */
export function listenToSlices(slices) {
  const description = slices.querySelector('script');
  if (!description) return;
  for (const tile of slices.querySelectorAll('.tile')) {
    tile.tabIndex = 0;
    tile.setAttribute('role', 'button');
    tile.setAttribute('aria-label', `Open ${tile.querySelector('img').alt} large`);
    const open = async () => {
      slices.stack ??= Stack.open(JSON.parse(description.textContent));
      show(await slices.stack, tile);
    };
    tile.addEventListener('click', open);
    tile.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    });
  }
}

/** Opens the enlarged view of the slice of a tile. */
function show(stack, tile) {
  const state = { plane: tile.dataset.plane, slice: 0, pointer: null, shown: new Zoom(), glyphSize: 1 };
  // `number` is the index of the current slice among the slices of its plane.
  const slices = () => stack.slicesOf(state.plane);
  let number = Math.max(slices().indexOf(Math.min(Math.floor(Number(tile.dataset.slice) / stack.stride), stack.extent(state.plane)[2] - 1)), 0);
  const dialog = element('dialog', { className: 'slice-view' });
  dialog.setAttribute('aria-label', stack.title);
  const canvas = element('canvas', { tabIndex: 0 });
  canvas.setAttribute('role', 'img');
  const frame = element('div', { className: 'slice-frame' });
  frame.append(canvas);
  const planes = element('select', { name: 'plane' });
  planes.setAttribute('aria-label', 'Plane');
  for (const [plane, { through }] of Object.entries(PLANES)) {
    const option = element('option', { value: plane, textContent: plane });
    option.disabled = stack.extent(plane)[0] < 2 || stack.extent(plane)[1] < 2 || stack.slicesOf(plane).length === 0;
    planes.append(option);
    option.title = `slices along ${through}`;
  }
  const slider = element('input', { type: 'range', name: 'slice', min: 0, step: 1 });
  const position = element('output', { className: 'slice-position' });
  const reading = element('output', { className: 'slice-reading' });
  const glyphSize = element('input', { type: 'range', name: 'glyphSize', min: 0, max: 3, step: 0.1, value: 1 });
  const [smaller, larger] = [['−', 'Smaller'], ['+', 'Larger']].map(([textContent, name]) => {
    const button = element('button', { type: 'button', textContent });
    button.setAttribute('aria-label', name);
    return button;
  });
  const save = element('button', { type: 'button', textContent: 'Save PNG' });
  const close = element('button', { type: 'button', textContent: 'Close' });

  const read = () => {
    if (!state.pointer) {
      const thinned = stack.stride > 1 ? ` Every ${['', '', 'second', 'third'][stack.stride] ?? `${stack.stride}th`} voxel of the image.` : '';
      reading.textContent = `Point at the slice to read its values.${thinned}`;
      return;
    }
    const place = stack.place(state.plane, state.slice, ...state.pointer);
    const [x, y, z] = stack.coordinates(place).map((mm) => (Math.abs(mm) < 0.05 ? 0 : mm).toFixed(1).replace('-', '−'));
    reading.textContent = `x ${x}, y ${y}, z ${z} mm: ${stack.reading(stack.index(place))}`;
  };
  const draw = () => {
    const [columns, rows] = stack.extent(state.plane);
    number = Math.min(Math.max(number, 0), slices().length - 1);
    state.slice = slices()[number];
    planes.value = state.plane;
    slider.max = slices().length - 1;
    slider.value = number;
    const mm = Math.round(stack.position(state.plane, state.slice) * 10) / 10;
    position.textContent = `${PLANES[state.plane].through} ${String(mm === 0 ? 0 : mm).replace('-', '−')} mm`;
    slider.setAttribute('aria-valuetext', position.textContent);
    canvas.setAttribute('aria-label', `${stack.title}, ${state.plane} slice, ${position.textContent}`);
    if (state.pointer && (state.pointer[0] >= columns || state.pointer[1] >= rows)) state.pointer = null;
    // The picture is as large as the frame allows, with equal scales in both directions in mm.
    const size = state.shown.lay([columns, rows], stack.millimetres(state.plane), [frame.clientWidth, frame.clientHeight]);
    [canvas.style.width, canvas.style.height] = size.map((pixels) => `${pixels}px`);
    drawSlice(canvas, stack, state, size, position.textContent);
    read();
  };
  const turn = (by) => {
    number += by;
    draw();
  };
  /** Returns the pointer position as fractions of the picture's width and height. */
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const point = (event) => {
    const [x, y] = placeOf(event);
    const { shown } = state;
    const [columns, rows] = stack.extent(state.plane);
    const [column, row] = [Math.floor(shown.column + x * shown.columns), Math.floor(shown.row + y * shown.rows)];
    state.pointer = column >= 0 && row >= 0 && column < columns && row < rows ? [column, row] : null;
    read();
  };
  const zoom = (factor, about) => {
    state.shown.by(factor, about);
    draw();
  };
  let held = null;
  const drag = (event) => {
    point(event);
    if (!held || state.shown.isWhole) return;
    const [x, y] = placeOf(event);
    state.shown.move(x - held[0], y - held[1]);
    held = [x, y];
    draw();
  };
  planes.addEventListener('change', () => {
    Object.assign(state, { plane: planes.value, pointer: null });
    number = Math.floor(slices().length / 2);
    draw();
  });
  slider.addEventListener('input', () => {
    number = Number(slider.value);
    draw();
  });
  glyphSize.addEventListener('input', () => {
    state.glyphSize = Number(glyphSize.value);
    draw();
  });
  larger.addEventListener('click', () => zoom(STEP));
  smaller.addEventListener('click', () => zoom(1 / STEP));
  canvas.addEventListener('pointermove', drag);
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = placeOf(event);
    point(event);
  });
  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, () => {
      held = null;
    });
  }
  canvas.addEventListener('pointerleave', () => {
    state.pointer = null;
    read();
  });
  frame.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      // Browsers report a pinch on a touchpad as a wheel event with the Ctrl key.
      if (event.ctrlKey) zoom(event.deltaY > 0 ? 1 / STEP : STEP, placeOf(event));
      else turn(event.deltaY > 0 ? -1 : 1);
    },
    { passive: false },
  );
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowUp: 1, ArrowRight: 1, PageUp: 5, ArrowDown: -1, ArrowLeft: -1, PageDown: -5 }[event.key];
    const factor = { '+': STEP, '=': STEP, '-': 1 / STEP }[event.key];
    if (!by && !factor) return;
    event.preventDefault();
    if (by) turn(by);
    else zoom(factor);
  });
  save.addEventListener('click', () => saveCanvas(canvas, `${stack.title} ${state.plane} ${position.textContent}`));
  close.addEventListener('click', () => dialog.close());
  // A click outside the dialog closes it, like Escape.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  const resized = () => draw();
  window.addEventListener('resize', resized);
  dialog.addEventListener('close', () => {
    window.removeEventListener('resize', resized);
    dialog.remove();
    tile.focus();
  });

  const bar = element('div', { className: 'slice-bar' });
  bar.append(planes, slider, position, smaller, larger);
  if (stack.glyphs) bar.append(labelled('Size', glyphSize));
  bar.append(save, close);
  dialog.append(element('h2', { textContent: stack.title }), frame, reading, bar);
  document.body.append(dialog);
  dialog.showModal();
  draw();
  canvas.focus();
}

function labelled(text, control) {
  const label = element('label', { textContent: `${text} `, className: 'slice-control' });
  label.append(control);
  return label;
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
