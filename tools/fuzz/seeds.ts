/** The files that mutants are made of: one of each format that the tests make, and those of a folder. */
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
  /** What is asked for, where that is not the format's first output. */
  readonly output?: OutputId
  readonly bytes: Uint8Array
}

/** A larger file takes longer than it finds. */
const LARGEST_BYTES = 120_000

export async function generatedSeeds(): Promise<Seed[]> {
  const rows = Object.entries(GENERATORS) as [FormatId, (typeof GENERATORS)[FormatId]][]
  const made = rows.map(([format, generated]) =>
    Promise.all(
      generated.map(async ({ name, output, make }) => ({
        format,
        name,
        // A copy: what `slice` of a Buffer gives is the same memory, and a seed must stay as it is.
        bytes: new Uint8Array(await make()),
        ...(output === undefined ? {} : { output }),
      })),
    ),
  )
  return (await Promise.all(made)).flat()
}

/** Files below `folder` that are small enough, by their path: the same folder gives the same list. */
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

/** All that mutants are made of, of one format where only that is wanted. */
export async function seedsFor({ seeds, format }: { seeds: string | undefined; format: FormatId | undefined }): Promise<Seed[]> {
  const all = [...(await generatedSeeds()), ...(seeds === undefined ? [] : await folderSeeds(seeds))]
  return format === undefined ? all : all.filter((seed) => seed.format === format)
}
