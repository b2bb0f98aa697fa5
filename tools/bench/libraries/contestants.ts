/**
 * Libraries that Whittle is compared with, in the versions that the benchmark installs into a temporary folder. The project does not use
 * them.
 */

export type TaskName = 'JPEG' | 'JPEG to WebP' | 'JPEG to AVIF' | 'PNG, fewer colours' | 'PNG, same pixels' | 'SVG'

export interface Task {
  readonly input: 'jpg' | 'png' | 'svg'
  readonly output: 'jpg' | 'png' | 'svg' | 'webp' | 'avif'
  /** Level of Whittle. */
  readonly quality: 'high' | 'medium'
  /** True: results of other libraries are compared at the score of Whittle's result. False: the drawing stays the same, only bytes count. */
  readonly scored: boolean
}

export const TASKS: { readonly [name in TaskName]: Task } = {
  JPEG: { input: 'jpg', output: 'jpg', quality: 'medium', scored: true },
  'JPEG to WebP': { input: 'jpg', output: 'webp', quality: 'medium', scored: true },
  'JPEG to AVIF': { input: 'jpg', output: 'avif', quality: 'medium', scored: true },
  'PNG, fewer colours': { input: 'png', output: 'png', quality: 'medium', scored: true },
  'PNG, same pixels': { input: 'png', output: 'png', quality: 'high', scored: false },
  SVG: { input: 'svg', output: 'svg', quality: 'high', scored: false },
}

/** A job of a library: its name in `jobs.ts`, and the settings that are tried. Tasks that are not scored have one setting. */
export interface Job {
  readonly job: string
  readonly settings: readonly number[]
}

export interface Contestant {
  /** Flags of Node, for this process and its threads. */
  readonly nodeFlags?: readonly string[]
  readonly packages: { readonly [name: string]: string }
  readonly jobs: { readonly [task in TaskName]?: Job }
}

const QUALITIES = [45, 60, 72, 82, 92] as const
/** Encoders of AVIF reach the same score at lower numbers. */
const AVIF_QUALITIES = [15, 30, 45, 60, 75] as const
const NO_SETTING = [0] as const
/** Quantisers of AV1 from 0 (best) to 63. The library has no quality. */
const QUANTISERS = [40, 32, 24, 16, 8] as const

/** Peers by name. */
export const CONTESTANTS: { readonly [name: string]: Contestant } = {
  sharp: {
    packages: { sharp: '0.35.5' },
    jobs: {
      JPEG: { job: 'sharp-jpeg', settings: QUALITIES },
      'JPEG to WebP': { job: 'sharp-webp', settings: QUALITIES },
      'JPEG to AVIF': { job: 'sharp-avif', settings: AVIF_QUALITIES },
      'PNG, fewer colours': { job: 'sharp-palette', settings: QUALITIES },
      'PNG, same pixels': { job: 'sharp-png', settings: NO_SETTING },
    },
  },
  '@jsquash': {
    packages: {
      '@jsquash/jpeg': '1.6.0',
      '@jsquash/webp': '1.5.0',
      '@jsquash/avif': '2.1.1',
      '@jsquash/oxipng': '2.3.0',
      '@jsquash/png': '3.1.1',
    },
    jobs: {
      JPEG: { job: 'jsquash-jpeg', settings: QUALITIES },
      'JPEG to WebP': { job: 'jsquash-webp', settings: QUALITIES },
      'JPEG to AVIF': { job: 'jsquash-avif', settings: AVIF_QUALITIES },
      'PNG, same pixels': { job: 'jsquash-oxipng', settings: NO_SETTING },
    },
  },
  '@squoosh/lib': {
    // The library is from 2023, and fails where Node has these two.
    nodeFlags: ['--import', 'data:text/javascript,delete globalThis.navigator; delete globalThis.fetch'],
    packages: { '@squoosh/lib': '0.5.3' },
    jobs: {
      JPEG: { job: 'squoosh-mozjpeg', settings: QUALITIES },
      'JPEG to WebP': { job: 'squoosh-webp', settings: QUALITIES },
      'JPEG to AVIF': { job: 'squoosh-avif', settings: QUANTISERS },
      'PNG, same pixels': { job: 'squoosh-oxipng', settings: NO_SETTING },
    },
  },
  imagemin: {
    packages: {
      imagemin: '9.0.1',
      'imagemin-mozjpeg': '10.0.0',
      'imagemin-webp': '8.0.0',
      'imagemin-pngquant': '10.0.0',
      'imagemin-optipng': '8.0.0',
      'imagemin-svgo': '12.0.0',
    },
    jobs: {
      JPEG: { job: 'imagemin-mozjpeg', settings: QUALITIES },
      'JPEG to WebP': { job: 'imagemin-webp', settings: QUALITIES },
      'PNG, fewer colours': { job: 'imagemin-pngquant', settings: QUALITIES },
      'PNG, same pixels': { job: 'imagemin-optipng', settings: NO_SETTING },
      SVG: { job: 'imagemin-svgo', settings: NO_SETTING },
    },
  },
  svgo: {
    packages: { svgo: '4.1.0' },
    jobs: { SVG: { job: 'svgo', settings: NO_SETTING } },
  },
}

/** Job of Whittle for a task. It takes a level instead of a number. */
export const WHITTLE = 'whittle'
