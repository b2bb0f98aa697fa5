/** Generates mutants by number. The same seed and the same files give the same mutants, in any number of processes. */

import type { FormatId } from '../../src/core/catalog/index.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import type { Quality } from '../../src/core/model/codec.ts'
import { mutateFile } from './mutators/index.ts'
import { Random } from './random.ts'
import type { Seed } from './seeds.ts'
import type { Request } from './trial.ts'

export interface Mutant extends Request {
  readonly format: FormatId
  readonly bytes: Uint8Array
}

const LEVELS: readonly Quality[] = ['low', 'medium', 'high', 'ultra']
/** Share of mutants with another output than the seed's. Other outputs are slow and test less of the file. */
const OTHER_OUTPUT = 0.1

/**
 * Returns the format of a mutant. Formats take turns, independent of the number of their seeds.
 * @throws Error if there are no seeds
 */
export function formatOf(seeds: readonly Seed[], number: number): FormatId {
  const formats = [...new Set(seeds.map(({ format }) => format))]
  const format = formats[number % formats.length]
  if (!format) throw new Error('there are no seed files; check --format and --seeds')
  return format
}

export function mutantOf(seeds: readonly Seed[], seed: string, number: number): Mutant {
  const format = formatOf(seeds, number)
  const random = new Random(seed, format, number)
  const chosen = random.pick(seeds.filter((one) => one.format === format))
  const outputs: readonly OutputId[] = FORMATS[format].outputs
  const output = random.chance(OTHER_OUTPUT) ? random.pick(outputs) : chosen.output
  const quality = random.pick(LEVELS)
  return { format, name: chosen.name, quality, output, bytes: mutateFile(format, chosen.bytes, random) }
}
