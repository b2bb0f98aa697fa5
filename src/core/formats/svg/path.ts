/** Parses, rounds and serialises path data (SVG 2, 9.3) and point lists in the fewest characters. */

export interface Segment {
  /** Path command letter as in the file; upper case means absolute coordinates. */
  readonly command: string
  /** Numbers as written in the file; arc flags are `0` or `1`. */
  readonly numbers: readonly string[]
}

const COUNTS: Readonly<Record<string, number>> = { m: 2, l: 2, t: 2, h: 1, v: 1, c: 6, s: 4, q: 4, a: 7, z: 0 }
const NUMBER = /[\s,]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y
const FLAG = /[\s,]*([01])/y
const COMMAND = /[\s,]*([MmLlTtHhVvCcSsQqAaZz])/y
const END = /\s*$/y

function match(pattern: RegExp, text: string, at: { offset: number }): string | undefined {
  pattern.lastIndex = at.offset
  const found = pattern.exec(text)
  if (!found) return undefined
  at.offset = pattern.lastIndex
  return found[1] ?? ''
}

/** Parses path data into segments and expands repeated commands. `undefined`: the path data is invalid. */
export function readPath(data: string): Segment[] | undefined {
  const segments: Segment[] = []
  const at = { offset: 0 }
  let command: string | undefined
  while (match(END, data, at) === undefined) {
    const next = match(COMMAND, data, at)
    if (next) command = next
    else if (command === 'M' || command === 'm') command = command === 'M' ? 'L' : 'l'
    else if (command === undefined || command === 'z' || command === 'Z') return undefined
    if (segments.length === 0 && command !== 'M' && command !== 'm') return undefined
    const count = COUNTS[command.toLowerCase()] ?? 0
    const numbers: string[] = []
    for (let i = 0; i < count; i++) {
      const isFlag = count === 7 && (i === 3 || i === 4)
      const number = match(isFlag ? FLAG : NUMBER, data, at)
      if (number === undefined) return undefined
      numbers.push(number)
    }
    segments.push({ command, numbers })
  }
  return segments.length ? segments : undefined
}

/** Parses the coordinates of a `points` attribute. `undefined`: invalid, or an odd number of coordinates. */
export function readPoints(data: string): string[] | undefined {
  const numbers: string[] = []
  const at = { offset: 0 }
  while (match(END, data, at) === undefined) {
    const number = match(NUMBER, data, at)
    if (number === undefined) return undefined
    numbers.push(number)
  }
  return numbers.length && numbers.length % 2 === 0 ? numbers : undefined
}

/** Writes the same decimal value in fewer characters. */
export function shortNumber(text: string): string {
  const parts = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text)
  if (!parts) return text.replace(/^\+/, '') // numbers with an exponent
  const [, sign, whole = '', fraction = ''] = parts
  const digits = fraction === '' ? whole || '0' : `${whole}.${fraction}`
  return digits === '0' ? '0' : `${sign === '-' ? '-' : ''}${digits}`
}

function joined(numbers: readonly string[], flags: boolean): string {
  let out = ''
  numbers.forEach((number, i) => {
    const before = numbers[i - 1]
    const glued =
      before === undefined ||
      (!(flags && (i === 4 || i === 5)) && (number.startsWith('-') || (number.startsWith('.') && /[.eE]/.test(before))))
    out += glued ? number : ` ${number}`
  })
  return out
}

export function writePath(segments: readonly Segment[]): string {
  let out = ''
  let before: string | undefined
  let last = ''
  for (const { command, numbers } of segments) {
    const text = joined(numbers, command === 'a' || command === 'A')
    const implied =
      (command === before && !/[mz]/i.test(command)) || (before === 'M' && command === 'L') || (before === 'm' && command === 'l')
    if (!implied) out += command + text
    else out += text.startsWith('-') || (text.startsWith('.') && /[.eE]/.test(last)) ? text : ` ${text}`
    before = command
    last = numbers.at(-1) ?? ''
  }
  return out
}

export const writePoints = (numbers: readonly string[]): string => joined(numbers, false)

/** Absolute coordinates of every segment, including control points. Arc radii, angle and flags stay unchanged. */
export function absolutePath(segments: readonly Segment[]): number[][] {
  let [x, y, startX, startY] = [0, 0, 0, 0]
  return segments.map(({ command, numbers }) => {
    const relative = command > 'Z'
    const values = numbers.map(Number)
    const [baseX, baseY] = relative ? [x, y] : [0, 0]
    const kind = command.toLowerCase()
    if (kind === 'z') {
      ;[x, y] = [startX, startY]
      return []
    }
    const out =
      kind === 'h'
        ? [baseX + (values[0] ?? 0)]
        : kind === 'v'
          ? [baseY + (values[0] ?? 0)]
          : values.map((v, i) => (kind === 'a' && i < 5 ? v : v + ((kind === 'a' ? i - 5 : i) % 2 === 0 ? baseX : baseY)))
    if (kind === 'h') x = out[0] ?? x
    else if (kind === 'v') y = out[0] ?? y
    else [x, y] = [out.at(-2) ?? x, out.at(-1) ?? y]
    if (kind === 'm') [startX, startY] = [x, y]
    return out
  })
}

/** Rounds coordinates to `decimals`. Relative coordinates start at the rounded previous point, so errors do not accumulate. */
export function roundPath(segments: readonly Segment[], decimals: number): Segment[] {
  const exact = absolutePath(segments)
  const text = (value: number) => shortNumber(value.toFixed(decimals))
  let [x, y, startX, startY] = [0, 0, 0, 0]
  return segments.map((segment, at) => {
    const { command, numbers } = segment
    const relative = command > 'Z'
    const kind = command.toLowerCase()
    const exactValues = exact[at] ?? []
    if (kind === 'z') {
      ;[x, y] = [startX, startY]
      return segment
    }
    const [baseX, baseY] = relative ? [x, y] : [0, 0]
    const isX = (i: number) => (kind === 'h' ? true : kind === 'v' ? false : (kind === 'a' ? i - 5 : i) % 2 === 0)
    const out = numbers.map((number, i) => {
      if (kind !== 'a' || i > 4) return text((exactValues[i] ?? 0) - (isX(i) ? baseX : baseY))
      const radius = i < 2 ? text(Number(number)) : number
      return radius === '0' ? shortNumber(number) : i < 2 ? radius : i === 2 ? shortNumber(number) : number
    })
    if (kind === 'h') x = baseX + Number(out[0])
    else if (kind === 'v') y = baseY + Number(out[0])
    else [x, y] = [baseX + Number(out.at(-2)), baseY + Number(out.at(-1))]
    if (kind === 'm') [startX, startY] = [x, y]
    return { command, numbers: out }
  })
}
