// The part of a slice that is seen: from which column and row on, and how many of them.

const MOST = 16;

export class Zoom {
  constructor() {
    Object.assign(this, { factor: 1, column: 0, row: 0, columns: 1, rows: 1, whole: [1, 1] });
  }

  /** Of a slice of so many columns and rows; of one that has as many as the one before, the same part. */
  fit(columns, rows) {
    if (this.whole[0] === columns && this.whole[1] === rows) return;
    this.whole = [columns, rows];
    this.factor = 1;
    this.#keep(columns / 2, rows / 2, 0.5, 0.5);
  }

  /** So much larger, about a place of the picture (parts of its width and height from the upper left), which stays where it is. */
  by(factor, [x, y] = [0.5, 0.5]) {
    const [column, row] = [this.column + x * this.columns, this.row + y * this.rows];
    this.factor = Math.min(Math.max(this.factor * factor, 1), MOST);
    this.#keep(column, row, x, y);
  }

  /** Moves the picture by parts of its width and height. */
  move(x, y) {
    this.#keep(this.column - x * this.columns, this.row - y * this.rows, 0, 0);
  }

  /** Shows a column and a row at a place of the picture, as far as the slice reaches. */
  #keep(column, row, x, y) {
    [this.columns, this.rows] = this.whole.map((all) => all / this.factor);
    const within = (first, shown, all) => Math.min(Math.max(first, 0), all - shown);
    this.column = within(column - x * this.columns, this.columns, this.whole[0]);
    this.row = within(row - y * this.rows, this.rows, this.whole[1]);
  }
}
