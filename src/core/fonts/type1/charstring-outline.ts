/** Executes Type 1 charstrings (Adobe Type 1 Font Format, chapter 6) and returns outlines with hints. */
import { type CurveSteps, type Outline, Pen, type Stems } from '../outline.ts'
import { MAX_TYPE1_DEPTH, MAX_TYPE1_STACK, MAX_TYPE1_STEPS } from '../tuning.ts'
import type { Type1 } from './program.ts'

const FLEX_POINTS = 7

/** Executes a charstring. @throws RangeError if it is damaged or uses an unsupported command */
export function type1Outline(font: Pick<Type1, 'subrs'>, charstring: Uint8Array): Outline {
  return new Interpreter(font).run(charstring)
}

class Interpreter {
  private readonly font: Pick<Type1, 'subrs'>
  private readonly pen = new Pen()
  private readonly outline: Outline
  private hints: Stems = { horizontal: [], vertical: [] }
  private stack: number[] = []
  /** Values that PostScript procedures leave on their stack (Type 1 Font Format, section 8.4). */
  private results: number[] = []
  private flex: [number, number][] | undefined
  private bearing: [number, number] = [0, 0]
  private count = 0

  constructor(font: Pick<Type1, 'subrs'>) {
    this.font = font
    this.outline = { width: 0, steps: this.pen.steps, hints: [this.hints], accent: undefined }
  }

  run(charstring: Uint8Array): Outline {
    if (!this.execute(charstring, 0)) throw new RangeError('Type 1 charstring: no endchar')
    return this.outline
  }

  /** Executes `code`. Returns true if the glyph has ended. */
  private execute(code: Uint8Array, depth: number): boolean {
    if (depth > MAX_TYPE1_DEPTH) throw new RangeError(`Type 1 charstring: subroutines are nested deeper than ${MAX_TYPE1_DEPTH} levels`)
    for (let i = 0; i < code.length; ) {
      if (++this.count > MAX_TYPE1_STEPS || this.stack.length > MAX_TYPE1_STACK)
        throw new RangeError('Type 1 charstring: too many commands or operands')
      const byte = code[i++]!
      if (byte >= 32) {
        const [value, next] = number(code, i, byte)
        this.stack.push(value)
        i = next
      } else if (byte === 10) {
        const subroutine = this.font.subrs[this.stack.pop() ?? -1]
        if (!subroutine) throw new RangeError('Type 1 charstring: call of a missing subroutine')
        if (this.execute(subroutine, depth + 1)) return true
      } else if (byte === 11) return false
      else if (byte === 14) return true
      else if (byte === 12) {
        if (this.escaped(code[i++] ?? -1)) return true
      } else {
        this.command(byte)
        this.stack = []
      }
    }
    return false
  }

  private arguments(count: number): number[] {
    if (this.stack.length < count) throw new RangeError(`Type 1 charstring: expected ${count} operands, got ${this.stack.length}`)
    return this.stack.slice(-count)
  }

  private command(byte: number): void {
    const { pen } = this
    switch (byte) {
      case 1:
        this.stem(this.hints.horizontal, this.bearing[1], this.arguments(2))
        break
      case 3:
        this.stem(this.hints.vertical, this.bearing[0], this.arguments(2))
        break
      case 4:
        this.move(0, this.arguments(1)[0]!)
        break
      case 5: {
        const [dx, dy] = this.arguments(2) as [number, number]
        pen.lineBy(dx, dy)
        break
      }
      case 6:
        pen.lineBy(this.arguments(1)[0]!, 0)
        break
      case 7:
        pen.lineBy(0, this.arguments(1)[0]!)
        break
      case 8:
        pen.curveBy(this.arguments(6) as CurveSteps)
        break
      case 9:
        pen.close()
        break
      case 13: {
        const [x, width] = this.arguments(2) as [number, number]
        this.start(x, 0, width)
        break
      }
      case 21: {
        const [dx, dy] = this.arguments(2) as [number, number]
        this.move(dx, dy)
        break
      }
      case 22:
        this.move(this.arguments(1)[0]!, 0)
        break
      case 30: {
        const [dy1, dx2, dy2, dx3] = this.arguments(4) as [number, number, number, number]
        pen.curveBy([0, dy1, dx2, dy2, dx3, 0])
        break
      }
      case 31: {
        const [dx1, dx2, dy2, dy3] = this.arguments(4) as [number, number, number, number]
        pen.curveBy([dx1, 0, dx2, dy2, 0, dy3])
        break
      }
      default:
        throw new RangeError(`Type 1 charstring: unknown command ${byte}`)
    }
  }

