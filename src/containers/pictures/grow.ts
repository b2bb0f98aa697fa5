/** Pictures scaled up row by row, as programs do when they show a small picture large: bicubic (a = −0.5). */

interface Taps {
  readonly first: number
  readonly weights: Float32Array
}

/** Weights of the input samples for each output sample; normalised, cut at the edges. */
function tapsFor(input: number, output: number): Taps[] {
  const scale = input / output
  return Array.from({ length: output }, (_, index) => {
    const centre = (index + 0.5) * scale
    const first = Math.max(0, Math.floor(centre - 2 + 0.5))
    const end = Math.min(input, Math.floor(centre + 2 + 0.5))
    const weights = Float32Array.from({ length: end - first }, (_, tap) => cubic(first + tap - centre + 0.5))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { first, weights: weights.map((weight) => weight / sum) }
  })
}

function cubic(distance: number): number {
  const x = Math.abs(distance)
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
}

/**
 * @param rows packed rows of `width` × `channels` samples, any number at a time
 * @param channels 3 (RGB) or 4 (RGBA, not premultiplied; colour counts as much as it is opaque)
 * @param from first row wanted: those above it are neither computed nor yielded
 * @yields one row of `toWidth` samples at a time
 */
export async function* grown(
  rows: AsyncIterable<Uint8Array>,
  channels: 3 | 4,
  { width, height }: { width: number; height: number },
  { width: toWidth, height: toHeight }: { width: number; height: number },
  from = 0,
): AsyncGenerator<Uint8Array> {
  const across = tapsFor(width, toWidth)
  const down = tapsFor(height, toHeight)
  const wide = new Map<number, Float32Array>()
  const rowBytes = width * channels
  let arrived = 0
  let next = from
  for await (const batch of rows) {
    for (let at = 0; at < batch.length; at += rowBytes) {
      if (next < toHeight && arrived >= down[next]!.first) wide.set(arrived, widened(batch.subarray(at, at + rowBytes), across, channels))
      arrived++
      while (next < toHeight && down[next]!.first + down[next]!.weights.length <= arrived) {
        const { first } = down[next]!
        yield blended(wide, down[next++]!, toWidth * channels, channels)
        for (const index of wide.keys()) if (index < first) wide.delete(index)
      }
    }
  }
}

function widened(row: Uint8Array, across: readonly Taps[], channels: 3 | 4): Float32Array {
  const samples = Float32Array.from(row)
  if (channels === 4) {
    for (let at = 0; at < samples.length; at += 4) {
      const alpha = samples[at + 3]! / 255
      for (let channel = 0; channel < 3; channel++) samples[at + channel]! *= alpha
    }
  }
  const wide = new Float32Array(across.length * channels)
  for (let x = 0; x < across.length; x++) {
    const { first, weights } = across[x]!
    for (let channel = 0; channel < channels; channel++) {
      let sum = 0
      for (let tap = 0; tap < weights.length; tap++) sum += weights[tap]! * samples[(first + tap) * channels + channel]!
      wide[x * channels + channel] = sum
    }
  }
  return wide
}

function blended(wide: ReadonlyMap<number, Float32Array>, { first, weights }: Taps, length: number, channels: 3 | 4): Uint8Array {
  const sums = new Float32Array(length)
  for (let tap = 0; tap < weights.length; tap++) {
    const row = wide.get(first + tap)!
    const weight = weights[tap]!
    for (let at = 0; at < length; at++) sums[at]! += weight * row[at]!
  }
  if (channels === 4) {
    for (let at = 0; at < length; at += 4) {
      const alpha = Math.min(255, Math.max(0, sums[at + 3]!))
      for (let channel = 0; channel < 3; channel++) sums[at + channel] = alpha > 0 ? (sums[at + channel]! * 255) / alpha : 0
    }
  }
  // Uint8ClampedArray rounds and clamps.
  return new Uint8Array(Uint8ClampedArray.from(sums).buffer)
}
