/** Gives back the file that a result holds byte for byte: the JPEG in a JPEG XL file, or the file in a `.zst`, `.gz` or `.br`. */
import { isEngineError } from '../../../wasm/engine-error.ts'
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { allowMemory } from '../../../wasm/memories/memories.ts'
import { unbrotliStream } from '../bytes/brotli.ts'
import { concat } from '../bytes/concat.ts'
import { gunzipStream } from '../bytes/gzip.ts'
import { unzstdStream } from '../bytes/zstd.ts'
import { FORMATS } from '../catalog/index.ts'
import { type OutputId, outputFacts } from '../catalog/outputs.ts'
import { loadEnglishTexts, message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { malformed, overBudget, unsupported } from '../model/error.ts'
import { startsWith } from './identify.ts'

export interface Unpacked {
  /** File name: that of the result without its extension, or with `.jpg` for JPEG XL. */
  readonly name: string
  /** The file in chunks. Reading them may throw the errors of `unpack`. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Memory in bytes that rebuilding a JPEG may use. */
const MEMORY_BYTES = 1024 * 1024 * 1024
const MOST_PIXELS = FORMATS.jpg.mostPixels.roomy

type Kind = 'jxl' | 'zst' | 'gz' | 'br'

const STREAMS = { zst: unzstdStream, gz: gunzipStream, br: unbrotliStream } as const

/**
 * Opens a result that holds a file. Its bytes tell what it is; Brotli, which has no signature, is recognised by its name.
 * @param mostBytes largest size of the file
 * @throws CodecError `unsupported_feature` if it holds no file, `malformed` if it is damaged, `over_budget` if the file is too large
 */
export async function unpack(packed: Source, mostBytes: number): Promise<Unpacked> {
  // Errors have a text.
  await loadEnglishTexts()
  const kind = await kindOf(packed)
  if (kind === 'jxl') return await unpackedJpeg(packed, mostBytes)
  if (kind === undefined) throw unsupported('holds_no_file')
  const { name } = packed
  const suffix = `.${kind}`
  const chunks = unwrapped(packed, kind, mostBytes)
  return {
    name: name.toLowerCase().endsWith(suffix) && name.length > suffix.length ? name.slice(0, -suffix.length) : `${name}.out`,
    chunks,
  }
}

/** Unpacks like `unpack`, into memory. */
export async function unpackToMemory(packed: Source, mostBytes: number): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { name, chunks } = await unpack(packed, mostBytes)
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return { name, bytes: concat(parts) }
}

async function kindOf(packed: Source): Promise<Kind | undefined> {
  const head = await packed.read(0, 16)
  const hasMagic = (id: OutputId) => {
    const { magic } = outputFacts(id)
    return magic !== undefined && startsWith(head, magic.bytes, magic.offset)
  }
  const found = (['jxl', 'zst', 'gz'] as const).find(hasMagic)
  return found ?? (packed.name.toLowerCase().endsWith('.br') ? 'br' : undefined)
}

/** The decoder of JPEG XL is loaded when it is needed. */
async function unpackedJpeg(packed: Source, mostBytes: number): Promise<Unpacked> {
  const { jpegOfJxl } = await withEngines(import('../formats/jpg/jxl.ts'))
  using _ = allowMemory(MEMORY_BYTES)
  const jpeg = await jpegOfJxl(packed, mostBytes, MOST_PIXELS)
  return { name: jpeg.name, chunks: jpeg.stream() }
}

async function* unwrapped(packed: Source, kind: keyof typeof STREAMS, mostBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* STREAMS[kind](packed.stream(), mostBytes)
  } catch (error) {
    if (!isEngineError(error, 'deflate')) throw error
    if (error.failure === 'too_large') throw overBudget(message('file_becomes_larger_than', { limit: mostBytes }))
    if (error.failure === 'memory') throw overBudget(message('engine_reports', { problem: error.message }))
    throw malformed(kind, 0, message('engine_reports', { problem: error.message }))
  }
}
