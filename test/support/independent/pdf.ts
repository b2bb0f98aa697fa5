/** Checks PDF files with qpdf and renders their pages with PDFium. */
import { createHash } from 'node:crypto'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import type { Picture } from './pictures.ts'
import { require, wasmBytes } from './wasm.ts'

interface Qpdf {
  callMain(args: string[]): number
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void }
}
type MakeQpdf = (options: Record<string, unknown>) => Promise<Qpdf>

/** The only qpdf instance. Its output goes to `printed` of the current call. */
let qpdf: Promise<Qpdf> | undefined
let printed: string[] = []

/** Creates the qpdf instance. Its glue code keeps the console methods that exist at this moment. */
async function openQpdf(): Promise<Qpdf> {
  const make = require('@neslinesli93/qpdf-wasm') as MakeQpdf
  const { log, error } = console
  console.log = console.error = (...words: unknown[]) => void printed.push(words.join(' '))
  try {
    const made = make({ wasmBinary: wasmBytes('@neslinesli93/qpdf-wasm/dist/qpdf.wasm') })
    return await made
  } finally {
    Object.assign(console, { log, error })
  }
}

export interface Check {
  /** 0: no problem, 1: warnings, 2: errors. */
  readonly severity: 0 | 1 | 2
  readonly lines: readonly string[]
}

const checks = new Map<string, Promise<Check>>()

/** Runs `qpdf --check` on a file. */
export function qpdfCheck(bytes: Uint8Array): Promise<Check> {
  const key = createHash('sha256').update(bytes).digest('hex')
  let found = checks.get(key)
  if (!found) checks.set(key, (found = check(bytes)))
  return found
}

async function check(bytes: Uint8Array): Promise<Check> {
  const { FS, callMain } = await (qpdf ??= openQpdf())
  printed = []
  FS.writeFile('/in.pdf', bytes)
  const exitCode = process.exitCode
  let status: number
  try {
    status = callMain(['--check', '/in.pdf'])
  } catch (error) {
    status = (error as { status?: number }).status ?? 2
  }
  // qpdf's glue code sets the exit code of this process, so it is restored.
  process.exitCode = exitCode
  FS.unlink('/in.pdf')
  // Exit codes of qpdf: 3 means warnings, 2 means errors.
  const severity = status === 0 ? 0 : status === 3 ? 1 : 2
  return { severity, lines: severity === 0 ? [] : printed.filter((line) => !INFORMATION.test(line)) }
}

/** Lines that qpdf prints for every file. */
const INFORMATION =
  /^(checking |PDF Version|File is |No syntax|errors that qpdf|R = |P = |User password|Supplied password|\w+ (for|low|high)?.*: (not )?allowed)/

let pdfium: ReturnType<typeof PDFiumLibrary.init> | undefined
const openPdfium = () => (pdfium ??= PDFiumLibrary.init({ wasmBinary: wasmBytes('@hyzyla/pdfium/pdfium.wasm').buffer }))

export interface Pages {
  /** Number of all pages. */
  readonly count: number
  /** Renderings of the first pages. */
  readonly drawn: readonly Picture[]
}

const drawn = new Map<string, Promise<Pages>>()

/**
 * Renders the first pages. `scale`: pixels per point. `most`: largest number of pages.
 * @throws Error if PDFium cannot open the file
 */
export function renderPages(bytes: Uint8Array, scale = 1, most = 2): Promise<Pages> {
  const key = `${scale} ${most} ${createHash('sha256').update(bytes).digest('hex')}`
  let found = drawn.get(key)
  if (!found) drawn.set(key, (found = draw(bytes, scale, most)))
  return found
}

async function draw(bytes: Uint8Array, scale: number, most: number): Promise<Pages> {
  const document = await (await openPdfium()).loadDocument(new Uint8Array(bytes))
  try {
    const pages: Picture[] = []
    for (const page of document.pages()) {
      if (pages.length === most) break
      const { width, height, data } = await page.render({ scale, render: 'bitmap' })
      const rgba = new Uint16Array(width * height * 4)
      for (let i = 0; i < rgba.length; i += 4) {
        // PDFium's byte order is blue, green, red, alpha.
        rgba[i] = data[i + 2]! * 257
        rgba[i + 1] = data[i + 1]! * 257
        rgba[i + 2] = data[i]! * 257
        rgba[i + 3] = data[i + 3]! * 257
      }
      pages.push({ width, height, rgba })
    }
    return { count: document.getPageCount(), drawn: pages }
  } finally {
    document.destroy()
  }
}
