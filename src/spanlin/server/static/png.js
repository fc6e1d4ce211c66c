// An SVG text as a PNG, drawn by the browser itself.

const SHARPNESS = 2;
const LONGEST_SIDE = 16000; // no browser's canvas is sure to hold more
const MOST_PIXELS = 16e6; // nor more in all; phones hold the fewest

/** A promise of the picture as a Blob. */
export async function pngOf(svgText) {
  const url = URL.createObjectURL(new Blob([svgText], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = Math.min(SHARPNESS, LONGEST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(width * scale));
    canvas.height = Math.max(1, Math.floor(height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large. Save it as SVG, or fold parts of the tree."))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
