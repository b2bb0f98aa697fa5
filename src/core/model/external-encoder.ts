/** Interface of an external program that decodes, encodes and measures films which Whittle has no engine for. */

/** HDR metadata: mastering display and light level, as in SEI messages 137 and 144 (Rec. ITU-T H.265, D.3.28 and D.3.35). */
export interface StaticHdr {
  /** Green, blue, red and white point as x and y in units of 0.00002, then maximum and minimum luminance in units of 0.0001 cd/m². */
  readonly masteringDisplay?: readonly number[]
  /** Maximum content light level and maximum frame-average light level, in cd/m². */
  readonly lightLevel?: readonly number[]
}

/** Range of display times in the track's timescale; `to` is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

export interface ExternalEncodeRequest {
  readonly encoder: 'x264' | 'x265'
  readonly bits: 8 | 10
  readonly crf: number
  /** Longest distance between key frames, in frames. */
  readonly mostBetweenKeys: number
  /** Lookahead of the encoder in frames. Each of these frames needs memory. */
  readonly lookahead: number
  readonly timescale: number
  readonly shown: TimeRange
  readonly hdr?: StaticHdr
}

export interface ExternalMeasureRequest {
  readonly bits: 8 | 10
  readonly original: TimeRange
  readonly result: TimeRange
  /** Indexes (from 0) of the frames whose luma is returned. */
  readonly sampled: readonly number[]
}

export interface ExternalFilmFigures {
  /** Mean squared error of luma for every frame in display order, for a peak of 255. */
  readonly mse: readonly number[]
  /**
   * Returns luma bytes of the sampled frames: for each frame the original's, then the result's. A sample has 8 bits, or 10 bits in two
   * bytes, little-endian.
   */
  luma(offset: number, length: number): Uint8Array
}

/**
 * External video encoder and decoder. Films must have one track and sample tables (no fragments).
 * @throws CodecError for every failure, because the program's errors refer to the file
 */
export interface ExternalFilmCodec {
  /** Name and version of the program. */
  readonly name: string
  encode(film: Uint8Array, wanted: ExternalEncodeRequest): Promise<Uint8Array>
  measure(original: Uint8Array, result: Uint8Array, wanted: ExternalMeasureRequest): Promise<ExternalFilmFigures>
}
