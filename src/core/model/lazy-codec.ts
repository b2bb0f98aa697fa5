/** Codecs whose code and engines are loaded when they are first used, so that a library starts fast. */
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import type { FormatId } from '../catalog/index.ts'
import type { KnownFormat } from '../catalog/outputs.ts'
import { loadEnglishTexts } from '../i18n/message.ts'
import type { Codec, Codecs } from './codec.ts'

/** Codec that loads the real one. It cannot plan parts or remove metadata: `loadedCodecs` returns the codec that can. */
export interface LazyCodec extends Codec {
  /** Returns the codec itself. */
  load(): Promise<Codec>
}

/** Codecs by format id, each loaded when it is first used. */
export type LazyCodecs = { readonly [Id in FormatId]?: LazyCodec }

/** Returns a codec of `format` that calls `load` when it is first used. */
export function lazyCodec(format: KnownFormat, load: () => Promise<Codec>): LazyCodec {
  const loaded = async () => {
    const [codec] = await Promise.all([withEngines(load()), loadEnglishTexts()])
    return codec
  }
  return {
    format,
    load: loaded,
    compress: async (...given) => (await loaded()).compress(...given),
    verify: async (...given) => (await loaded()).verify(...given),
  }
}

/** Returns `codecs` with the codec of format `id` loaded. The others, which embedded files may need, stay as they are. */
export async function loadedCodecs(codecs: Codecs, id: FormatId): Promise<Codecs> {
  const codec = codecs[id]
  return codec && 'load' in codec ? { ...codecs, [id]: await (codec as LazyCodec).load() } : codecs
}
