/** Names and roles of the files in an OpenDocument package (OpenDocument 1.3 part 2, 3). */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeXml, scanTags } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'

export const MANIFEST = 'META-INF/manifest.xml'
export const METADATA = 'meta.xml'
/** Preview of the first page (part 2, 3.8). It must stay a PNG. */
export const isThumbnail = (name: string): boolean => name.startsWith('Thumbnails/')

export const findEntry = (archive: ZipArchive, name: string): ZipEntry | undefined => archive.entries.find((entry) => entry.name === name)

/** True if the package has digital signatures of the document or of its macros (part 2, 5). They cover the bytes of files. */
export const isSigned = ({ entries }: ZipArchive): boolean => entries.some(({ name }) => /^META-INF\/[^/]*signatures[^/]*$/i.test(name))

/** Encryption of the package: `none`, `encrypted` (part 2, 4.8.4), or `unknown`, because the manifest cannot be read. */
export async function encryptionOf(archive: ZipArchive, maxBytes: number): Promise<'none' | 'encrypted' | 'unknown'> {
  const manifest = findEntry(archive, MANIFEST)
  if (!manifest) return 'none'
  if (manifest.opaque || manifest.size > maxBytes) return 'unknown'
  try {
    for (const { local } of scanTags(withoutDoctype(decodeXml(await readEntry(archive, manifest)))))
      if (local === 'encryption-data') return 'encrypted'
    return 'none'
  } catch (error) {
    if (isEngineError(error, 'xml')) return 'unknown'
    throw error
  }
}

/** Replaces a document type without declarations by spaces. Manifests of OpenOffice.org 2 have one. */
export const withoutDoctype = (xml: string): string => xml.replace(/<!DOCTYPE[^[\]<>]*>/i, (whole) => ' '.repeat(whole.length))
