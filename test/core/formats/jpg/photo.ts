/** Deterministic picture with features of photographs: slow gradients, edges, texture and sensor noise. */
export function photo(width: number, height: number, channels: 1 | 3 | 4, seed = 1): Uint8Array {
  const pixels = new Uint8Array(width * height * channels)
  let state = seed * 2654435761
  const noise = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 24) / 255 - 0.5
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const sky = 200 - (110 * y) / height
      const waves = 22 * Math.sin(x / 9 + Math.cos(y / 31) * 3) * Math.sin(y / 13)
      const disc = (x - width * 0.6) ** 2 + (y - height * 0.45) ** 2 < (height * 0.22) ** 2 ? -60 : 0
      for (let c = 0; c < channels; c++) {
        const tint = [18, -6, -24, -80][c] ?? 0
        const at = (y * width + x) * channels + c
        pixels[at] = Math.max(0, Math.min(255, sky + waves + disc * (c === 2 ? 0.4 : 1) + tint + 6 * noise()))
      }
    }
  }
  return pixels
}

/** Peak signal-to-noise ratio in dB of two buffers of samples. */
export function psnrDb(a: Uint8Array, b: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return sum === 0 ? 99 : 10 * Math.log10((65025 * a.length) / sum)
}
