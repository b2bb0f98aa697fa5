/** Encodes outlines as Type 2 charstrings (Adobe TN 5177). */
import { FontWriter } from '../bytes.ts'
import type { Outline, Stems, Step } from '../outline.ts'

/** Largest number of operands on the stack (TN 5177, annex B). */
const MAX_STACK = 48
const MAX_STEMS = 96
const UNITS = 65_536

const OP = {
  hstem: 1,
  vstem: 3,
  vmoveto: 4,
  rlineto: 5,
  hlineto: 6,
  vlineto: 7,
  rrcurveto: 8,
  endchar: 14,
  hstemhm: 18,
  hintmask: 19,
  rmoveto: 21,
  hmoveto: 22,
  vstemhm: 23,
  vvcurveto: 26,
  hhcurveto: 27,
  vhcurveto: 30,
  hvcurveto: 31,
} as const

/** Encodes an operand (TN 5177, section 3.2), exact to 1/65536. */
export function operandBytes(value: number): number[] {
  const whole = Math.round(value)
  if (Math.abs(value - whole) < 1 / UNITS && Math.abs(whole) < 32_768) {
    if (whole >= -107 && whole <= 107) return [whole + 139]
    if (whole >= 108 && whole <= 1131) return [247 + ((whole - 108) >> 8), (whole - 108) & 255]
    if (whole <= -108 && whole >= -1131) return [251 + ((-whole - 108) >> 8), (-whole - 108) & 255]
    return [28, (whole >> 8) & 255, whole & 255]
  }
  const fixed = Math.round(value * UNITS)
  if (!(Math.abs(fixed) < 2 ** 31)) throw new RangeError(`Type 2 charstring: operand ${value} is out of range`)
  return [255, (fixed >> 24) & 255, (fixed >> 16) & 255, (fixed >> 8) & 255, fixed & 255]
}

type Drawn = { kind: 'line'; d: [number, number] } | { kind: 'curve'; d: [number, number, number, number, number, number] }

const snap = (value: number) => Math.round(value * UNITS) / UNITS

/**
 * Encodes an outline. `width`: difference from the nominal width; `undefined`: the default width. @throws RangeError if a value does not
 * fit
 */
export function type2Charstring(outline: Outline, width: number | undefined): Uint8Array {
  const writer = new CharstringWriter(width)
  writer.hints(outline)
  writer.steps(outline.steps)
  return writer.end(outline)
}

class CharstringWriter {
  private readonly out = new FontWriter()
  private width: number | undefined
  private x = 0
  private y = 0
  private masks: Uint8Array[] | undefined
  private readonly drawn: Drawn[] = []
  private group = -1

  constructor(width: number | undefined) {
    this.width = width
  }

  private op(operator: number, values: readonly number[]): void {
    if (this.width !== undefined) this.out.put(operandBytes(this.width))
    this.width = undefined
    for (const value of values) this.out.put(operandBytes(value))
    this.out.u8(operator)
  }

  /** Writes all stem hints in order at the start (TN 5177, section 4.3). Hint masks later select the active ones. */
  hints({ hints }: Outline): void {
    const used = hints.filter((group) => group.horizontal.length + group.vertical.length > 0)
    const horizontal = inOrder(used.flatMap((group) => group.horizontal))
    const vertical = inOrder(used.flatMap((group) => group.vertical))
    const count = horizontal.length + vertical.length
    // A glyph with more stems than the stack holds is written without hints.
    const most = (MAX_STACK - 2) / 2
    if (count === 0 || count > MAX_STEMS || horizontal.length > most || vertical.length > most) return
    const replaced = used.length > 1
    if (horizontal.length) this.op(replaced ? OP.hstemhm : OP.hstem, deltas(horizontal))
    if (vertical.length) this.op(replaced ? OP.vstemhm : OP.vstem, deltas(vertical))
    if (!replaced) return
    this.masks = hints.map((group) => maskOf(group, horizontal, vertical))
  }

  private mask(group: number): void {
    const mask = this.masks?.[group]
    if (!mask || group === this.group) return
    this.group = group
    this.op(OP.hintmask, [])
    this.out.put(mask)
  }

  steps(steps: readonly Step[]): void {
    let group = 0
    for (const step of steps) {
      if (step.kind === 'hints') {
        group = step.group
        continue
      }
      if (group !== this.group && this.masks) {
        this.flush()
        this.mask(group)
      }
      if (step.kind === 'move') {
        this.flush()
        this.move(step.x, step.y)
      } else if (step.kind === 'line') this.drawn.push({ kind: 'line', d: this.deltaTo(step.x, step.y) })
      else {
        const first = this.deltaTo(step.x1, step.y1)
        this.drawn.push({ kind: 'curve', d: [...first, ...this.deltaTo(step.x2, step.y2), ...this.deltaTo(step.x, step.y)] })
      }
    }
    this.flush()
  }

  end({ accent }: Outline): Uint8Array {
    // TN 5177, annex C: a `seac` composite as in Type 1.
    this.op(OP.endchar, accent ? [accent.x, accent.y, accent.base, accent.accent] : [])
    return this.out.done()
  }

  /** Difference from the current point to (x, y). Both are rounded to 1/65536, so that rounding errors do not add up. */
  private deltaTo(x: number, y: number): [number, number] {
    const [nx, ny] = [snap(x), snap(y)]
    const delta: [number, number] = [nx - this.x, ny - this.y]
    this.x = nx
    this.y = ny
    return delta
  }

