/** Reads a still GIF for conversion to JPEG, PNG, WebP or AVIF: its picture as rows. */

import type { GifEngine, GifFacts } from '../../../../wasm/gif/gif.ts'
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import { stripRows } from '../../images/raster/raster.ts'
import type { Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'

type Open = () => GifEngine
type Frames = (source: Source, engine: GifEngine, options: Options) => AsyncGenerator<boolean>

export function convertibleGif(source: Source, facts: GifFacts, open: Open, framesOf: Frames, options: Options): ConvertiblePicture {
  if (facts.frames !== 1) throw unsupported('animation_in_format_of_still_pictures')
  const { width, height, transparent } = facts
  const channels = transparent ? 4 : 3
  return {
    carried: {},
    end: source.size,
    raster: {
      width,
      height,
      channels,
      async *rows() {
        using engine = open()
        engine.begin('look')
        for await (const frame of framesOf(source, engine, options)) {
          if (!frame) break
          const perStrip = stripRows(width, channels)
          for (let y = 0; y < height; y += perStrip) {
            const count = Math.min(perStrip, height - y)
            const strip = new Uint8Array(count * width * channels)
            for (let i = 0; i < count; i++) {
              const row = engine.row(y + i)
              if (channels === 4) strip.set(row, i * width * 4)
              else for (let x = 0; x < width; x++) strip.set(row.subarray(4 * x, 4 * x + 3), (i * width + x) * 3)
            }
            yield strip
          }
          break
        }
      },
    },
  }
}
