/** The `whittle-press` press process with a text codec that hangs on `hang.txt` and stalls on `stall.txt`. */
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import type { Codec } from '../../src/core/model/codec.ts'
import { servePress } from '../../src/local/press/serve.ts'

const text = PRESS_CODECS.text as Codec
const hanging: Codec = {
  ...text,
  async compress(source, sink, options) {
    // `hang.txt`: one call that never returns. `stall.txt`: a promise that never settles.
    if (source.name === 'hang.txt') for (;;);
    if (source.name === 'stall.txt') await new Promise(() => undefined)
    return text.compress(source, sink, options)
  },
}

servePress({ ...PRESS_CODECS, text: hanging })
