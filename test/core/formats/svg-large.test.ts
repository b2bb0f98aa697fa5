import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { YieldBudget } from '../../../src/core/bytes/yield.ts'
import { absolutePath, readPath, roundPath, shortNumber, writePath } from '../../../src/core/formats/svg/path.ts'
import { streamingPass, streamingPassDifference } from '../../../src/core/formats/svg/streaming-pass.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { textsOf } from '../../support/in-english.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const breath = () => new YieldBudget(1 << 20)
const lean = (text: string, decimals?: number) => new TextDecoder().decode(Buffer.concat([...streamingPass(bytesOf(text), decimals)]))
const run = async (text: string, more: object = {}) => {
  const source = memorySource(bytesOf(text), 'map.svg')
  const options = {
    quality: 'medium',
    output: 'svg',
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
    ...more,
  }
  const pressed = await openJob(svg, source, {}, options as never).whole(async () => memorySink(source.size, source.name))
  return { ...pressed, text: pressed.result && new TextDecoder().decode(await readAll(pressed.result)) }
}

/** Plot of random lines, as plotting programs write it. Its element trees exceed the memory limit. */
function plot(lines: number, points: number): string {
  let seed = 7
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5
  let out =
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600" viewBox="0 0 900 600">\n <!-- a plot -->\n'
  for (let line = 0; line < lines; line++) {
    let [x, y] = [450 + 800 * random(), 300 + 500 * random()]
    out += `  <g id="line_${line}">\n   <path d="M ${x.toFixed(6)} ${y.toFixed(6)} \n`
    for (let i = 0; i < points; i++) out += `L ${((x += 8 * random())).toFixed(6)} ${((y += 8 * random())).toFixed(6)} \n`
    out += `" style="fill: none; stroke: #${(line * 4099 + 0x100000).toString(16).slice(0, 6)}"/>\n  </g>\n`
  }
  return `${out}  <text x="10" y="20">caf\u00e9  &amp; more</text>\n</svg>\n`
}

/** Values of the numbers, with −0 as 0. */
const values = (numbers: readonly string[]) => numbers.map((text) => Number(text) + 0)

describe('path data', () => {
  it.each([
    ['M 10.0,20.50 L 30 40 L 50.25 -0.75 z', 'M10 20.5 30 40 50.25-.75z'],
    ['m0.5.5l1e2,-.0 0 00.10', 'm.5.5 1e2 0 0 .1'],
    ['M0 0A5 5 0 0110 10 5 5 0 1 0 20 20', 'M0 0A5 5 0 0 1 10 10 5 5 0 1 0 20 20'],
  ])('%s → %s', (before, after) => {
    const path = readPath(before)
    expect(writePath((path ?? []).map(({ command, numbers }) => ({ command, numbers: numbers.map(shortNumber) })))).toBe(after)
  })

  it.each(['', 'L 1 2', 'M 1', 'M 1 2 L 3 NaN', 'M0 0A5 5 0 2 1 1 1', 'M 0 0 z 1 2'])('readPath refuses %s', (data) => {
    expect(readPath(data)).toBeUndefined()
  })

  const number = fc.double({ min: -1000, max: 1000, noNaN: true }).map((v) => v.toFixed(5))
  const segment = fc
    .constantFrom('L', 'l', 'H', 'h', 'V', 'v', 'C', 'c', 'Q', 'q', 'S', 's', 'T', 't', 'A', 'a', 'Z', 'z', 'M', 'm')
    .chain((command) => {
      const count = { l: 2, h: 1, v: 1, c: 6, q: 4, s: 4, t: 2, a: 7, z: 0, m: 2 }[command.toLowerCase()] ?? 0
      const flag = fc.constantFrom('0', '1')
      const numbers = Array.from({ length: count }, (_, i) => (count === 7 && (i === 3 || i === 4) ? flag : number))
      return fc.tuple(...numbers).map((values) => ({ command, numbers: values as string[] }))
    })
  const path = fc.array(segment, { maxLength: 30 }).map((rest) => [{ command: 'M', numbers: ['1', '2'] }, ...rest])

  it('round-trips, and rounding errors do not accumulate', () => {
    fc.assert(
      fc.property(path, fc.integer({ min: 0, max: 3 }), (segments, decimals) => {
        const again = readPath(writePath(segments.map(({ command, numbers }) => ({ command, numbers: numbers.map(shortNumber) }))))
        expect(again?.map(({ command, numbers }) => [command, ...values(numbers)])).toEqual(
          segments.map(({ command, numbers }) => [command, ...values(numbers)]),
        )
        const rounded = readPath(writePath(roundPath(segments, decimals))) ?? []
        const [exact, near] = [absolutePath(segments), absolutePath(rounded)]
        const off = exact.flatMap((values, i) => values.map((v, k) => Math.abs(v - (near[i]?.[k] ?? Number.NaN))))
        expect(Math.max(0, ...off)).toBeLessThanOrEqual(0.5 * 10 ** -decimals + 1e-6)
      }),
      { numRuns: 200 },
    )
  })
})

