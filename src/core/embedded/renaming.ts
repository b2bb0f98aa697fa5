/** Pictures of a package that may get another name: every place that names them, and its texts with other names. */
import { encodeXml, type Splice, spliced } from '../containers/xml/scan.ts'
import type { ZipEntry } from '../containers/zip/entry.ts'

/** A place in the text of `holder` that changes when a PNG becomes a JPEG. */
export interface Mention {
  readonly holder: ZipEntry
  readonly splice: Splice
}

export interface References {
  /** PNGs whose every mention is understood. */
  readonly mentions: ReadonlyMap<ZipEntry, readonly Mention[]>
  /** Texts that hold mentions. */
  readonly texts: ReadonlyMap<ZipEntry, string>
  /** Other changes to these texts, which name `file`. */
  readonly edits?: ReadonlyMap<ZipEntry, readonly (Splice & { readonly file: ZipEntry })[]>
}

/** Names that mean the same with and without escapes. */
export const PLAIN_NAME = /^[\w./ -]+$/

/** The name as a JPEG: same folder, same stem. Undefined where the package has such a file, or one of another case. */
export function jpegName(entry: ZipEntry, entries: readonly ZipEntry[]): string | undefined {
  if (!/\.png$/i.test(entry.name) || !PLAIN_NAME.test(entry.name)) return undefined
  const taken = new Set(entries.map(({ name }) => name.toLowerCase()))
  const stem = entry.name.slice(0, -4)
  // Another PNG of this stem, in other letters, would want the same name.
  const isAlone = entries.filter(({ name }) => name.toLowerCase() === entry.name.toLowerCase()).length === 1
  return isAlone ? [`${stem}.jpg`, `${stem}.jpeg`].find((name) => !taken.has(name.toLowerCase())) : undefined
}

export const leafOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Texts after these pictures became JPEG. */
export function renamedTexts({ mentions, texts, edits }: References, renamed: ReadonlySet<ZipEntry>): Map<ZipEntry, Uint8Array> {
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
  return new Map([...splices].map(([holder, changes]) => [holder, encodeXml(spliced(texts.get(holder)!, changes))]))
}

/** How often a name is in a text, without regard to case. */
export const timesNamed = (text: string, leaf: string): number => text.toLowerCase().split(leaf.toLowerCase()).length - 1
