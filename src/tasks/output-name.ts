import type { Format, OutputId } from '../formats/format.ts'
import { FORMATS } from '../formats/index.ts'
import { extension } from '../pipeline/extension.ts'

/** Outputs that are put around a file keep its whole name: `notes.md.zst`. */
const COMPANIONS: readonly OutputId[] = ['zst', 'br', 'gz', 'zip']

/** The file name of a result: a new container gets its own extension, everything else keeps its name. */
export function outputName(fileName: string, format: Format, output: OutputId): string {
  if (output === format.id) return fileName
  if (COMPANIONS.includes(output)) return `${fileName}.${output}`
  const known = extension(fileName)
  if (output === 'nii.gz') return known === 'nii.gz' ? fileName : `${known ? fileName.slice(0, -known.length - 1) : fileName}.nii.gz`
  const stem = known && fileName.length > known.length + 1 ? fileName.slice(0, -known.length - 1) : fileName
  return `${stem}.${output}`
}

const OTHER_TYPES: Partial<Record<OutputId, string>> = {
  webp: 'image/webp',
  avif: 'image/avif',
  flac: 'audio/flac',
  zst: 'application/zstd',
  br: 'application/x-brotli',
  gz: 'application/gzip',
  'nii.gz': 'application/gzip',
  zip: 'application/zip',
}

export function contentType(output: OutputId): string {
  return OTHER_TYPES[output] ?? (output in FORMATS ? FORMATS[output as keyof typeof FORMATS].mimeTypes[0] : 'application/octet-stream')
}
