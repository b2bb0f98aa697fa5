/** Draws pages of a PDF with pdf.js, which is loaded when the first PDF is shown. */
import type * as PdfJs from 'pdfjs-dist'
import type { Series } from './series.ts'

const FOLDER = '/console/pdf/'
const WIDTH_PX = 1200

let loading: Promise<typeof PdfJs> | undefined

async function load(): Promise<typeof PdfJs> {
  const library = (await import(/* @vite-ignore */ `${FOLDER}pdf.min.mjs`)) as typeof PdfJs
  library.GlobalWorkerOptions.workerSrc = `${FOLDER}pdf.worker.min.mjs`
  return library
}

/** @throws if one of the files is not a PDF, is damaged or needs a password */
export async function pagesOf(before: Blob, after: Blob): Promise<Series> {
  const [first, second] = await Promise.all([opened(before), opened(after)])
  const page = async ({ document }: Opened, number: number) => drawn(await document.getPage(number))
  const count = first.document.numPages
  return {
    count,
    name: (number) => ['Page {number} of {count}', { number, count }],
    pair: (number) => Promise.all([page(first, number), page(second, number)]),
    close: () => {
      for (const { task } of [first, second]) void task.destroy()
    },
  }
}

/** Milliseconds for which a thumbnail is waited for. */
const THUMBNAIL_MS = 15_000
/** The thumbnail that was asked for last. They are drawn one after the other, so that a long list does not start a hundred workers. */
let lastThumbnail: Promise<unknown> = Promise.resolve()

/**
 * Draws the first page into a square canvas. A long page ends below the square.
 * @throws if the file is not a PDF, is damaged, needs a password, or takes too long
 */
export function drawFirstPage(file: Blob, canvas: HTMLCanvasElement): Promise<void> {
  const drawing = lastThumbnail.then(() => firstPage(file, canvas))
  lastThumbnail = drawing.catch(() => undefined)
  return drawing
}

async function firstPage(file: Blob, canvas: HTMLCanvasElement): Promise<void> {
  const task = await open(file)
  // What is waited for fails when the task ends.
  const timer = setTimeout(() => void task.destroy(), THUMBNAIL_MS)
  try {
    const page = await (await task.promise).getPage(1)
    const { width, height } = page.getViewport({ scale: 1 })
    await page.render({ canvas, viewport: page.getViewport({ scale: canvas.width / Math.min(width, height) }) }).promise
  } finally {
    clearTimeout(timer)
    void task.destroy()
  }
}

interface Opened {
  readonly task: PdfJs.PDFDocumentLoadingTask
  readonly document: PdfJs.PDFDocumentProxy
}

async function opened(file: Blob): Promise<Opened> {
  const task = await open(file)
  return { task, document: await task.promise }
}

async function open(file: Blob): Promise<PdfJs.PDFDocumentLoadingTask> {
  loading ??= load()
  const { getDocument } = await loading
  return getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: FOLDER,
    standardFontDataUrl: FOLDER,
    // The font folder contains only Symbol and ZapfDingbats.
    useSystemFonts: true,
    // The Content Security Policy forbids WebAssembly; pdf.js has the same decoders in JavaScript.
    useWasm: false,
    wasmUrl: FOLDER,
  })
}

/** Page of the canvas as a PNG. */
async function drawn(page: PdfJs.PDFPageProxy): Promise<Blob> {
  const viewport = page.getViewport({ scale: WIDTH_PX / page.getViewport({ scale: 1 }).width })
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.min(Math.round(viewport.height), 4 * WIDTH_PX)
  await page.render({ canvas, viewport }).promise
  return new Promise((resolve, reject) =>
    canvas.toBlob((picture) => (picture ? resolve(picture) : reject(new Error('not drawn'))), 'image/png'),
  )
}
