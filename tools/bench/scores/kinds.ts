/** Kinds of files that `scores` measures, and what it finds. */
import type { SeenFigures } from './figures.ts'
import type { Steering } from './gates.ts'

export const LEVELS = ['high', 'medium', 'low'] as const
/** Kinds of files. `steering`: which targets steer the search. `undefined`: a document, which is scored by its worst picture. */
export const KINDS = [
  { kind: 'JPEG', folder: 'image', extensions: ['jpg', 'jpeg'], format: undefined, steering: 'photograph' },
  { kind: 'JPEG as WebP', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'webp', steering: 'photograph' },
  { kind: 'JPEG as AVIF', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'avif', steering: 'photograph' },
  { kind: 'PNG', folder: 'image', extensions: ['png'], format: undefined, steering: 'palette' },
  { kind: 'BMP', folder: 'image', extensions: ['bmp'], format: undefined, steering: 'palette' },
  { kind: 'WebP', folder: 'image', extensions: ['webp'], format: undefined, steering: 'photograph' },
  { kind: 'GIF', folder: 'image', extensions: ['gif'], format: undefined, steering: 'animation' },
  { kind: 'TIFF', folder: 'image', extensions: ['tif', 'tiff'], format: undefined, steering: 'photograph' },
  { kind: 'DOCX and PPTX', folder: 'document', extensions: ['docx', 'pptx'], format: undefined, steering: undefined },
  { kind: 'PDF', folder: 'document', extensions: ['pdf'], format: undefined, steering: undefined },
] as const satisfies readonly Kind[]

export interface Kind {
  readonly kind: string
  readonly folder: string
  readonly extensions: readonly string[]
  readonly format: string | undefined
  readonly steering: Steering | undefined
}
export type Level = (typeof LEVELS)[number]

/** Line of `tools/try.ts`. */
export interface Line {
  readonly path: string
  readonly in: number
  readonly out: number
  readonly cpuSeconds: number
  readonly ssim?: number | null
  readonly ssimulacra2?: number | null
  readonly fidelity?: string
  readonly steps?: readonly string[]
}

/** Figures of one file, and of its picture if it is lossy. */
export interface Found {
  readonly line: Line
  readonly figures?: SeenFigures
}
