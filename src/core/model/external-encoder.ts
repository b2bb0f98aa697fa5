/** A program beside a press that decodes, encodes and measures pictures for which there is no engine here. */

/** Mastering display and light level, as the SEI messages 137 and 144 say them (Rec. ITU-T H.265, D.3.28 and D.3.35). */
export interface StaticHdr {
  /** Green, blue, red, white point as x and y in 0.00002; then the most and the least luminance in 0.0001 cd/m². */
  readonly masteringDisplay?: readonly number[]
  /** Most of a pixel, and of a frame's mean, in cd/m². */
  readonly lightLevel?: readonly number[]
}

/** Display times in a track's timescale, the last exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface NativeEncode {
  readonly encoder: 'x264' | 'x265'
  readonly bits: 8 | 10
  readonly crf: number
  /** Frames. */
  readonly mostBetweenKeys: number
  /** Frames that the encoder looks at before it decides: each of them is held, with what is worked out of it. */
  readonly lookahead: number
  readonly timescale: number
  readonly shown: Span
  readonly hdr?: StaticHdr
}

export interface NativeMeasure {
  readonly bits: 8 | 10
  readonly original: Span
  readonly result: Span
  /** Which of the frames are wanted as luma, counted from 0. */
  readonly sampled: readonly number[]
}

export interface NativeFigures {
  /** Mean squared error of luma for a peak of 255, of every frame in the order in which they are shown. */
  readonly mse: readonly number[]
  /** Of each sampled frame the original's luma, then the result's: 8 bits a sample, or 10 in two bytes, little-endian. */
  luma(offset: number, length: number): Uint8Array
}

/** Films have one track and tables (no fragments). Failures are `CodecError`: whatever the program says is about the file. */
export interface NativeFilm {
  /** With its version. */
  readonly name: string
  encode(film: Uint8Array, wanted: NativeEncode): Promise<Uint8Array>
  measure(original: Uint8Array, result: Uint8Array, wanted: NativeMeasure): Promise<NativeFigures>
}
