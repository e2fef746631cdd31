// The scale of a quantity of streamlines, for the colours and the slider. Position 0 is everything, position 1 only the largest value.

/** Number of decades below the largest value that a logarithmic scale covers. */
const DECADES = 4;

export class QuantityScale {
  constructor(values, { name, logarithmic }) {
    this.name = name;
    this.values = values;
    this.logarithmic = logarithmic;
    const counted = Array.from(values).filter((value) => Number.isFinite(value) && (!logarithmic || value > 0));
    const end = (better) => counted.reduce((best, value) => (better(value, best) ? value : best), counted[0] ?? 0);
    this.largest = end((a, b) => a > b);
    this.smallest = end((a, b) => a < b);
    if (logarithmic) this.smallest = Math.max(this.smallest, this.largest * 10 ** -DECADES);
  }

  /** True if the values span a range. */
  get useful() {
    return this.logarithmic ? this.largest > 0 : this.largest > this.smallest;
  }

  /**
   * Returns the number from which the colour of a value is computed: the value itself, or its logarithm on a logarithmic scale. Values
   * below the smallest one of the scale count as the smallest one.
   */
  colour(value) {
    if (!this.logarithmic) return value;
    return Math.log10(value > this.smallest ? value : this.smallest || 1);
  }

  /** Returns the smallest value that is shown at a slider position. */
  threshold(position) {
    if (position <= 0 || !this.useful) return -Infinity;
    const { smallest, largest } = this;
    return this.logarithmic ? smallest * (largest / smallest) ** position : smallest + (largest - smallest) * position;
  }

  /** Returns the number of streamlines whose value is at least the threshold of a slider position. */
  countFrom(position) {
    const threshold = this.threshold(position);
    let count = 0;
    for (const value of this.values) if (value >= threshold) count++;
    return count;
  }
}
