/** Generates PNG files of any form from a function. */
import { deflateSync } from 'node:zlib'
import { concat } from '../../src/core/bytes/concat.ts'
import { chunk } from '../../wasm/png/chunks.ts'

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const

export interface PlainForm {
  readonly width: number
  readonly height: number
  readonly colourType: keyof typeof CHANNELS
  readonly bitDepth: 8 | 16
  /** RGB triples of the palette. */
  readonly palette?: readonly number[]
}

export type Samples = (x: number, y: number) => readonly number[]

/** Returns a PNG with unfiltered rows. `more`: chunks before the image data. */
export function plainPng({ width, height, colourType, bitDepth, palette }: PlainForm, samples: Samples, ...more: Uint8Array[]): Uint8Array {
  const bytes = bitDepth / 8
  const stride = 1 + width * CHANNELS[colourType] * bytes
  const data = new Uint8Array(height * stride)
  const view = new DataView(data.buffer)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      samples(x, y).forEach((value, c) => {
        const at = y * stride + 1 + (x * CHANNELS[colourType] + c) * bytes
        if (bytes === 2) view.setUint16(at, value)
        else view.setUint8(at, value)
      })
  const header = new Uint8Array(13)
  const fields = new DataView(header.buffer)
  fields.setUint32(0, width)
  fields.setUint32(4, height)
  header.set([bitDepth, colourType], 8)
  const colours = palette ? [chunk('PLTE', Uint8Array.from(palette))] : []
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
  return concat([signature, chunk('IHDR', header), ...more, ...colours, chunk('IDAT', deflateSync(data, { level: 1 })), chunk('IEND')])
}

/** Returns a generator of reproducible numbers from 0 to 1. */
export function randomUnitNumbers(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}
