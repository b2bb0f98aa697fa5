/** Joins rows of colours with rows of alpha. */

interface AlphaRequest {
  readonly width: number
  /** Colour channels: grey or RGB. */
  readonly channels: 1 | 3
  /** True: samples have 16 bits, little-endian. */
  readonly wide: boolean
  /** True if colours are multiplied by alpha. The result is not. */
  readonly isPremultiplied: boolean
}

/** Yields strips of whole rows with alpha as the last channel. Ends early if one of the inputs does. */
export async function* withAlpha(
  colours: AsyncIterable<Uint8Array>,
  alphas: AsyncGenerator<Uint8Array>,
  { width, channels, wide, isPremultiplied }: AlphaRequest,
): AsyncGenerator<Uint8Array> {
  const sampleBytes = wide ? 2 : 1
  let rest: Uint8Array = new Uint8Array()
  try {
    for await (const strip of colours) {
      for (let at = 0; at < strip.length; ) {
        if (rest.length === 0) {
          const next = await alphas.next()
          if (next.done) return
          rest = next.value
        }
        const rows = Math.min((strip.length - at) / (width * channels * sampleBytes), rest.length / (width * sampleBytes))
        const [colourBytes, alphaBytes] = [rows * width * channels * sampleBytes, rows * width * sampleBytes]
        yield joined(
          samplesOf(strip.subarray(at, at + colourBytes), wide),
          samplesOf(rest.subarray(0, alphaBytes), wide),
          channels,
          isPremultiplied,
        )
        at += colourBytes
        rest = rest.subarray(alphaBytes)
      }
    }
  } finally {
    // Ends the decoder of alpha, which then frees its memory.
    await alphas.return(undefined)
  }
}

type Samples = Uint8Array | Uint16Array

const samplesOf = (bytes: Uint8Array, wide: boolean): Samples =>
  wide ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes

function joined(colours: Samples, alphas: Samples, channels: 1 | 3, isPremultiplied: boolean): Uint8Array {
  const isWide = colours instanceof Uint16Array
  const out = isWide ? new Uint16Array(alphas.length * (channels + 1)) : new Uint8Array(alphas.length * (channels + 1))
  const most = isWide ? 65535 : 255
  for (let i = 0, from = 0, to = 0; i < alphas.length; i++) {
    const alpha = alphas[i]!
    for (let c = 0; c < channels; c++, from++, to++) {
      const colour = colours[from]!
      out[to] = !isPremultiplied || alpha === most ? colour : alpha === 0 ? 0 : Math.min(most, Math.round((colour * most) / alpha))
    }
    out[to++] = alpha
  }
  return new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
}
