/** Finds all references to the pictures of a package that may be renamed, and rewrites the texts that contain them. */
import { applySplices, encodeXml, type Splice } from '../containers/xml/scan.ts'
import type { ZipEntry } from '../containers/zip/entry.ts'

/** Text in `holder` that changes if a PNG becomes a JPEG. */
export interface PictureReference {
  readonly holder: ZipEntry
  readonly splice: Splice
}

export interface PictureReferences {
  /** PNGs whose references are all known, with these references. */
  readonly mentions: ReadonlyMap<ZipEntry, readonly PictureReference[]>
  /** Texts that contain references. */
  readonly texts: ReadonlyMap<ZipEntry, string>
  /** Other changes to these texts that refer to `file`. `undefined`: none. */
  readonly edits?: ReadonlyMap<ZipEntry, readonly (Splice & { readonly file: ZipEntry })[]>
}

/** File names that need no escaping in URLs and XML. */
const PLAIN_NAME = /^[\w./ -]+$/

/**
 * Returns the name of the picture as a JPEG, with the same folder and stem. `undefined`: the package has such a name already, ignoring
 * case.
 */
export function jpegName(entry: ZipEntry, entries: readonly ZipEntry[]): string | undefined {
  if (!/\.png$/i.test(entry.name) || !PLAIN_NAME.test(entry.name)) return undefined
  const taken = new Set(entries.map(({ name }) => name.toLowerCase()))
  const stem = entry.name.slice(0, -4)
  // Two PNGs whose names differ only in case would get the same new name.
  const isUnique = entries.filter(({ name }) => name.toLowerCase() === entry.name.toLowerCase()).length === 1
  return isUnique ? [`${stem}.jpg`, `${stem}.jpeg`].find((name) => !taken.has(name.toLowerCase())) : undefined
}

export const leafOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Returns the new texts after the pictures in `renamed` became JPEG. */
export function rewriteReferences(
  { mentions, texts, edits }: PictureReferences,
  renamed: ReadonlySet<ZipEntry>,
): Map<ZipEntry, Uint8Array> {
  const splices = new Map<ZipEntry, Splice[]>()
  for (const picture of renamed) {
    for (const { holder, splice } of mentions.get(picture) ?? []) splices.set(holder, [...(splices.get(holder) ?? []), splice])
  }
  for (const [holder, changes] of splices) {
    for (const { file, ...splice } of edits?.get(holder) ?? []) {
      const fresh = renamed.has(file) ? mentions.get(file)?.[0]?.splice.text : undefined
      changes.push(fresh === undefined ? splice : { ...splice, text: splice.text.replace(leafOf(file.name), fresh) })
    }
  }
  return new Map([...splices].map(([holder, changes]) => [holder, encodeXml(applySplices(texts.get(holder)!, changes))]))
}

/** Counts how often a name occurs in a text, ignoring case. */
export const countName = (text: string, leaf: string): number => text.toLowerCase().split(leaf.toLowerCase()).length - 1
