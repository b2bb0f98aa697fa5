/** Executes Type 2 charstrings (Adobe TN 5177) to find the subroutines and accented components that they use. */

import { concat } from '../../bytes/concat.ts'
import { MAX_TYPE2_DEPTH, MAX_TYPE2_STACK, MAX_TYPE2_STEPS } from '../tuning.ts'

export interface CharstringUse {
  /** Returns a local or global subroutine by number. */
  local(index: number): Uint8Array | undefined
  global(index: number): Uint8Array | undefined
  /** Called with the base and the accent of a `seac` composite (endchar with four arguments), as standard encoding codes. */
  accent(code: number): void
  /** Called with the bytes of each operand, and of each operator with its mask, except subroutine calls and returns. */
  copy?(bytes: Uint8Array): void
  /** Called when the last operand was the number of a subroutine, before it is executed. */
  called?(): void
}

const CALLSUBR = 10
const RETURN = 11
const ENDCHAR = 14
const CALLGSUBR = 29

/** Limit of a charstring in bytes (TN 5177, annex B). */
const MAX_FLAT_BYTES = 65_535

/** Offset that is added to subroutine numbers; it depends on their count (TN 5176, section 16). */
export const biasOf = (count: number): number => (count < 1240 ? 107 : count < 33_900 ? 1131 : 32_768)

/** Executes a charstring. @throws RangeError if it is damaged or uses an unsupported operator */
export function walkCharstring(charstring: Uint8Array, use: CharstringUse): void {
  new CharstringWalk(use).run(charstring, 0)
}

class CharstringWalk {
  private readonly use: CharstringUse
  private readonly stack: number[] = []
  private hints = 0
  private steps = 0

  constructor(use: CharstringUse) {
    this.use = use
  }

  /** Executes `code`. Returns true if the glyph has ended. */
  run(code: Uint8Array, depth: number): boolean {
    if (depth > MAX_TYPE2_DEPTH) throw new RangeError(`Type 2 charstring: subroutines are nested deeper than ${MAX_TYPE2_DEPTH} levels`)
    const { use, stack } = this
    for (let i = 0; i < code.length; ) {
      if (++this.steps > MAX_TYPE2_STEPS || stack.length > MAX_TYPE2_STACK)
        throw new RangeError('Type 2 charstring: too many operators or operands')
      const start = i
      const byte = code[i++]!
      if (byte >= 32 || byte === 28) {
        const [value, next] = operand(code, i, byte)
        stack.push(value)
        i = next
      } else if (byte === CALLSUBR || byte === CALLGSUBR) {
        if (this.run(this.called(byte), depth + 1)) return true
        continue
      } else if (byte === RETURN) return false
      else i += this.operator(byte, code, i)
      use.copy?.(code.subarray(start, i))
      if (byte === ENDCHAR) return true
    }
    return false
  }

  /** Pops a subroutine number from the stack and returns the subroutine. */
  private called(operator: number): Uint8Array {
    const { use, stack } = this
    const index = stack.pop() ?? 0
    const subroutine = operator === CALLSUBR ? use.local(index) : use.global(index)
    if (!subroutine) throw new RangeError(`Type 2 charstring: call of missing subroutine ${index}`)
    use.called?.()
    return subroutine
  }

  /** Executes an operator. Returns the number of bytes after `at` that belong to it. */
  private operator(byte: number, code: Uint8Array, at: number): number {
    const { stack } = this
    switch (byte) {
      case 1: // operator hstem
      case 3: // operator vstem
      case 18: // operator hstemhm
      case 23: // operator vstemhm
        this.stems()
        return 0
      case 19: // operator hintmask
      case 20: // operator cntrmask
        this.stems()
        return (this.hints + 7) >> 3
      case ENDCHAR:
        if (stack.length >= 4) for (const standardCode of stack.slice(-2)) this.use.accent(standardCode)
        return 0
      case 12:
        twoByteOperator(code[at]!, stack)
        return 1
      default:
        stack.length = 0
        return 0
    }
  }

  private stems(): void {
    this.hints += this.stack.length >> 1
    this.stack.length = 0
  }
}

/** Returns the charstring with every subroutine call replaced by the subroutine's bytes. */
export function flatCharstring(charstring: Uint8Array, use: CharstringUse): Uint8Array {
  const parts: Uint8Array[] = []
  let length = 0
  walkCharstring(charstring, {
    local: use.local,
    global: use.global,
    accent: use.accent,
    copy(bytes) {
      parts.push(bytes)
      length += bytes.length
      if (length > MAX_FLAT_BYTES) throw new RangeError(`Type 2 charstring: longer than ${MAX_FLAT_BYTES} bytes without subroutines`)
    },
    called() {
      const operand = parts.pop()
      // If the subroutine number was computed, its operands cannot be removed.
      if (!operand || (operand[0]! < 32 && operand[0] !== 28)) throw new RangeError('Type 2 charstring: computed subroutine number')
      length -= operand.length
    },
  })
  return concat(parts)
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

/**
 * Executes a two-byte operator: flex operators clear the stack, arithmetic operators compute, because a result may be a subroutine number.
 */
function twoByteOperator(operator: number, stack: number[]): void {
  if (operator >= 34 && operator <= 37) {
    stack.length = 0
    return
  }
  const y = stack.pop() ?? 0
  switch (operator) {
    case 9: // operator abs
      stack.push(Math.abs(y))
      return
    case 14: // operator neg
      stack.push(-y)
      return
    case 18: // operator drop
      return
    case 27: // operator dup
      stack.push(y, y)
      return
    case 10: // operator add
      stack.push((stack.pop() ?? 0) + y)
      return
    case 11: // operator sub
      stack.push((stack.pop() ?? 0) - y)
      return
    case 12: // operator div
      stack.push((stack.pop() ?? 0) / (y || 1))
      return
    case 24: // operator mul
      stack.push((stack.pop() ?? 0) * y)
      return
    case 28: {
      // operator exch
      const x = stack.pop() ?? 0
      stack.push(y, x)
      return
    }
    default:
      throw new RangeError(`Type 2 charstring: unsupported operator 12 ${operator}`)
  }
}
