/**
 * Merges equal files at level `ultra`. A file is dropped if only resource lists refer to it (GB/T 33190-2016, 7.9: MediaFile, FontFile) and
 * it equals an earlier file of the same list. The list then refers to the earlier file.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { applySplices, decodeXml, type Splice, scanTags } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { folderOf, normalPath } from './paths.ts'
import { MAX_MERGED_BYTES, MAX_XML_BYTES } from './tuning.ts'

export interface MergedFiles {
  /** Dropped files, each with the equal file that replaces it. */
  readonly merged: ReadonlyMap<ZipEntry, ZipEntry>
  /** Resource lists with their new text. */
  readonly texts: ReadonlyMap<ZipEntry, string>
  /** Changes to the resource lists, each with the file that the new text refers to. */
  readonly edits: ReadonlyMap<ZipEntry, readonly (Splice & { readonly file: ZipEntry })[]>
}

interface Mention {
  readonly file: ZipEntry
  /** File name as written in the text. */
  readonly text: string
  readonly start: number
  readonly end: number
}

export async function duplicateFiles(archive: ZipArchive): Promise<MergedFiles> {
  const none: MergedFiles = { merged: new Map(), texts: new Map(), edits: new Map() }
  const byPath = new Map(archive.entries.map((entry) => [normalPath(entry.name), entry]))
  const lists = new Map<ZipEntry, { xml: string; mentions: Mention[] }>()
  const texts: string[] = []
  for (const entry of archive.entries) {
    if (!/\.xml$/i.test(entry.name)) continue
    if (entry.opaque || entry.size > MAX_XML_BYTES) return none
    try {
      const xml = decodeXml(await readEntry(archive, entry))
      texts.push(xml)
      const mentions = mentionsIn(xml, entry.name, byPath)
      if (mentions.length > 0) lists.set(entry, { xml, mentions })
    } catch (error) {
      if (isEngineError(error, 'xml')) return none
      throw error
    }
  }

  const merged = new Map<ZipEntry, ZipEntry>()
  const splices = new Map<ZipEntry, (Splice & { readonly file: ZipEntry })[]>()
  for (const [list, { mentions }] of lists) {
    const firsts = new Map<string, Mention[]>()
    for (const mention of mentions) {
      const { file } = mention
      const key = `${file.size} ${file.crc32} ${file.name.slice(file.name.lastIndexOf('.')).toLowerCase()}`
      const earlier = firsts.get(key) ?? []
      firsts.set(key, earlier)
      if (earlier.some((first) => first.file === file)) continue
      const own = mentions.filter((each) => each.file === file)
      const duplicate = isNamedOnlyBy(own, file, texts) ? await equalFile(archive, file, earlier) : undefined
      if (!duplicate) {
        earlier.push(mention)
        continue
      }
      merged.set(file, duplicate.file)
      splices.set(list, [
        ...(splices.get(list) ?? []),
        ...own.map(({ start, end }) => ({ start, end, text: duplicate.text, file: duplicate.file })),
      ])
    }
  }
  return {
    merged,
    edits: splices,
    texts: new Map([...splices].map(([list, changes]) => [list, applySplices(lists.get(list)!.xml, changes)])),
  }
}

/** Returns the files that a resource list refers to, with their positions in the text. */
function mentionsIn(xml: string, name: string, byPath: ReadonlyMap<string, ZipEntry>): Mention[] {
  const found: Mention[] = []
  let base = ''
  for (const tag of scanTags(xml)) {
    if (tag.kind === 'close') continue
    if (tag.local === 'Res') base = tag.get('BaseLoc') ?? ''
    if (tag.kind !== 'open' || (tag.local !== 'MediaFile' && tag.local !== 'FontFile')) continue
    const end = xml.indexOf('<', tag.end)
    const text = xml.slice(tag.end, end)
    const file = [`${folderOf(name)}/${base}/${text.trim()}`, `${base}/${text.trim()}`]
      .map((path) => byPath.get(normalPath(path)))
      .find(Boolean)
    if (file && !file.opaque && !file.isDirectory && text.trim() !== '') found.push({ file, text, start: tag.end, end })
  }
  return found
}

/** True if no text of the package contains the file's name except in `own`. */
function isNamedOnlyBy(own: readonly Mention[], file: ZipEntry, texts: readonly string[]): boolean {
  const leaf = file.name.split(/[/\\]/).at(-1)!.toLowerCase()
  const named = texts.reduce((sum, text) => sum + text.toLowerCase().split(leaf).length - 1, 0)
  return named === own.length
}

async function equalFile(archive: ZipArchive, file: ZipEntry, earlier: readonly Mention[]): Promise<Mention | undefined> {
  if (file.size === 0 || file.size > MAX_MERGED_BYTES) return undefined
  for (const candidate of earlier) {
    const [a, b] = [await readEntry(archive, candidate.file), await readEntry(archive, file)]
    if (equalBytes(a, b)) return candidate
  }
  return undefined
}
