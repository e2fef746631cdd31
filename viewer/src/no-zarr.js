// Replaces the Zarr packages that NiiVue can use. The bundle excludes them: build.mjs gives the reason.
const refuse = () => {
  throw new Error('Zarr images are not part of this viewer');
};