  private move(x: number, y: number): void {
    const [dx, dy] = this.deltaTo(x, y)
    if (dy === 0) this.op(OP.hmoveto, [dx])
    else if (dx === 0) this.op(OP.vmoveto, [dy])
    else this.op(OP.rmoveto, [dx, dy])
  }

  /** Writes pending lines and curves with as few operators as possible. */
  private flush(): void {
    const { drawn } = this
    for (let i = 0; i < drawn.length; ) i = drawn[i]!.kind === 'line' ? this.lines(i) : this.curves(i)
    drawn.length = 0
  }

  private lines(from: number): number {
    const { drawn } = this
    const line = (i: number) => {
      const item = drawn[i]
      return item?.kind === 'line' ? item.d : undefined
    }
    const first = line(from)!
    const values: number[] = []
    let i = from
    if (first[0] === 0 || first[1] === 0) {
      // Arguments of hlineto and vlineto alternate between the axes.
      const horizontal = first[1] === 0
      for (let along = horizontal; values.length < MAX_STACK - 1; along = !along) {
        const d = line(i)
        if (!d || (along ? d[1] : d[0]) !== 0) break
        values.push(along ? d[0] : d[1])
        i++
      }
      this.op(horizontal ? OP.hlineto : OP.vlineto, values)
      return i
    }
    // biome-ignore lint/plugin: spreads two numbers
    for (let d = line(i); d && d[0] !== 0 && d[1] !== 0 && values.length < MAX_STACK - 2; d = line(++i)) values.push(...d)
    this.op(OP.rlineto, values)
    return i
  }

  private curves(from: number): number {
    const { drawn } = this
    const curve = (i: number) => {
      const item = drawn[i]
      return item?.kind === 'curve' ? item.d : undefined
    }
    const [dx1, dy1, , , dx3, dy3] = curve(from)!
    if ((dx1 === 0 || dy1 === 0) && (dx3 === 0 || dy3 === 0)) {
      const starts = dy1 === 0 ? 'h' : 'v'
      const ends = dy3 === 0 ? 'h' : 'v'
      return starts === ends ? this.parallel(from, starts) : this.alternating(from, starts)
    }
    const values: number[] = []
    let i = from
    // biome-ignore lint/plugin: spreads six numbers
    for (let d = curve(i); d && (i === from || !isSimple(d)) && values.length < MAX_STACK - 6; d = curve(++i)) values.push(...d)
    this.op(OP.rrcurveto, values)
    return i
  }

  /** Writes hhcurveto or vvcurveto: curves that start and end in the same axis direction. */
  private parallel(from: number, direction: 'h' | 'v'): number {
    const values: number[] = []
    let i = from
    for (; values.length < MAX_STACK - 5; i++) {
      const item = this.drawn[i]
      if (item?.kind !== 'curve') break
      const [dx1, dy1, dx2, dy2, dx3, dy3] = item.d
      if (direction === 'h' ? dy1 !== 0 || dy3 !== 0 : dx1 !== 0 || dx3 !== 0) break
      values.push(direction === 'h' ? dx1 : dy1, dx2, dy2, direction === 'h' ? dx3 : dy3)
    }
    this.op(direction === 'h' ? OP.hhcurveto : OP.vvcurveto, values)
    return i
  }

  /** Writes hvcurveto or vhcurveto: curves that start in one axis direction and end in the other, alternating. */
  private alternating(from: number, direction: 'h' | 'v'): number {
    const values: number[] = []
    let i = from
    for (let starts = direction; values.length < MAX_STACK - 5; i++, starts = starts === 'h' ? 'v' : 'h') {
      const item = this.drawn[i]
      if (item?.kind !== 'curve') break
      const [dx1, dy1, dx2, dy2, dx3, dy3] = item.d
      if (starts === 'h' ? dy1 !== 0 || dx3 !== 0 : dx1 !== 0 || dy3 !== 0) break
      values.push(starts === 'h' ? dx1 : dy1, dx2, dy2, starts === 'h' ? dy3 : dx3)
    }
    this.op(direction === 'h' ? OP.hvcurveto : OP.vhcurveto, values)
    return i
  }
}

function isSimple([dx1, dy1, , , dx3, dy3]: readonly number[]): boolean {
  return (dx1 === 0 || dy1 === 0) && (dx3 === 0 || dy3 === 0)
}

const lower = ([position, width]: readonly [number, number]) => Math.min(position, position + width)

function inOrder(stems: readonly [number, number][]): [number, number][] {
  const sorted = stems.map(([position, width]): [number, number] => [snap(position), snap(width)])
  sorted.sort((a, b) => lower(a) - lower(b) || a[0] + a[1] - b[0] - b[1] || a[1] - b[1])
  return sorted.filter((stem, i) => stem[0] !== sorted[i - 1]?.[0] || stem[1] !== sorted[i - 1]?.[1])
}

function deltas(stems: readonly [number, number][]): number[] {
  let edge = 0
  return stems.flatMap(([position, width]) => {
    const from = position - edge
    edge = position + width
    return [from, width]
  })
}

function maskOf(group: Stems, horizontal: readonly [number, number][], vertical: readonly [number, number][]): Uint8Array {
  const mask = new Uint8Array(Math.ceil((horizontal.length + vertical.length) / 8))
  const set = (stems: readonly [number, number][], all: readonly [number, number][], base: number) => {
    for (const [position, width] of stems) {
      const index = base + all.findIndex((stem) => stem[0] === snap(position) && stem[1] === snap(width))
      mask[index >> 3] = mask[index >> 3]! | (128 >> (index & 7))
    }
  }
  set(group.horizontal, horizontal, 0)
  set(group.vertical, vertical, horizontal.length)
  return mask
}
