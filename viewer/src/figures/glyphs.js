// Unpacks the fibre orientations of the voxels of slices. The file crates/arcuate-report/src/glyphs.rs packs them.

/** Maximum size in pixels of surfaces that are drawn with the coarse triangles. */
const SMALL = 32;

export class Glyphs {
  /** Reads the glyphs of a description. `bytesOf` returns the bytes of a packed file that is embedded in the page. */
  static async open(description, bytesOf) {
    const { places, steps, codes, sphere } = description;
    const read = async (id, Kind) => {
      const bytes = await bytesOf(id);
      return new Kind(bytes.buffer, bytes.byteOffset, bytes.byteLength / Kind.BYTES_PER_ELEMENT);
    };
    const [ofPlaces, ofSteps, ofCodes] = await Promise.all([read(places, Uint32Array), read(steps, Float32Array), read(codes, Int8Array)]);
    const unpacked = { places: ofPlaces, steps: ofSteps, codes: ofCodes };
    if (sphere) {
      [unpacked.directions, unpacked.basis] = await Promise.all([read(sphere.directions, Float32Array), read(sphere.basis, Float32Array)]);
      unpacked.levels = await Promise.all(sphere.levels.map((id) => read(id, Uint16Array)));
    }
    return new Glyphs(description, unpacked);
  }

  constructor({ kind, numbers, scale, slices }, unpacked) {
    Object.assign(this, { kind, numbers, scale, slices }, unpacked);
    this.ofPlace = new Map(Array.from(this.places, (place, n) => [place, n]));
  }

  /** Returns the numbers of the glyph of a voxel, or null. They are coefficients of the distribution, or x, y and z of each stick. */
  at(index) {
    const n = this.ofPlace.get(index);
    if (n === undefined) return null;
    const count = this.places.length;
    return Float32Array.from({ length: this.numbers }, (_, number) => this.codes[number * count + n] * this.steps[n]);
  }

  /** Returns the triangles for a surface of the given size in pixels, each as three indices of directions. */
  trianglesFor(pixels) {
    return this.levels[pixels <= SMALL ? 0 : this.levels.length - 1];
  }

  /** Returns the amplitudes of a distribution in the first `directions` directions, with negative values set to 0. */
  amplitudes(coefficients, directions) {
    const { basis, numbers } = this;
    const amplitudes = new Float32Array(directions);
    for (let direction = 0; direction < directions; direction++) {
      let sum = 0;
      const row = direction * numbers;
      for (let n = 0; n < numbers; n++) sum += basis[row + n] * coefficients[n];
      amplitudes[direction] = Math.max(sum, 0);
    }
    return amplitudes;
  }
}
