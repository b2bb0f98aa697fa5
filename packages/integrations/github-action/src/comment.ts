/** The comment: a table of receipts for people, and hashes of results for the next run. */
import type { Lightened } from '../../lighten.ts'

export const MARK = '<!-- whittle -->'
const RESULTS = /^<!-- results ([0-9a-f ]*) -->$/m
/** GitHub takes comments of 65,536 characters. */
const MAX_ROWS = 150
const MAX_RESULTS = 300

/** @param results SHA-256 of what earlier runs and this one made */
export function commentOf(files: readonly Lightened[], results: readonly string[]): string {
  const smaller = files.filter(({ outcome }) => outcome === 'smaller')
  const [before, after] = [total(smaller.map(({ originalSize }) => originalSize)), total(smaller.map(({ size }) => size))]
  const head =
    smaller.length === 0
      ? 'Nothing here became smaller.'
      : `**${smaller.length} file${smaller.length === 1 ? '' : 's'}: ${bytes(before)} → ${bytes(after)}**, ${percent(before, after)} saved, each decoded again and compared.`
  const rest = files.length - MAX_ROWS
  return [
    MARK,
    `<!-- results ${results.slice(-MAX_RESULTS).join(' ')} -->`,
    head,
    '',
    '| file | before | after | saved | what differs |',
    '|---|--:|--:|--:|---|',
    ...files.slice(0, MAX_ROWS).map(row),
    ...(rest > 0 ? [`| and ${rest} more | | | | |`] : []),
  ].join('\n')
}

/** Of an earlier comment. */
export const resultsOf = (comment: string | undefined): string[] =>
  RESULTS.exec(comment ?? '')?.[1]
    ?.split(' ')
    .filter(Boolean) ?? []

function row({ path, outcome, originalSize, size, why = '', receipt }: Lightened): string {
  const name = code(path)
  if (outcome === 'failed') return `| ${name} | ${bytes(originalSize)} | | | failed: ${plain(why)} |`
  if (outcome === 'unchanged') return `| ${name} | ${bytes(originalSize)} | unchanged | | ${plain(why)} |`
  const sizes = `${bytes(originalSize)} | ${bytes(size)} | ${percent(originalSize, size)}`
  if (receipt?.outcome !== 'compressed') return `| ${name} | ${sizes} | |`
  const { fidelity, ssim, psnr_db, ssimulacra2 } = receipt
  const figures = [
    fidelity === 'lossless' ? 'nothing' : '',
    ssim === undefined ? '' : `SSIM ${ssim}`,
    psnr_db === undefined ? '' : `PSNR ${psnr_db} dB`,
    ssimulacra2 === undefined ? '' : `SSIMULACRA2 ${ssimulacra2}`,
  ]
  return `| ${name} | ${sizes} | ${figures.filter(Boolean).join(', ') || fidelity} |`
}

/** Names of files are whoever's who made the pull request: nothing of them is Markdown, HTML or a mention. */
const code = (text: string) => `<code>${plain(text)}</code>`
const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N} .,/'-]/gu, (letter) => `&#${letter.codePointAt(0)};`)

const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)
const percent = (before: number, after: number) => `${before > 0 ? ((1 - after / before) * 100).toFixed(1) : '0.0'}%`

function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const [value, unit] = count < 999_500 ? [count / 1e3, 'kB'] : [count / 1e6, 'MB']
  return `${value.toPrecision(3)} ${unit}`
}
