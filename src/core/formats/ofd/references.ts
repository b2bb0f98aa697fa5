/** Finds references to the PNGs of an OFD. Only a MediaFile in a resource list may refer to them (GB/T 33190-2016, 7.9). */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { decodeXml, encodeXml, scanTags } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { countName, jpegName, leafOf, type PictureReference, type PictureReferences } from '../../embedded/renaming.ts'
import { folderOf, normalPath } from './paths.ts'
import { MAX_XML_BYTES } from './tuning.ts'

/**
 * Returns the PNGs that only resource lists refer to. A PNG whose list entry declares `Format="PNG"` is excluded, because the declaration
 * would have to change too. `undefined`: no PNG may be renamed.
 */
export async function ofdReferences(archive: ZipArchive): Promise<PictureReferences | undefined> {
  const names = new Map<ZipEntry, string>()
  for (const entry of archive.entries) {
    const name = jpegName(entry, archive.entries)
    if (name !== undefined && !entry.opaque) names.set(entry, name)
  }
  if (names.size === 0) return undefined
  const texts = new Map<ZipEntry, string>()
  const mentions = new Map<ZipEntry, PictureReference[]>()
  for (const file of archive.entries) {
    if (!/\.xml$/i.test(file.name)) continue
    if (file.opaque || file.size > MAX_XML_BYTES) return undefined
    try {
      const bytes = await readEntry(archive, file)
      const text = decodeXml(bytes)
      texts.set(file, text)
      if (equalBytes(encodeXml(text), bytes)) mentionsIn(text, file, names, mentions)
    } catch (error) {
      if (isEngineError(error, 'xml')) return undefined
      throw error
    }
  }
  const all = [...texts.values()]
  const isClear = (picture: ZipEntry, places: readonly PictureReference[]) =>
    places.length === all.reduce((sum, text) => sum + countName(text, leafOf(picture.name)), 0)
  return { mentions: new Map([...mentions].filter(([picture, places]) => isClear(picture, places))), texts }
}

/** Collects the references in one resource list. @throws EngineError if the text is not XML */
function mentionsIn(
  text: string,
  holder: ZipEntry,
  names: ReadonlyMap<ZipEntry, string>,
  mentions: Map<ZipEntry, PictureReference[]>,
): void {
  const byPath = new Map([...names.keys()].map((entry) => [normalPath(entry.name), entry]))
  let [base, hasFormat] = ['', false]
  for (const tag of scanTags(text)) {
    if (tag.kind === 'close') continue
    if (tag.local === 'Res') base = tag.get('BaseLoc') ?? ''
    if (tag.local === 'MultiMedia') hasFormat = tag.get('Format') !== undefined
    if (tag.local !== 'MediaFile' || tag.kind !== 'open' || hasFormat) continue
    const end = text.indexOf('<', tag.end)
    const raw = text.slice(tag.end, end)
    const file = raw.trim()
    const picture = [`${folderOf(holder.name)}/${base}/${file}`, `${base}/${file}`, file]
      .map((path) => byPath.get(normalPath(path)))
      .find(Boolean)
    if (!picture || !file.endsWith(leafOf(picture.name))) continue
    const start = tag.end + raw.indexOf(file) + file.length - leafOf(picture.name).length
    const splice = { start, end: start + leafOf(picture.name).length, text: leafOf(names.get(picture)!) }
    mentions.set(picture, [...(mentions.get(picture) ?? []), { holder, splice }])
  }
}
