import type { Av1Settings } from '../../../../wasm/avif-encoder/avif-encoder.ts'

/**
 * Chroma formats of the encoder: 4:0:0 (`none`: alpha, `grey`: colours), 4:2:0, 4:2:0 and 4:4:4. `halved` averages four pixels. `fitted`
 * optimises chroma for interpolating decoders (libsharpyuv), which preserves thin lines of strong colours.
 */
export type Chroma = Exclude<Av1Settings['chroma'], 'alpha'> | 'grey'
