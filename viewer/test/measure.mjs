// Functions that measure the text on a page. They run in the page itself.

/** Returns all visible texts with their font size in pixels and the four corners of the box around them. */
export function texts() {
  const found = [];
  const corners = (box, place = (x, y) => [x, y]) => [
    place(box.x, box.y),
    place(box.x + box.width, box.y),
    place(box.x + box.width, box.y + box.height),
    place(box.x, box.y + box.height),
  ];
  // Letters do not fill their line box: a sixth at the top and at the bottom is removed.
  const inner = ({ x, y, width, height }) => ({ x, y: y + height / 6, width, height: (height * 2) / 3 });
  for (const text of document.querySelectorAll('svg text')) {
    if (!text.checkVisibility() || text.getClientRects().length === 0 || !text.textContent.trim()) continue;
    const matrix = text.getScreenCTM();
    const scale = Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c));
    const place = (x, y) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f + scrollY];
    const box = corners(inner(text.getBBox()), place);
    found.push({ text: text.textContent, height: scale * parseFloat(getComputedStyle(text).fontSize), box });
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest('svg, script, style, option') || !parent.checkVisibility()) continue;
    range.selectNodeContents(node);
    const height = parseFloat(getComputedStyle(parent).fontSize);
    for (const { x, y, width, height: line } of range.getClientRects()) {
      if (width > 0) found.push({ text: node.textContent.trim(), height, box: corners(inner({ x, y: y + scrollY, width, height: line })) });
    }
  }
  return found;
}

/** Returns the pairs of texts that overlap by more than one pixel. */
export function overlaps(texts) {
  const ends = ({ box }, axis) => [Math.min(...box.map((corner) => corner[axis])), Math.max(...box.map((corner) => corner[axis]))];
  const sorted = texts.map((text) => ({ ...text, x: ends(text, 0), y: ends(text, 1) })).sort((a, b) => a.y[0] - b.y[0]);
  const pairs = [];
  sorted.forEach((first, n) => {
    for (let m = n + 1; m < sorted.length && sorted[m].y[0] < first.y[1]; m++) {
      const second = sorted[m];
      if (second.x[0] < first.x[1] && first.x[0] < second.x[1] && !apart(first.box, second.box)) pairs.push(`${first.text} | ${second.text}`);
    }
  });
  return pairs;
}

/** Returns true if a side of one of two boxes separates them. The boxes may be rotated. */
function apart(first, second) {
  for (const box of [first, second]) {
    for (const side of [0, 1]) {
      const [x, y] = [box[side + 1][0] - box[side][0], box[side + 1][1] - box[side][1]];
      const length = Math.hypot(x, y) || 1;
      const along = (corners) => corners.map((corner) => (corner[0] * x + corner[1] * y) / length);
      const [a, b] = [along(first), along(second)];
      if (Math.max(...a) - 1 <= Math.min(...b) || Math.max(...b) - 1 <= Math.min(...a)) return true;
    }
  }
  return false;
}
