// Streamline weights on a logarithmic scale: a slider position from 0 (everything) to 1 (the heaviest alone).

/** Decades below the heaviest streamline that colours and the slider reach. */
const DECADES = 4;

export class WeightScale {
  constructor(values) {
    this.values = values;
    this.largest = 0;
    let smallest = Infinity;
    for (const value of values) {
      if (value > this.largest) this.largest = value;
      if (value > 0 && value < smallest) smallest = value;
    }
    this.smallest = this.largest > 0 ? Math.max(smallest, this.largest * 10 ** -DECADES) : 0;
  }

  /** Whether there is anything to tell apart. */
  get useful() {
    return this.largest > 0;
  }

  /** log10 of each weight, those below the scale at its end. */
  logarithms() {
    const floor = Math.log10(this.smallest || 1);
    return Float32Array.from(this.values, (value) => (value > this.smallest ? Math.log10(value) : floor));
  }

  /** The smallest weight shown at a slider position. */
  threshold(position) {
    if (position <= 0 || !this.useful) return 0;
    return this.smallest * (this.largest / this.smallest) ** position;
  }

  /** How many streamlines weigh that much or more. */
  countFrom(position) {
    const threshold = this.threshold(position);
    let count = 0;
    for (const value of this.values) if (value >= threshold) count++;
    return count;
  }
}
