// Saves the drawings of a figure as SVG or PNG files with the colours that they have on the page.
import { download, fileName, saveCanvas } from '../download.js';

/** Style properties that are copied into a saved drawing, because the file has no style sheets. */
const STYLES = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linejoin', 'stroke-linecap', 'paint-order',
  'font-family', 'font-size', 'font-weight', 'dominant-baseline', 'image-rendering', 'opacity', 'color',
];
const NAMESPACE = 'http://www.w3.org/2000/svg';
const SPACE = 12;

/** Adds the save buttons to a figure with drawings. Figures with slices have their own button in the enlarged view. */
export function offerSaving(figure) {
  if (figure.querySelector('.slices') || !figure.querySelector('.drawing svg')) return;
  const title = figure.querySelector('figcaption strong')?.textContent || 'figure';
  const buttons = document.createElement('p');
  buttons.className = 'figure-save';
  const add = (label, action) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
    button.setAttribute('aria-label', `${label}: ${title}`);
    button.addEventListener('click', action);
    buttons.append(button);
  };
  add('Save SVG', () => download(new Blob([drawingOf(figure, title).text], { type: 'image/svg+xml' }), fileName(title, 'svg')));
  add('Save PNG', async () => {
    const { text, width, height } = drawingOf(figure, title);
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    await image.decode();
    // The image has twice the resolution of the screen, for print.
    const canvas = Object.assign(document.createElement('canvas'), { width: 2 * width, height: 2 * height });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    await saveCanvas(canvas, title);
  });
  figure.append(buttons);
}

/** Combines the visible drawings of a figure into one SVG, below each other. */
function drawingOf(figure, title) {
  const shown = Array.from(figure.querySelectorAll('.drawing svg')).filter((svg) => svg.getClientRects().length > 0);
  const boxes = shown.map((svg) => svg.getBoundingClientRect());
  const width = Math.ceil(Math.max(...boxes.map((box) => box.width)) + 2 * SPACE);
  const page = document.createElementNS(NAMESPACE, 'svg');
  const add = (name, attributes) => {
    const child = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
    page.append(child);
    return child;
  };
  const look = getComputedStyle(figure);
  const paper = add('rect', { width: '100%', height: '100%', fill: look.backgroundColor });
  let top = SPACE;
  const heading = add('text', { x: SPACE, y: top + 14, fill: look.color, 'font-family': look.fontFamily, 'font-size': '15px', 'font-weight': 600 });
  heading.textContent = title;
  top += 30;
  shown.forEach((svg, n) => {
    const copy = svg.cloneNode(true);
    inline(svg, copy);
    const { width: wide, height } = boxes[n];
    for (const [key, value] of Object.entries({ x: (width - wide) / 2, y: top, width: wide, height })) copy.setAttribute(key, value);
    copy.removeAttribute('style');
    page.append(copy);
    top += height + SPACE;
  });
  const height = Math.ceil(top);
  page.setAttribute('width', width);
  page.setAttribute('height', height);
  page.setAttribute('viewBox', `0 0 ${width} ${height}`);
  paper.setAttribute('height', height);
  return { text: new XMLSerializer().serializeToString(page), width, height };
}

/** Copies the computed styles of an element and of all its descendants to a copy of the element. */
function inline(original, copy) {
  const style = getComputedStyle(original);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value) copy.style.setProperty(name, value);
  }
  Array.from(original.children).forEach((child, n) => inline(child, copy.children[n]));
}