describe('streaming pass', () => {
  it('keeps everything but comments, white space between elements and superfluous digits', async () => {
    const text = `<svg  xmlns="http://www.w3.org/2000/svg"\n width='10'><!-- gone --><!--! kept --> <g>\n<path d="M 1.50 2.0 L 3 4"/> </g>
<text xml:space="preserve">  a <tspan> b</tspan> </text><style> a { } </style><polygon points="0.0,1.0 2,2 -3,4"/></svg>`
    expect(lean(text)).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" width='10'><!--! kept --><g><path d="M1.5 2 3 4"/></g><text xml:space="preserve">  a <tspan> b</tspan> </text><style> a { } </style><polygon points="0 1 2 2-3 4"/></svg>`,
    )
    expect(lean(lean(text))).toBe(lean(text))
    expect(await streamingPassDifference(bytesOf(text), bytesOf(lean(text)), 0, breath())).toBeUndefined()
  })

  it.each([
    ['a lost element', (t: string) => t.replace('<g>', '').replace('</g>', '')],
    ['a changed number', (t: string) => t.replace('1.5', '1.6')],
    ['a changed text', (t: string) => t.replace('word', 'work')],
    ['a changed attribute', (t: string) => t.replace('red', 'tan')],
  ])('notices %s', async (_, harm) => {
    const text = '<svg><g><path fill="red" d="M1.5 2 3 4"/></g><text>word</text></svg>'
    expect(await streamingPassDifference(bytesOf(text), bytesOf(harm(text)), 0, breath())).toBeTypeOf('string')
  })

  it.each(['<svg><g></svg>', '<svg/><svg/>', '<svg a="1', '<svg><!-- ', '<svg ab></svg>', '', 'words'])('refuses %s', (text) => {
    expect(() => lean(text)).toThrow()
  })
})

describe('drawings whose element trees exceed the memory limit', () => {
  it('are rounded as far as the score allows, or stay exact with the option lossless', { timeout: 60_000 }, async () => {
    const text = plot(60, 1200)
    const medium = await run(text)
    expect(withFidelity(medium.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(medium.text?.length).toBeLessThan(0.65 * text.length)
    const exact = await run(text, { lossless: true })
    expect(withFidelity(exact.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(await streamingPassDifference(bytesOf(text), bytesOf(exact.text ?? ''), 0, breath())).toBeUndefined()
    expect(medium.text).toContain('caf\u00e9  &amp; more')
  })

  it('are returned unchanged when they are damaged', { timeout: 30_000 }, async () => {
    const text = plot(60, 1200)
    const cut = await run(text.slice(0, -8))
    expect(cut.outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('include drawings with too many style rules per element (a logo took three minutes)', async () => {
    const parts = Array.from({ length: 700 }, (_, i) => i)
    const rules = parts.map((i) => `.c${i}{fill:#${(i * 4099 + 0x100000).toString(16).slice(0, 6)}}`).join('\n')
    const paths = parts.map((i) => `<path class="c${i}" d="M ${i}.1234567 10.7654321 L ${i + 9}.7654321 90.1234567 L 3 4 Z"/>`).join('\n')
    const { outcome } = await run(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 100"><style>${rules}</style>\n${paths}\n</svg>`)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)[0]).toMatch(
      /^comments and white space removed, coordinates rounded to \d decimals$/,
    )
  })
})
