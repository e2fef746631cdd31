// Stands in for the Zarr packages that NiiVue can use: see build.mjs.
const refuse = () => {
  throw new Error('Zarr images are not part of this viewer');
};
