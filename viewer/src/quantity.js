// A number of each streamline, on a scale for colours and for the slider: from position 0 (everything) to 1 (the largest alone).

/** Decades below the largest that a logarithmic scale reaches. */
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

  /** Whether there is anything to tell apart. */
  get useful() {
    return this.logarithmic ? this.largest > 0 : this.largest > this.smallest;
  }

  /** A value as the colours have it: of weights the logarithm, those below the scale at its end. */
  colour(value) {
    if (!this.logarithmic) return value;
    return Math.log10(value > this.smallest ? value : this.smallest || 1);
  }

  /** The smallest value shown at a slider position. */
  threshold(position) {
    if (position <= 0 || !this.useful) return -Infinity;
    const { smallest, largest } = this;
    return this.logarithmic ? smallest * (largest / smallest) ** position : smallest + (largest - smallest) * position;
  }

  /** How many streamlines have that much or more. */
  countFrom(position) {
    const threshold = this.threshold(position);
    let count = 0;
    for (const value of this.values) if (value >= threshold) count++;
    return count;
  }
}
