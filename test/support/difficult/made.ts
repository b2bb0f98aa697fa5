/** Generates pictures whose compression easily becomes visible. They are identical in every run. */
import { randomNumbers } from '../random-numbers.ts'

/** RGBA values from 0 to 255. Default of alpha: 255. */
type Pixel = readonly number[]
type Draw = (x: number, y: number, random: number) => Pixel

export const SIDE = 104

const mix = (a: Pixel, b: Pixel, share: number) => a.map((v, i) => v + (b[i]! - v) * share)
const clamp = (v: number) => Math.min(1, Math.max(0, v))
const disc = (x: number, y: number, [cx, cy, radius]: readonly [number, number, number]) => clamp(radius + 0.5 - Math.hypot(x - cx, y - cy))
const grain = (colour: Pixel, size: number, random: number) => colour.map((v) => v + (random - 0.5) * size)
/** Returns true inside the strokes of letter-like shapes. */
const letters = (x: number, y: number) =>
  y % 13 > 3 && y % 13 < 11 && ((x * 7 + Math.floor(y / 13) * 5) % 17 < 4 || (Math.floor(y % 13) === 7 && x % 9 < 6))

/** Pictures, named after their difficulty. */
export const GENERATED_PICTURES: { readonly [name: string]: Draw } = {
  'clear sky': (_x, y) => mix([38, 92, 190], [196, 222, 250], y / SIDE),
  'sky with grain': (_x, y, random) => grain(mix([60, 110, 200], [170, 200, 240], y / SIDE), 5, random),
  sunset: (x, y) =>
    mix(mix([252, 180, 70], [120, 40, 90], y / SIDE), [255, 240, 200], 0.9 * Math.exp(-((x - 60) ** 2 + (y - 34) ** 2) / 500)),
  'skin in soft light': (x, y, random) =>
    grain(mix([236, 190, 168], [140, 86, 66], clamp(Math.hypot(x - 30, y - 30) / 110)), 3 + 3 * Math.sin(x / 9), random),
  'red text on blue': (x, y) => (letters(x, y) ? [214, 20, 30] : [24, 40, 160]),
  'blue text on black': (x, y) => (letters(x, y) ? [50, 60, 230] : [0, 0, 0]),
  'grey text on white': (x, y) => (letters(x, y) ? [118, 118, 122] : [255, 255, 255]),
  'card with a soft shadow': (x, y) => {
    const outside = Math.hypot(Math.max(0, Math.abs(x - 52) - 28), Math.max(0, Math.abs(y - 48) - 28))
    return outside < 1 ? mix([250, 250, 252, 255], [226, 232, 244, 255], y / SIDE) : [10, 14, 30, 110 * Math.exp(-(outside ** 2) / 90)]
  },
  'glow on nothing': (x, y) => [255, 170, 40, 255 * Math.exp(-((x - 52) ** 2 + (y - 52) ** 2) / 900)],
  'two fading colours': (x, y) => [...mix([230, 30, 90], [20, 120, 230], x / SIDE), 255 * clamp(1.2 - y / 90)],
  'line art': (x, y) => {
    const wave = Math.abs(Math.sin(Math.hypot(x - 20, y + 30) / 5)) < 0.16 || Math.abs((x * 3 + y * 2) % 41) < 2
    return wave ? [20, 20, 24] : [254, 254, 252]
  },
  map: (x, y) => {
    const land = Math.sin(x / 17) + Math.cos(y / 13) + Math.sin((x + y) / 23)
    const road = Math.abs(y - 50 - 14 * Math.sin(x / 21)) < 2 || Math.abs(x - 40 - y / 5) < 1.5
    if (road) return [250, 214, 120]
    return land < -0.6 ? [170, 211, 223] : land < 0.3 ? [242, 239, 233] : land < 1.1 ? [200, 224, 180] : [173, 209, 158]
  },
  noise: (x, _y, random) => [random * 255, (random * 7919 + x * 31) % 256, (random * 104729) % 256],
  'dark room': (x, y) => mix([4, 5, 9], [30, 26, 22], clamp(1 - Math.hypot(x - 70, y - 40) / 70)),
  'dark noise': (x, y, random) => grain(mix([8, 8, 12], [34, 30, 40], (x + y) / (2 * SIDE)), 10, random),
  'pixel art': (x, y) => {
    const [column, row] = [Math.floor(x / 8), Math.floor(y / 8)]
    const palette = [
      [34, 32, 52],
      [69, 40, 60],
      [143, 86, 59],
      [223, 113, 38],
      [217, 160, 102],
      [106, 190, 48],
      [99, 155, 255],
      [203, 219, 252],
    ]
    return palette[(column * 5 + row * 3 + ((column * row) % 7)) % 8]!
  },
  'scanned page': (x, y, random) =>
    grain(letters(x + 2 * Math.sin(y / 9), y) ? [70, 66, 64] : mix([246, 242, 230], [226, 220, 204], x / SIDE), 9, random),
  comic: (x, y) => {
    const dot = Math.hypot((x % 6) - 3, (y % 6) - 3) < 1 + y / 60
    const ink = Math.abs(Math.hypot(x - 52, y - 52) - 34) < 2
    return ink ? [10, 10, 12] : disc(x, y, [52, 52, 34]) > 0 ? (dot ? [230, 70, 90] : [255, 224, 196]) : [255, 222, 60]
  },
  'equal lightness': (x, y) =>
    disc(x, y, [34, 40, 24]) > 0.5 ? [214, 96, 96] : disc(x, y, [70, 64, 26]) > 0.5 ? [88, 146, 90] : [124, 124, 196],
  'window of a program': (x, y) => {
    if (y < 12) return mix([64, 132, 230], [40, 96, 190], y / 12)
    if (x < 26) return [243, 244, 246]
    const button = Math.abs(x - 72) < 22 && Math.abs(y - 80) < 9
    if (button) return mix([90, 190, 110], [50, 150, 76], (y - 71) / 18)
    return letters(x, y) && y < 60 ? [55, 65, 81] : [255, 255, 255]
  },
  'waves of colour': (x, y, random) =>
    [x / 17 + y / 29, x / 23 - y / 19 + 1, x / 31 + y / 13 + 2].map((phase) => 128 + (random - 0.5) * 14 + 110 * Math.sin(phase)),
  rainbow: (x, y) => [0, 2.1, 4.2].map((turn) => 128 + 120 * Math.cos((6.3 * x) / SIDE - turn) * (1 - y / 160)),
  moire: (x, y) => [0, 1, 2].map((c) => 128 + 100 * Math.sin((x * x + y * y) / (260 + 20 * c))),
  'blurred lights': (x, y, random) => {
    const light = disc(x, y, [30, 30, 16]) * 0.7 + disc(x, y, [70, 44, 22]) * 0.5 + disc(x, y, [50, 80, 14]) * 0.6
    return grain(mix([18, 24, 40], [250, 190, 110], clamp(light)), 4, random)
  },
}

/** Sample positions within a pixel, so that edges are as soft as those of cameras and fonts. */
const WITHIN = [0.125, 0.375, 0.625, 0.875]

/** Returns a picture as RGBA rows. */
export function generatePicture(name: string): Uint8ClampedArray {
  const draw = GENERATED_PICTURES[name]
  if (!draw) throw new RangeError(`unknown picture '${name}'`)
  const random = randomNumbers(7)
  const rgba = new Uint8ClampedArray(SIDE * SIDE * 4)
  for (let y = 0; y < SIDE; y++) for (let x = 0; x < SIDE; x++) rgba.set(pixel(draw, x, y, random()), (y * SIDE + x) * 4)
  return rgba
}

function pixel(draw: Draw, x: number, y: number, random: number): number[] {
  const drawn = WITHIN.flatMap((dx) => WITHIN.map((dy) => draw(x + dx, y + dy, random)))
  const mean = (c: number, none: number) => drawn.reduce((sum, colour) => sum + (colour[c] ?? none), 0) / drawn.length
  return [mean(0, 0), mean(1, 0), mean(2, 0), mean(3, 255)]
}
