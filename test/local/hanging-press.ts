/** The press of `whittle-press` with a codec for texts that hangs on files of two names. */
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import type { Codec } from '../../src/core/model/codec.ts'
import { serve } from '../../src/local/press/serve.ts'

const text = PRESS_CODECS.text as Codec
const hanging: Codec = {
  ...text,
  async compress(source, sink, options) {
    // One call that never returns, and a wait that never ends.
    if (source.name === 'hang.txt') for (;;);
    if (source.name === 'stall.txt') await new Promise(() => undefined)
    return text.compress(source, sink, options)
  },
}

serve({ ...PRESS_CODECS, text: hanging })
