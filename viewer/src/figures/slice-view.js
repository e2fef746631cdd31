// A slice of a map, large: all slices of its plane to leaf through, the value and the place under the cursor.
import { PLANES, Stack } from './stack.js';
import { drawSlice } from './slice-drawing.js';
import { saveCanvas } from '../download.js';

/** Makes the slices of a figure open when they are clicked or chosen by keyboard. */
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

/** Shows the slice of a tile over the page. */
function show(stack, tile) {
  const state = { plane: tile.dataset.plane, slice: 0, pointer: null };
  state.slice = Math.min(Math.floor(Number(tile.dataset.slice) / stack.stride), stack.extent(state.plane)[2] - 1);
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
    option.disabled = stack.extent(plane)[0] < 2 || stack.extent(plane)[1] < 2;
    planes.append(option);
    option.title = `slices along ${through}`;
  }
  const slider = element('input', { type: 'range', name: 'slice', min: 0, step: 1 });
  const position = element('output', { className: 'slice-position' });
  const reading = element('output', { className: 'slice-reading' });
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
    const [columns, rows, depth] = stack.extent(state.plane);
    state.slice = Math.min(Math.max(state.slice, 0), depth - 1);
    planes.value = state.plane;
    slider.max = depth - 1;
    slider.value = state.slice;
    const mm = Math.round(stack.position(state.plane, state.slice) * 10) / 10;
    position.textContent = `${PLANES[state.plane].through} ${String(mm === 0 ? 0 : mm).replace('-', '−')} mm`;
    slider.setAttribute('aria-valuetext', position.textContent);
    canvas.setAttribute('aria-label', `${stack.title}, ${state.plane} slice, ${position.textContent}`);
    if (state.pointer && (state.pointer[0] >= columns || state.pointer[1] >= rows)) state.pointer = null;
    // As large as the frame allows, with square millimetres.
    const [width, height] = stack.millimetres(state.plane);
    const scale = Math.min(frame.clientWidth / width, frame.clientHeight / height);
    canvas.style.width = `${width * scale}px`;
    canvas.style.height = `${height * scale}px`;
    drawSlice(canvas, stack, state, [width * scale, height * scale], position.textContent);
    read();
  };
  const turn = (by) => {
    state.slice += by;
    draw();
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const [columns, rows] = stack.extent(state.plane);
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    state.pointer = column >= 0 && row >= 0 && column < columns && row < rows ? [column, row] : null;
    read();
  };
  planes.addEventListener('change', () => {
    Object.assign(state, { plane: planes.value, pointer: null });
    state.slice = Math.floor(stack.extent(state.plane)[2] / 2);
    draw();
  });
  slider.addEventListener('input', () => {
    state.slice = Number(slider.value);
    draw();
  });
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerdown', point);
  canvas.addEventListener('pointerleave', () => {
    state.pointer = null;
    read();
  });
  frame.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      turn(event.deltaY > 0 ? -1 : 1);
    },
    { passive: false },
  );
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowUp: 1, ArrowRight: 1, PageUp: 5, ArrowDown: -1, ArrowLeft: -1, PageDown: -5 }[event.key];
    if (!by) return;
    event.preventDefault();
    turn(by);
  });
  save.addEventListener('click', () => saveCanvas(canvas, `${stack.title} ${state.plane} ${position.textContent}`));
  close.addEventListener('click', () => dialog.close());
  // A click beside the dialog closes it, as Escape does.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  const resized = () => draw();
  window.addEventListener('resize', resized);
  dialog.addEventListener('close', () => {
    window.removeEventListener('resize', resized);
    dialog.remove();
    tile.focus();
  });

  const bar = element('div', { className: 'slice-bar' });
  bar.append(planes, slider, position, save, close);
  dialog.append(element('h2', { textContent: stack.title }), frame, reading, bar);
  document.body.append(dialog);
  dialog.showModal();
  draw();
  canvas.focus();
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
