/** Collects what the page needs to know of the catalogue and of the example, so that it does not load the library for it. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FLOOR_PSNR_DB, FLOOR_SNR_DB, FLOOR_SSIM } from '../src/core/catalog/floors.ts'
import type { Format } from '../src/core/catalog/format.ts'
import { FORMATS } from '../src/core/catalog/index.ts'
import { LEVELS } from '../src/core/catalog/levels.ts'
import { type OutputId, outputFacts, REQUESTABLE_OUTPUTS } from '../src/core/catalog/outputs.ts'
import { LAZY_PRESS_CODECS } from '../src/core/formats/lazy-press.ts'
import type { Receipt } from '../src/core/library.ts'
import type { FormatFacts, SiteFacts } from './src/model/facts.ts'

const EXAMPLE = join(import.meta.dirname, 'example')

export function siteFacts(): SiteFacts {
  const formats = Object.values(FORMATS).map((format: Format) => [format.id, formatFacts(format)] as const)
  const outputs = [...new Set([...Object.keys(FORMATS), ...REQUESTABLE_OUTPUTS])] as OutputId[]
  const goal = (level: 'low' | 'medium' | 'high') => ({ score: LEVELS.perceptual[level].score, ...LEVELS.perceptual[level].floor })
  return {
    formats: Object.fromEntries(formats) as SiteFacts['formats'],
    outputs: Object.fromEntries(outputs.map((id) => [id, outputName(id)])),
    goals: { low: goal('low'), medium: goal('medium'), high: goal('high') },
    floors: { ssim: FLOOR_SSIM, psnrDb: FLOOR_PSNR_DB, snrDb: FLOOR_SNR_DB },
    samples: { photo: sizeOf('docs/photo.jpg'), screenshot: sizeOf('docs/users/screenshots/applications.png') },
    example: JSON.parse(readFileSync(join(EXAMPLE, 'receipt.json'), 'utf8')) as Receipt,
  }
}

const sizeOf = (path: string): number => statSync(join(import.meta.dirname, '..', path)).size

const formatFacts = ({ id, title, family, extensions, outputs, fidelity, ultra, metadata, isOnRequest }: Format): FormatFacts => ({
  ...{ title, family, extensions, outputs },
  isHere: id in LAZY_PRESS_CODECS,
  isOnRequest: isOnRequest === true,
  hasLevels: fidelity === 'perceptual',
  hasUltra: ultra === true,
  removesMetadata: metadata === true,
})

function outputName(id: OutputId): SiteFacts['outputs'][string] {
  const { title, extension, wraps } = outputFacts(id)
  return { title, extension, wraps }
}
