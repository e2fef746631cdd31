// Files that a page makes by itself, for the reader to keep.

/** Offers a blob as a file of that name. */
export function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A file name of a title: its letters and digits. */
export function fileName(title, ending) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['picture'];
  return `${words.join('-').slice(0, 80)}.${ending}`;
}

/** What is drawn on a canvas, as a PNG file. */
export function saveCanvas(canvas, title) {
  return new Promise((done) =>
    canvas.toBlob((blob) => {
      download(blob, fileName(title, 'png'));
      done();
    }, 'image/png'),
  );
}
