/** Formats that decoded sound can become. */
import type { OutputId } from '../catalog/outputs.ts'
import type { SoundOutput } from './sound-output.ts'
import { FLAC_OUTPUT } from './to-flac.ts'
import { M4A_OUTPUT } from './to-m4a.ts'
import { MP3_OUTPUT } from './to-mp3.ts'
import { OPUS_OUTPUT } from './to-opus.ts'

const OUTPUTS: { readonly [Id in OutputId]?: SoundOutput } = { flac: FLAC_OUTPUT, m4a: M4A_OUTPUT, mp3: MP3_OUTPUT, opus: OPUS_OUTPUT }

/** @throws RangeError if sound does not become this output */
export function soundOutput(id: OutputId): SoundOutput {
  const output = OUTPUTS[id]
  if (!output) throw new RangeError(`sound does not become ${id}`)
  return output
}
