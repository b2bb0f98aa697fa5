/** Colours beyond sRGB that a PNG names by code points or chromaticities: AVIF gets code points, JPEG and WebP an ICC profile. */
import { describe, expect, it } from 'vitest'
import { png } from '../../../src/formats/png/png.ts'
import { carriedOf } from '../../../src/formats/jpg/carried.ts'
import { readJpeg } from '../../../src/formats/jpg/segments.ts'
import { webpChunks } from '../../../src/raster/webp-container.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { plainPng } from '../../support/plain-png.ts'
import { pressFile } from '../../support/press-file.ts'
