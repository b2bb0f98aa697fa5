/** Section of pictures on the fly in docs/contributors/measured.md. */
import { sectionOf, table, withSection } from '../sections.ts'
import type { Format } from './servers.ts'

/** Milliseconds of requests. */
export type Times = readonly number[]

export interface PictureRow {
  readonly format: Format
  readonly server: string
  /** Bytes of Whittle's results divided by the server's, at equal score. `undefined`: Whittle's own row, or nothing was comparable. */
  readonly ratio?: number
  /** Pictures that were compared in bytes. */
  readonly compared: number
  /** First requests. */
  readonly cold: Times
  /** Until the small picture was there. */
  readonly small: Times
  /** Repeated requests. */
  readonly warm: Times
  readonly perSecond: number
  /** `undefined`: the system does not tell. */
  readonly peakBytes: number | undefined
}

const HEAD = ['format', 'server', 'bytes', 'pictures', 'first, ms', 'small, ms', 'repeated, ms', 'a second', 'peak, MB', 'when']

/** Returns the text of measured.md with new rows in the table of pictures on the fly. Rows of other formats and servers stay. */
export function withPictures(text: string, rows: readonly PictureRow[], when: string): string {
  const lines = new Map<string, readonly string[]>()
  for (const line of sectionOf(text, 'pictures').split('\n')) {
    const cells = line.slice(2, -2).split(' | ')
    if (cells.length === HEAD.length && cells[0] !== HEAD[0] && cells[0] !== '---') lines.set(`${cells[0]} ${cells[1]}`, cells)
  }
  for (const row of rows) lines.set(`${row.format} ${row.server}`, [...cellsOf(row), when])
  return withSection(
    text,
    'pictures',
    `
## Pictures on the fly

\`npm run bench -- pictures --docs\` writes this section. Photographs are reduced to 640 pixels.

- *bytes*: Whittle's divided by the peer's, at the SSIMULACRA 2.1 score of Whittle's result. Pictures whose colours peers convert are left out.
- *first*, *small*, *repeated*: p50 and p99 of first requests, until the small picture is there, and of 16 clients. imgproxy keeps no results.
- *peak*: memory of all processes of the server.

${table(HEAD, [...lines.values()])}`,
  )
}

export function cellsOf({ format, server, ratio, compared, cold, small, warm, perSecond, peakBytes }: PictureRow): string[] {
  return [
    format,
    server,
    ratio === undefined ? '' : `${ratio.toFixed(3)} of ${compared}`,
    String(cold.length),
    ...[cold, small, warm].map((times) => `${Math.round(quantile(times, 0.5))}, ${Math.round(quantile(times, 0.99))}`),
    String(Math.round(perSecond)),
    peakBytes === undefined ? '–' : String(Math.round(peakBytes / 1e6)),
  ]
}

/** Nearest-rank quantile. 0 for no values. */
export const quantile = (values: Times, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0
