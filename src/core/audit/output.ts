/** What a result is, of all that a format may become: by its bytes, else by its name. */

import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Source } from '../model/codec.ts'
import { identify, startsWith } from '../pipeline/identify.ts'

/** Outputs that do not come in. */
const MAGIC: { readonly [Id in OutputId]?: readonly [at: number, bytes: readonly number[]] } = {
  webp: [8, [0x57, 0x45, 0x42, 0x50]],
  avif: [4, [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69]],
  flac: [0, [0x66, 0x4c, 0x61, 0x43]],
  zst: [0, [0x28, 0xb5, 0x2f, 0xfd]],
  'nii.gz': [0, [0x1f, 0x8b]],
  gz: [0, [0x1f, 0x8b]],
}

export async function outputOf(format: KnownFormat, result: Source): Promise<OutputId | undefined> {
  const head = await result.read(0, 16)
  const byMagic = format.outputs.find((id) => {
    const magic = MAGIC[id]
    return magic && startsWith(head, magic[1], magic[0])
  })
  const known = (await identify(result))?.id
  const byName = () => format.outputs.find((id) => result.name.toLowerCase().endsWith(`.${outputFacts(id).extension}`))
  return byMagic ?? format.outputs.find((id) => id === known) ?? (known ? undefined : byName())
}
