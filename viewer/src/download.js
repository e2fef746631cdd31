// Saves files that the page produces itself, such as pictures of figures.

/** Starts a download of a blob with the given file name. */
export function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Makes a file name from the letters and digits of a title. */
export function fileName(title, ending) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['picture'];
  return `${words.join('-').slice(0, 80)}.${ending}`;
}

/** Saves the content of a canvas as a PNG file. */
export function saveCanvas(canvas, title) {
  return new Promise((done) =>
    canvas.toBlob((blob) => {
      download(blob, fileName(title, 'png'));
      done();
    }, 'image/png'),
  );
}
