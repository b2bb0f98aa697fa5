import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import { extension } from './extension.ts'

/** File name of a result. If the format changes, the extension changes too; otherwise the name stays. */
export function outputName(fileName: string, format: KnownFormat, output: OutputId): string {
  if (output === format.id) return fileName
  const facts = outputFacts(output)
  if (facts.wraps) return `${fileName}.${facts.extension}`
  const known = extension(fileName)
  if (known === facts.extension) return fileName
  const stem = known && fileName.length > known.length + 1 ? fileName.slice(0, -known.length - 1) : fileName
  return `${stem}.${facts.extension}`
}
