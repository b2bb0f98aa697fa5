import { randomNumbers } from './random-numbers.ts'

/** Returns an RGB picture of a dusk: a smooth grainy sky over dark hills. SSIM hardly detects its defects. */
export function dusk(width: number, height: number): Uint8Array {
  const random = randomNumbers(5)
  const pixels = new Uint8Array(width * height * 3)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isHill = y > height * 0.7 + 14 * Math.sin(x / 31)
      const colour = isHill ? [34 + 20 * Math.sin(x / 3) * Math.sin(y / 2), 38, 30] : [70 + y / 2, 60 + y / 3, 110 - y / 5]
      const grain = 4 * (random() + random() - 1)
      for (const value of colour) pixels[at++] = Math.max(0, Math.min(255, Math.round(value + grain)))
    }
  return pixels
}
