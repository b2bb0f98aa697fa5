/** Finds out which of a format's outputs a result is: first by its bytes, then by its name. */

import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Source } from '../model/codec.ts'
import { identify, startsWith } from '../pipeline/identify.ts'

export async function detectOutput(format: KnownFormat, result: Source): Promise<OutputId | undefined> {
  const { outputs } = format
  const head = await result.read(0, 16)
  const byMagic = outputs.find((id) => {
    const { magic } = outputFacts(id)
    return magic && startsWith(head, magic.bytes, magic.offset)
  })
  const known = (await identify(result))?.id
  const byName = () => outputs.find((id) => result.name.toLowerCase().endsWith(`.${outputFacts(id).extension}`))
  return byMagic ?? outputs.find((id) => id === known) ?? (known ? undefined : byName())
}
