/**
 * Draws Type 2 charstrings (Adobe TN 5177) to outlines, to verify conversions from Type 1. Subroutines and arithmetic are not supported.
 */
import { Pen, type Step } from '../outline.ts'
import { MAX_DRAWING_STEPS } from '../tuning.ts'

export interface Drawing {
  /** Difference from the nominal width. `undefined`: the glyph has the default width. */
  width: number | undefined
  steps: Step[]
  accent: { x: number; y: number; base: number; accent: number } | undefined
}

/** Draws a charstring. @throws RangeError if it is damaged or uses an unsupported operator */
export function type2Outline(code: Uint8Array): Drawing {
  const pen = new Pen()
  const drawing: Drawing = { width: undefined, steps: pen.steps, accent: undefined }
  let stack: number[] = []
  let stems = 0
  let widthSeen = false
  /** Reads the optional width before the operands of the first operator (TN 5177, section 4.1). */
  const takeWidth = (extra: boolean) => {
    if (!widthSeen && extra) drawing.width = stack.shift()
    widthSeen = true
  }
  for (let i = 0, count = 0; i < code.length; ) {
    if (++count > MAX_DRAWING_STEPS || stack.length > 48) throw new RangeError('Type 2 charstring: too many operators or operands')
    const byte = code[i++]!
    if (byte >= 32 || byte === 28) {
      const [value, next] = operand(code, i, byte)
      stack.push(value)
      i = next
      continue
    }
    switch (byte) {
      case 1:
      case 3:
      case 18:
      case 23:
      case 19:
      case 20:
        takeWidth(stack.length % 2 === 1)
        stems += stack.length >> 1
        if (byte === 19 || byte === 20) i += (stems + 7) >> 3
        break
      case 21:
        takeWidth(stack.length > 2)
        pen.moveBy(stack[0] ?? 0, stack[1] ?? 0)
        break
      case 22:
      case 4:
        takeWidth(stack.length > 1)
        pen.moveBy(byte === 22 ? (stack[0] ?? 0) : 0, byte === 4 ? (stack[0] ?? 0) : 0)
        break
      case 14:
        takeWidth(stack.length === 1 || stack.length === 5)
        if (stack.length >= 4) {
          const [x = 0, y = 0, base = 0, accent = 0] = stack
          drawing.accent = { x, y, base, accent }
        }
        return drawing
      default:
        draw(byte, stack, pen)
    }
    stack = []
  }
  throw new RangeError('Type 2 charstring: no endchar')
}

function draw(operator: number, s: readonly number[], pen: Pen): void {
  const at = (i: number) => s[i] ?? 0
  switch (operator) {
    case 5: // operator rlineto
      for (let k = 0; k + 1 < s.length; k += 2) pen.lineBy(at(k), at(k + 1))
      return
    case 6: // operator hlineto
    case 7: // operator vlineto
      s.forEach((d, k) => {
        if ((operator === 6) === (k % 2 === 0)) pen.lineBy(d, 0)
        else pen.lineBy(0, d)
      })
      return
    case 8: // operator rrcurveto
      for (let k = 0; k + 5 < s.length; k += 6) pen.curveBy([at(k), at(k + 1), at(k + 2), at(k + 3), at(k + 4), at(k + 5)])
      return
    case 26: // operator vvcurveto
    case 27: // operator hhcurveto
      for (let k = 0; k + 3 < s.length; k += 4) {
        if (operator === 27) pen.curveBy([at(k), 0, at(k + 1), at(k + 2), at(k + 3), 0])
        else pen.curveBy([0, at(k), at(k + 1), at(k + 2), 0, at(k + 3)])
      }
      return
    case 30: // operator vhcurveto
    case 31: // operator hvcurveto
      for (let k = 0; k + 3 < s.length; k += 4) {
        if ((operator === 31) === (k % 8 === 0)) pen.curveBy([at(k), 0, at(k + 1), at(k + 2), 0, at(k + 3)])
        else pen.curveBy([0, at(k), at(k + 1), at(k + 2), at(k + 3), 0])
      }
      return
    default:
      throw new RangeError(`Type 2 charstring: unsupported operator ${operator}`)
  }
}

/** Reads an operand (TN 5177, section 3.2). */
function operand(code: Uint8Array, at: number, first: number): [value: number, next: number] {
  if (first === 28) return [(((code[at] ?? 0) << 24) | ((code[at + 1] ?? 0) << 16)) >> 16, at + 2]
  if (first <= 246) return [first - 139, at]
  if (first <= 250) return [(first - 247) * 256 + (code[at] ?? 0) + 108, at + 1]
  if (first <= 254) return [-(first - 251) * 256 - (code[at] ?? 0) - 108, at + 1]
  const fixed = ((code[at] ?? 0) << 24) | ((code[at + 1] ?? 0) << 16) | ((code[at + 2] ?? 0) << 8) | (code[at + 3] ?? 0)
  return [fixed / 65_536, at + 4]
}
