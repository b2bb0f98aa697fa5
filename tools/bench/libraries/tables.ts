/** Tables of the library benchmark in docs/contributors/measured.md, between markers. */
import { sectionOf, table, withSection } from '../sections.ts'
import type { TaskName } from './contestants.ts'

export interface LibraryRow {
  readonly task: TaskName
  readonly library: string
  /** Pictures that were compared in bytes. */
  readonly compared: number
  /** Bytes of Whittle's results divided by those of the library. `undefined`: no result was comparable. */
  readonly ratio?: number
  /** Seconds for all pictures. `undefined`: the library failed. */
  readonly wallSeconds?: number
  readonly cpuSeconds?: number
  readonly note?: string
}

export interface InstallRow {
  readonly library: string
  readonly bytes: number
  readonly note?: string
}

export interface Libraries {
  readonly pictures: number
  readonly rows: readonly LibraryRow[]
  readonly installed: readonly InstallRow[]
}

/** Returns the section of the libraries with its markers. Empty: `text` has none. */
export const librariesOf = (text: string): string => sectionOf(text, 'libraries')

/** Returns the text of measured.md with new tables of the libraries. */
export const withLibraries = (text: string, libraries: Libraries, when: string): string =>
  withSection(text, 'libraries', tablesOf(libraries, when))

function tablesOf({ pictures, rows, installed }: Libraries, when: string): string {
  const lines = rows.map(({ task, library, compared, ratio, wallSeconds, cpuSeconds, note = '' }) => [
    task,
    library,
    ratio === undefined ? '–' : ratio.toFixed(3),
    ratio === undefined ? '' : String(compared),
    wallSeconds?.toFixed(1) ?? 'failed',
    cpuSeconds?.toFixed(1) ?? '',
    note.replaceAll('|', '/'),
  ])
  const sizes = installed.map(({ library, bytes, note = '' }) => [library, (bytes / 1e6).toFixed(1), note])
  return `
## Libraries

\`npm run bench -- libraries --docs\` writes this section. ${when}.

Each library compresses ${pictures} pictures of 320 × 240 pixels or drawings, one per core at a time.

- *bytes*: Whittle's divided by the library's, at the SSIMULACRA 2.1 score of Whittle's \`medium\`. \`PNG, same pixels\` and \`SVG\`: \`high\`.
- *compared*: pictures for which the library has results below and above this score.
- *wall*, *CPU*: seconds of the process for all pictures, with start-up and programs that it starts. Whittle also decodes and checks its results.

${table(['task', 'library', 'bytes', 'compared', 'wall, s', 'CPU, s', 'remarks'], lines)}
${table(['library', 'installed, MB', 'remarks'], sizes)}`
}
