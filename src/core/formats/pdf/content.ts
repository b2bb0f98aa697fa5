/**
 * Interpreter for PDF content streams (ISO 32000-2, 7.8.2). It reports which font shows which text, and the size at which images and forms
 * are drawn.
 */
import { END, isDelimiter, isSpace, Keyword, Lexer } from './lexer.ts'
import { IDENTITY, type Matrix, multiply, toMatrix } from './matrix.ts'
import { Name, type PdfObject, PdfSyntax, Str } from './objects.ts'
import { MAX_DRAWS } from './tuning.ts'

/**
 * One use of a named resource by a content stream: an XObject or a graphics state. `matrix` maps to the coordinate space at the start of
 * the stream.
 */
export interface Draw {
  kind: 'xobject' | 'state'
  name: string
  matrix: Matrix
}

export interface ContentListener {
  /** Called when the font changes: by the operator `Tf` with the name of the font resource. */
  font(name: string): void
  /** Called for the operator `gs`, which sets a graphics state that may contain a font. */
  state(name: string): void
  save(): void
  restore(): void
  show(text: Uint8Array): void
}

/** Maximum number of operands kept for one operator. The longest operator, `scn` in a 32-component space, takes 33. */
const MAX_OPERANDS = 64
const MAX_SAVED = 1000

export interface ContentSummary {
  draws: Draw[]
  /** True if the content stream could not be parsed to its end, so later operators are unknown. */
  broken: boolean
}

export function interpret(bytes: Uint8Array, listener: ContentListener): ContentSummary {
  return new Interpreter(bytes, listener).run()
}

class Interpreter {
  private readonly lexer: Lexer
  private readonly listener: ContentListener
  private readonly draws: Draw[] = []
  private readonly saved: Matrix[] = []
  private matrix: Matrix = IDENTITY
  private operands: PdfObject[] = []

  constructor(bytes: Uint8Array, listener: ContentListener) {
    this.lexer = new Lexer(bytes, 0, true, false)
    this.listener = listener
  }

  run(): ContentSummary {
    const { lexer, draws } = this
    for (;;) {
      let token: ReturnType<Lexer['next']>
      try {
        token = lexer.next()
      } catch (error) {
        if (error instanceof PdfSyntax) return { draws, broken: true }
        throw error
      }
      if (token === END) return { draws, broken: draws.length >= MAX_DRAWS || lexer.hasInvalidHexDigits }
      if (token instanceof Keyword) {
        this.operator(token.value)
        this.operands = []
        continue
      }
      this.operands.push(token)
      if (this.operands.length > MAX_OPERANDS) this.operands = this.operands.slice(-MAX_OPERANDS / 2)
    }
  }

  private operator(operator: string): void {
    const { listener } = this
    switch (operator) {
      case 'q':
        if (this.saved.length < MAX_SAVED) this.saved.push(this.matrix)
        listener.save()
        return
      case 'Q':
        this.matrix = this.saved.pop() ?? this.matrix
        listener.restore()
        return
      case 'cm': {
        const change = toMatrix(this.operands.slice(-6))
        if (change) this.matrix = multiply(change, this.matrix)
        return
      }
      case 'Do':
        this.draw('xobject', this.last(0))
        return
      case 'gs': {
        const name = this.last(0)
        this.draw('state', name)
        if (name instanceof Name) listener.state(name.value)
        return
      }
      case 'Tf': {
        const name = this.last(1)
        if (name instanceof Name) listener.font(name.value)
        return
      }
      case 'Tj':
      case "'":
      case '"':
        this.show(this.last(0))
        return
      case 'TJ': {
        const array = this.last(0)
        if (Array.isArray(array)) for (const item of array) this.show(item)
        return
      }
      case 'BI':
        skipInlineImage(this.lexer)
        return
      default:
    }
  }

  private last(back: number): PdfObject | undefined {
    return this.operands[this.operands.length - 1 - back]
  }

  private draw(kind: Draw['kind'], name: PdfObject | undefined): void {
    if (name instanceof Name && this.draws.length < MAX_DRAWS) this.draws.push({ kind, name: name.value, matrix: this.matrix })
  }

  private show(text: PdfObject | undefined): void {
    if (text instanceof Str && text.bytes.length > 0) this.listener.show(text.bytes)
  }
}

/**
 * Skips an inline image, from `BI` to `EI` (ISO 32000-2, 8.9.7). The image data has no length. `EI` ends it only between white space, and
 * only if the next 12 bytes look like text.
 */
function skipInlineImage(lexer: Lexer): void {
  for (;;) {
    const token = lexer.next()
    if (token === END) return
    if (token instanceof Keyword && token.value === 'ID') break
  }
  const { bytes } = lexer
  for (let i = lexer.position + 1; i + 1 < bytes.length; i++) {
    if (bytes[i] !== 69 || bytes[i + 1] !== 73 || !isSpace(lexer.at(i - 1))) continue
    const after = lexer.at(i + 2)
    if (after >= 0 && !isSpace(after) && !isDelimiter(after)) continue
    if (!looksLikeText(bytes.subarray(i + 2, i + 14))) continue
    lexer.position = i + 2
    return
  }
  lexer.position = bytes.length
}

const looksLikeText = (bytes: Uint8Array) => bytes.every((c) => c < 128 && (c >= 32 || isSpace(c)))
