// The part of a slice that is seen: from which column and row on, and how many of them.

const MOST = 16;

export class Zoom {
  #factor = 1;
  #middle = null;
  #whole = [0, 0];

  get isWhole() {
    return this.#factor === 1;
  }

  /**
   * Of a slice of so many columns and rows that is so large (width and height, in any unit): how large it is in a frame, in the
   * frame's unit. A slice that has as many columns and rows as the one before shows the same part.
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

  /** So much larger, about a place of the picture (parts of its width and height from the upper left), which stays where it is. */
  by(factor, [x, y] = [0.5, 0.5]) {
    const before = this.#factor;
    this.#factor = Math.min(Math.max(before * factor, 1), MOST);
    const nearer = 1 - before / this.#factor;
    this.#middle = [this.#middle[0] + (x - 0.5) * this.columns * nearer, this.#middle[1] + (y - 0.5) * this.rows * nearer];
  }

  /** Moves the picture by parts of its width and height. */
  move(x, y) {
    this.#middle = [this.#middle[0] - x * this.columns, this.#middle[1] - y * this.rows];
  }
}