  private escaped(byte: number): boolean {
    switch (byte) {
      case 0: // command dotsection: obsolete, has no effect
        break
      case 1:
      case 2: {
        const list = byte === 2 ? this.hints.horizontal : this.hints.vertical
        const values = this.arguments(6)
        for (let k = 0; k < 6; k += 2) this.stem(list, this.bearing[byte === 2 ? 1 : 0], values.slice(k, k + 2))
        break
      }
      case 6: {
        const [accentBearing, x, y, base, accent] = this.arguments(5) as [number, number, number, number, number]
        // The accent's left side bearing point is placed at x, relative to that of the composite.
        this.outline.accent = { base, accent, x: this.bearing[0] + x - accentBearing, y: this.bearing[1] + y }
        return true
      }
      case 7: {
        const [x, y, width] = this.arguments(4) as [number, number, number, number]
        this.start(x, y, width)
        break
      }
      case 12: {
        const [a, b] = this.arguments(2) as [number, number]
        if (b === 0) throw new RangeError('Type 1 charstring: division by zero')
        this.stack.splice(-2, 2, a / b)
        return false
      }
      case 16:
        this.procedure()
        return false
      case 17:
        this.stack.push(this.results.pop() ?? 0)
        return false
      case 33: // command setcurrentpoint: only used at the end of a flex
        break
      default:
        throw new RangeError(`Type 1 charstring: unknown command 12 ${byte}`)
    }
    this.stack = []
    return false
  }

  private start(x: number, y: number, width: number): void {
    this.outline.width = width
    this.bearing = [x, y]
    this.pen.moveBy(x, y)
  }

  private stem(list: [number, number][], origin: number, [position = 0, width = 0]: number[]): void {
    list.push([origin + position, width])
  }

  private move(dx: number, dy: number): void {
    if (this.flex) this.flex.push([dx, dy])
    else this.pen.moveBy(dx, dy)
  }

  /** Executes callothersubr (Type 1 Font Format, section 8.3): 0 to 2 flex, 3 hint replacement, 12 and 13 counter hints. */
  private procedure(): void {
    const which = this.stack.pop() ?? -1
    const count = this.stack.pop() ?? -1
    if (!(count >= 0) || count > this.stack.length) throw new RangeError('Type 1 charstring: too few operands for callothersubr')
    const values = count ? this.stack.splice(-count) : []
    if (which === 1) this.flex = []
    else if (which === 0 && this.flex) this.endFlex()
    else if (which === 3) {
      this.hints = { horizontal: [], vertical: [] }
      this.outline.hints.push(this.hints)
      this.outline.steps.push({ kind: 'hints', group: this.outline.hints.length - 1 })
      this.results = [values[0] ?? 3]
    } else if (which !== 2 && which !== 12 && which !== 13) throw new RangeError(`Type 1 charstring: unknown procedure ${which}`)
  }

  /** Converts a flex to two curves. The first of its seven moves is a reference point. The hint to draw it flat at small sizes is lost. */
  private endFlex(): void {
    const moves = this.flex ?? []
    this.flex = undefined
    if (moves.length !== FLEX_POINTS) throw new RangeError(`Type 1 charstring: flex expects ${FLEX_POINTS} points, got ${moves.length}`)
    const [reference, first, ...rest] = moves as [[number, number], [number, number], ...[number, number][]]
    const all = [reference[0] + first[0], reference[1] + first[1], ...rest.flat()] as number[]
    this.pen.curveBy(all.slice(0, 6) as CurveSteps)
    this.pen.curveBy(all.slice(6, 12) as CurveSteps)
    this.results = [this.pen.y, this.pen.x]
  }
}

/** Reads a number (Type 1 Font Format, section 6.2). */
function number(code: Uint8Array, at: number, first: number): [value: number, next: number] {
  if (first <= 246) return [first - 139, at]
  if (first <= 250) return [(first - 247) * 256 + (code[at] ?? 0) + 108, at + 1]
  if (first <= 254) return [-(first - 251) * 256 - (code[at] ?? 0) - 108, at + 1]
  return [((code[at] ?? 0) << 24) | ((code[at + 1] ?? 0) << 16) | ((code[at + 2] ?? 0) << 8) | (code[at + 3] ?? 0), at + 4]
}
