/** Finds out which of a format's outputs a result is: first by its bytes, then by its name. */

import { FORMATS } from '../catalog/index.ts'
import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Source } from '../model/codec.ts'
import { identify, startsWith } from '../pipeline/identify.ts'

/** Outputs of a format that exists on request include those of any file. */
const outputsOf = ({ outputs, isOnRequest }: KnownFormat): readonly OutputId[] =>
  isOnRequest ? [...new Set([...outputs, ...FORMATS.data.outputs])] : outputs

export async function detectOutput(format: KnownFormat, result: Source): Promise<OutputId | undefined> {
  const outputs = outputsOf(format)
  const head = await result.read(0, 16)
  const byMagic = outputs.find((id) => {
    const { magic } = outputFacts(id)
    return magic && startsWith(head, magic.bytes, magic.offset)
  })
  const known = (await identify(result))?.id
  const byName = () => outputs.find((id) => result.name.toLowerCase().endsWith(`.${outputFacts(id).extension}`))
  return byMagic ?? outputs.find((id) => id === known) ?? (known ? undefined : byName())
}
