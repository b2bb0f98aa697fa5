/** What can be shown before and after: pictures, pages of a PDF, or pictures of a document. */
import { useEffect, useState } from 'preact/hooks'
import type { Compressed, FormatId } from '../model/protocol.ts'
import type { OpenSeries, Series } from '../shared/series.ts'

/** Addresses of two pictures, and their sizes in bytes. */
export interface Pair {
  /** `undefined`: the browser cannot draw the format of the upload. */
  readonly before: string | undefined
  readonly after: string
  readonly sizes: readonly [number, number]
}

/** Size in bytes above which documents are not compared, because the page would hold both files in memory. */
const MAX_DOCUMENT_BYTES = 50e6
const PACKAGES: readonly FormatId[] = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'odg', 'ofd', 'epub', 'kmz']
const PICTURES: readonly FormatId[] = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg', 'heic']
/** Outputs that browsers draw. */
const DRAWN_OUTPUTS = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg']

/** Code that opens documents, loaded when the first one is shown. */
function openerOf(format: FormatId): OpenSeries | undefined {
  if (format === 'pdf') return async (before, after) => (await import('../shared/pdf.ts')).pagesOf(before, after)
  if (PACKAGES.includes(format)) {
    return async (before, after) => (await import('../shared/zip-pictures.ts')).picturesIn(before, after)
  }
  return undefined
}

/** True if the result may have something to show. */
export const isShown = (format: FormatId, { receipt }: Compressed, file: File): boolean =>
  receipt.result.outcome === 'compressed' &&
  ((PICTURES.includes(format) && DRAWN_OUTPUTS.includes(receipt.output_format)) ||
    (openerOf(format) !== undefined && receipt.output_format === format && file.size <= MAX_DOCUMENT_BYTES))

/** Opens the pairs of a document. `undefined`: the file is a picture, or the pairs are not open yet. */
export function useSeries(file: File, format: FormatId, result: Compressed | undefined): Series | undefined {
  const [series, setSeries] = useState<Series>()
  useEffect(() => {
    const open = openerOf(format)
    if (!open || !result || !isShown(format, result, file)) return
    let isGone = false
    let opened: Series | undefined
    const show = async () => {
      opened = await open(file, result.result)
      if (isGone) opened.close()
      else setSeries(opened)
    }
    // A document that cannot be drawn has no comparison.
    void show().catch(() => setSeries(undefined))
    return () => {
      isGone = true
      opened?.close()
    }
  }, [file, result])
  return series
}

/** Returns the pair when the result can be drawn. @param number number of the pair in `series`, from 1 */
export function usePair(
  file: File,
  format: FormatId,
  result: Compressed | undefined,
  page?: { series: Series; number: number },
): Pair | undefined {
  const [pair, setPair] = useState<Pair>()
  useEffect(() => {
    if (!result || !isShown(format, result, file) || (openerOf(format) && !page)) return setPair(undefined)
    let urls: string[] = []
    let isGone = false
    const show = async () => {
      const blobs = page ? await page.series.pair(page.number) : [asPicture(file, format), result.result]
      urls = blobs.map((blob) => URL.createObjectURL(blob))
      const [before, after] = urls as [string, string]
      const isBeforeDrawn = await drawable(before).then(
        () => true,
        () => false,
      )
      await drawable(after)
      const sizes = page?.series.sizes?.(page.number) ?? ([file.size, result.result.size] as const)
      if (!isGone) setPair({ before: isBeforeDrawn ? before : undefined, after, sizes })
    }
    void show().catch(() => setPair(undefined))
    return () => {
      isGone = true
      for (const url of urls) URL.revokeObjectURL(url)
    }
  }, [file, result, page?.series, page?.number])
  return pair
}

/** Browsers draw SVG only if its type says so. */
const asPicture = (file: File, format: FormatId): Blob => (format === 'svg' ? new Blob([file], { type: 'image/svg+xml' }) : file)

const drawable = async (url: string): Promise<void> => {
  const image = new Image()
  image.src = url
  await image.decode()
}
