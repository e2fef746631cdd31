// The visible part of a slice: its first column and row, and its numbers of columns and rows.

/** Largest zoom factor. */
const MOST = 16;

export class Zoom {
  #factor = 1;
  #middle = null;
  #whole = [0, 0];

  get isWhole() {
    return this.#factor === 1;
  }

  /**
   * Returns the width and height of the picture that fits into a frame. `whole` is the slice's numbers of columns and rows, and
   * `size` its width and height in any unit. The zoomed part stays the same if the next slice has the same numbers of columns and
   * rows.
   */
  lay(whole, size, frame) {
    if (this.#whole.some((count, n) => count !== whole[n])) [this.#factor, this.#middle] = [1, null];
    this.#whole = whole;
    this.#middle ??= whole.map((count) => count / 2);
    const scale = this.#factor * Math.min(frame[0] / size[0], frame[1] / size[1]);
    const shown = size.map((length, n) => Math.min(frame[n] / (length * scale), 1));
    [this.columns, this.rows] = shown.map((part, n) => part * whole[n]);
    this.#middle = this.#middle.map((at, n) => Math.min(Math.max(at, (shown[n] * whole[n]) / 2), whole[n] * (1 - shown[n] / 2)));
    [this.column, this.row] = [this.#middle[0] - this.columns / 2, this.#middle[1] - this.rows / 2];
    return size.map((length, n) => shown[n] * length * scale);
  }

  /** Zooms by a factor about a point of the picture, which stays in place. The point is given as fractions of width and height. */
  by(factor, [x, y] = [0.5, 0.5]) {
    const before = this.#factor;
    this.#factor = Math.min(Math.max(before * factor, 1), MOST);
    const nearer = 1 - before / this.#factor;
    this.#middle = [this.#middle[0] + (x - 0.5) * this.columns * nearer, this.#middle[1] + (y - 0.5) * this.rows * nearer];
  }

  /** Moves the picture by fractions of its width and height. */
  move(x, y) {
    this.#middle = [this.#middle[0] - x * this.columns, this.#middle[1] - y * this.rows];
  }
}
