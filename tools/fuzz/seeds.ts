/** Seed files for mutants: the generated files of the tests, and the files of a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { identify } from '../../src/core/pipeline/identify.ts'
import { GENERATORS } from '../../test/support/generators.ts'

export interface Seed {
  readonly format: FormatId
  readonly name: string
  /** Output to request. `undefined`: the first output of the format. */
  readonly output?: OutputId
  readonly bytes: Uint8Array
}

/** Largest seed in bytes. Larger files take longer and find no more. */
const LARGEST_BYTES = 120_000

export async function generatedSeeds(): Promise<Seed[]> {
  const rows = Object.entries(GENERATORS) as [FormatId, (typeof GENERATORS)[FormatId]][]
  const made = rows.map(([format, generated]) =>
    Promise.all(
      generated.map(async ({ name, output, make }) => ({
        format,
        name,
        // Copied, because a slice of a Buffer shares its memory, and seeds must not change.
        bytes: new Uint8Array(await make()),
        ...(output === undefined ? {} : { output }),
      })),
    ),
  )
  return (await Promise.all(made)).flat()
}

/** Returns the small files below `folder`, sorted by path so that the list is reproducible. */
async function folderSeeds(folder: string): Promise<Seed[]> {
  const seeds: Seed[] = []
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const whole = join(folder, path)
    const facts = statSync(whole)
    if (!facts.isFile() || facts.size === 0 || facts.size > LARGEST_BYTES) continue
    const bytes = new Uint8Array(readFileSync(whole))
    const format = await identify(memorySource(bytes, basename(path)))
    if (format) seeds.push({ format: format.id, name: basename(path), bytes })
  }
  return seeds
}

/** Returns all seeds. `format`: only seeds of this format; `undefined`: all formats. */
export async function seedsFor({ seeds, format }: { seeds: string | undefined; format: FormatId | undefined }): Promise<Seed[]> {
  const all = [...(await generatedSeeds()), ...(seeds === undefined ? [] : await folderSeeds(seeds))]
  return format === undefined ? all : all.filter((seed) => seed.format === format)
}
