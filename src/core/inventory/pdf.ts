/** Inventory of PDF (ISO 32000-2). It reads the structure of the document, not the contents of its pages. */
import type { Source } from '../model/codec.ts'
import { CachedRanges } from './cached-ranges.ts'
import { digestOfStream } from './digest.ts'
import { FileView } from './file-view.ts'
import { INFLATE_LIBRARY } from './inflate.ts'
import type { Inventory, InventoryReader } from './inventory.ts'
import { addCatalog } from './pdf/catalog.ts'
import { documentOf, type PdfDocument } from './pdf/document.ts'
import { PdfFile } from './pdf/file.ts'
import { seenResources } from './pdf/fonts.ts'
import { addForm } from './pdf/form.ts'
import { addLayers } from './pdf/layers.ts'
import { addLabels, addOutline, addThreads } from './pdf/outline.ts'
import { addPages } from './pdf/pages.ts'
import { addStructure } from './pdf/structure.ts'
import { endOfDocument } from './pdf/tail.ts'
import { asciiOf } from './pdf/text.ts'
import { damaged, PdfStream } from './pdf/values.ts'
import { addXmp } from './pdf/xmp.ts'
import { XML_LIBRARY } from './xml-library.ts'

/** Largest XMP packet that is parsed. The digest of a larger one counts. */
const MAX_XMP_BYTES = 4 * 1024 * 1024

export const pdfInventory: InventoryReader = {
  library: `${INFLATE_LIBRARY}, ${XML_LIBRARY}`,

  async read(source: Source, signal: AbortSignal, isResult = false): Promise<Inventory> {
    const end = await endOfDocument(source)
    const file = await PdfFile.open(new CachedRanges(source, { format: 'pdf', size: end }, signal))
    const document = await documentOf(file, signal)
    await addPages(document, seenResources())
    await addOutline(document)
    await addLabels(document)
    await addForm(document)
    await addCatalog(document)
    await addLayers(document)
    await addStructure(document)
    await addThreads(document)
    await addMetadata(document)
    await addBytesAround(document, source, end, signal)
    if (isResult && file.isRebuilt) throw damaged(0)
    return document.items.build()
  },
}

async function addMetadata({ file, catalog, items }: PdfDocument): Promise<void> {
  const metadata = await file.resolve(catalog.get('Metadata'))
  if (!(metadata instanceof PdfStream)) return
  const packet = await file.streams.bytes(metadata, MAX_XMP_BYTES)
  if (packet) addXmp(items, packet)
  else items.add('xmp_properties', `packet = ${await file.streams.digest(metadata)}`)
}

/** Adds the bytes before the header and behind the document, if they are not blank. */
async function addBytesAround({ file, items }: PdfDocument, source: Source, end: number, signal: AbortSignal): Promise<void> {
  const before = asciiOf(await source.read(0, file.bytesBeforeHeader))
  if (before.trim() !== '') items.add('preamble', `${before.length} bytes before the header`)
  if (end === source.size) return
  const digest = await digestOfStream(new FileView(source, 'pdf', signal).chunks(end, source.size - end))
  items.add('trailing_bytes', `${source.size - end} bytes #${digest}`)
}
