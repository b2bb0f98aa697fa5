/** Builds the pull request comment: a table of receipts, and hidden hashes of results for the next run. */
import type { FileResult } from '../../lighten.ts'

export const COMMENT_MARKER = '<!-- whittle -->'
const RESULTS = /^<!-- results ([0-9a-f ]*) -->$/m
/** Most rows, because GitHub limits comments to 65,536 characters. */
const MAX_ROWS = 150
const MAX_RESULTS = 300

/** Builds the comment. @param results SHA-256 of the results of this and earlier runs */
export function buildComment(files: readonly FileResult[], results: readonly string[]): string {
  const smaller = files.filter(({ outcome }) => outcome === 'smaller')
  const [before, after] = [total(smaller.map(({ originalSize }) => originalSize)), total(smaller.map(({ size }) => size))]
  const head =
    smaller.length === 0
      ? 'No file became smaller.'
      : `**${smaller.length} file${smaller.length === 1 ? '' : 's'}: ${bytes(before)} → ${bytes(after)}**, ${percent(before, after)} saved. Each result was decoded and compared with its original.`
  const rest = files.length - MAX_ROWS
  return [
    COMMENT_MARKER,
    `<!-- results ${results.slice(-MAX_RESULTS).join(' ')} -->`,
    head,
    '',
    '| file | before | after | saved | difference |',
    '|---|--:|--:|--:|---|',
    ...files.slice(0, MAX_ROWS).map(row),
    ...(rest > 0 ? [`| and ${rest} more | | | | |`] : []),
  ].join('\n')
}

/** Hashes of results in an earlier comment. Empty if there is none. */
export const resultHashesIn = (comment: string | undefined): string[] =>
  RESULTS.exec(comment ?? '')?.[1]
    ?.split(' ')
    .filter(Boolean) ?? []

function row({ path, outcome, originalSize, size, reason: why = '', receipt }: FileResult): string {
  const name = codeCell(path)
  if (outcome === 'failed') return `| ${name} | ${bytes(originalSize)} | | | failed: ${escapeText(why)} |`
  if (outcome === 'unchanged') return `| ${name} | ${bytes(originalSize)} | unchanged | | ${escapeText(why)} |`
  const sizes = `${bytes(originalSize)} | ${bytes(size)} | ${percent(originalSize, size)}`
  if (receipt?.outcome !== 'compressed') return `| ${name} | ${sizes} | |`
  const { fidelity, ssim, psnr_db, ssimulacra2 } = receipt
  const figures = [
    fidelity === 'lossless' ? 'nothing (lossless)' : '',
    ssim === undefined ? '' : `SSIM ${ssim}`,
    psnr_db === undefined ? '' : `PSNR ${psnr_db} dB`,
    ssimulacra2 === undefined ? '' : `SSIMULACRA2 ${ssimulacra2}`,
  ]
  return `| ${name} | ${sizes} | ${figures.filter(Boolean).join(', ') || fidelity} |`
}

/**
 * Escapes text for the comment. File names come from the author of the pull request, so they must not act as Markdown, HTML or
 * mentions.
 */
const codeCell = (text: string) => `<code>${escapeText(text)}</code>`
const escapeText = (text: string) => text.replaceAll(/[^\p{L}\p{N} .,/'-]/gu, (letter) => `&#${letter.codePointAt(0)};`)

const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)
const percent = (before: number, after: number) => `${before > 0 ? ((1 - after / before) * 100).toFixed(1) : '0.0'}%`

function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const [value, unit] = count < 999_500 ? [count / 1e3, 'kB'] : [count / 1e6, 'MB']
  return `${value.toPrecision(3)} ${unit}`
}
