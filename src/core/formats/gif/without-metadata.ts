/** Removes comments and XMP from GIF files (GIF89a, 24 and 26). */
import { latin1Of } from '../../bytes/latin1.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import type { Source } from '../../model/codec.ts'
import { piecesWith, sameIfUnchanged, splice } from '../../model/splice.ts'
import { surveyGif } from './end.ts'
import { COMMENT, type GifExtension } from './metadata.ts'

/** Application extensions that change the look: loop counts and the colour profile. */
const LOOK = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])
/** Comments about rights, which `safe` keeps. */
const LAW = /copyright|©|\(c\)|licen[cs]e/i
/** Bytes of an extension before its sub-blocks: introducer and label. */
const LABEL_BYTES = 2

/** Returns the file without the extensions that `mode` removes, and without the bytes behind the trailer. */
export async function withoutGifMetadata(source: Source, mode: RemovingMode): Promise<Source> {
  const { end, extensions } = await surveyGif(source)
  const removed: { from: number; to: number }[] = []
  for (const extension of extensions)
    if (!(await keepsExtension(source, extension, mode)))
      removed.push({ from: extension.at - LABEL_BYTES, to: Math.min(extension.end, end) })
  return sameIfUnchanged(source, splice(source, piecesWith(source.size, [...removed, { from: end, to: source.size }])))
}

/** True if `mode` keeps a comment or an application extension. The first sub-block has the comment, or the name of the application. */
async function keepsExtension(source: Source, { label, at }: GifExtension, mode: RemovingMode): Promise<boolean> {
  const [length = 0] = await source.read(at, 1)
  const first = latin1Of(await source.read(at + 1, length))
  return label === COMMENT ? mode === 'safe' && LAW.test(first) : LOOK.has(first.slice(0, 11))
}
