/** Draws pages of a PDF, with pdf.js. It is fetched when the first PDF is shown. */
import type * as PdfJs from 'pdfjs-dist'

const FOLDER = '/console/pdf/'
const WIDTH_PX = 1200

export interface Pages {
  readonly count: number
  /** A page, from 1, as a PNG. */
  draw(number: number): Promise<Blob>
  close(): void
}

let loading: Promise<typeof PdfJs> | undefined

async function load(): Promise<typeof PdfJs> {
  const library = (await import(/* @vite-ignore */ `${FOLDER}pdf.min.mjs`)) as typeof PdfJs
  library.GlobalWorkerOptions.workerSrc = `${FOLDER}pdf.worker.min.mjs`
  return library
}

/** @throws when the file is no PDF, is damaged or wants a password. */
export async function pagesOf(file: Blob): Promise<Pages> {
  loading ??= load()
  const { getDocument } = await loading
  const task = getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: FOLDER,
    standardFontDataUrl: FOLDER,
    // Only Symbol and ZapfDingbats lie in the folder.
    useSystemFonts: true,
    // The page's policy lets no WebAssembly in; pdf.js has the same decoders in JavaScript.
    useWasm: false,
    wasmUrl: FOLDER,
  })
  const document = await task.promise
  return {
    count: document.numPages,
    draw: async (number) => drawn(await document.getPage(number)),
    close: () => void task.destroy(),
  }
}

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
