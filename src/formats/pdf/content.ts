/** Content streams (ISO 32000-2, 7.8.2): which text is shown with which font, and what is drawn how large. */
import { END, isDelimiter, isSpace, Keyword, Lexer } from './lexer.ts'
import { IDENTITY, type Matrix, multiply, toMatrix } from './matrix.ts'
import { Name, type PdfObject, PdfSyntax, Str } from './objects.ts'

/** What one content stream does with its named resources. `matrix` maps to the space the stream starts in. */
export interface Draw {
  kind: 'xobject' | 'state'
  name: string
  matrix: Matrix
}

export interface ContentListener {
  /** Tf, or a graphics state with a font; `undefined` when the name is unknown. */
  font(name: string): void
  /** gs: may change the font. */
  state(name: string): void
  save(): void
  restore(): void
  show(text: Uint8Array): void
}

/** Operands kept at most; the longest operator takes 33 (scn in a 32-component space). */
const MAX_OPERANDS = 64
const MAX_DRAWS = 20_000
const MAX_SAVED = 1000

export interface ContentSummary {
  draws: Draw[]
  /** The stream could not be read to its end; what follows is unknown. */
  broken: boolean
}

export function interpret(bytes: Uint8Array, listener: ContentListener): ContentSummary {
  const lexer = new Lexer(bytes, 0, true, false)
  const draws: Draw[] = []
  const saved: Matrix[] = []
  let matrix: Matrix = IDENTITY
  let operands: PdfObject[] = []
  const last = (back: number) => operands[operands.length - 1 - back]
  const draw = (kind: Draw['kind'], name: PdfObject | undefined) => {
    if (name instanceof Name && draws.length < MAX_DRAWS) draws.push({ kind, name: name.value, matrix })
  }
  for (;;) {
    let token: ReturnType<Lexer['next']>
    try {
      token = lexer.next()
    } catch (error) {
      if (error instanceof PdfSyntax) return { draws, broken: true }
      throw error
    }
    if (token === END) return { draws, broken: draws.length >= MAX_DRAWS || lexer.oddDigits }
    if (!(token instanceof Keyword)) {
      operands.push(token)
      if (operands.length > MAX_OPERANDS) operands = operands.slice(-MAX_OPERANDS / 2)
      continue
    }
    switch (token.value) {
      case 'q':
        if (saved.length < MAX_SAVED) saved.push(matrix)
        listener.save()
        break
      case 'Q':
        matrix = saved.pop() ?? matrix
        listener.restore()
        break
      case 'cm': {
        const change = toMatrix(operands.slice(-6))
        if (change) matrix = multiply(change, matrix)
        break
      }
      case 'Do':
        draw('xobject', last(0))
        break
      case 'gs': {
        const name = last(0)
        draw('state', name)
        if (name instanceof Name) listener.state(name.value)
        break
      }
      case 'Tf': {
        const name = last(1)
        if (name instanceof Name) listener.font(name.value)
        break
      }
      case 'Tj':
      case "'":
      case '"': {
        const text = last(0)
        if (text instanceof Str && text.bytes.length > 0) listener.show(text.bytes)
        break
      }
      case 'TJ': {
        const array = last(0)
        if (Array.isArray(array)) for (const item of array) if (item instanceof Str && item.bytes.length > 0) listener.show(item.bytes)
        break
      }
      case 'BI':
        skipInlineImage(lexer)
        break
      default:
    }
    operands = []
  }
}

/** 8.9.7: from BI past EI. The data has no length; EI counts when it stands alone and text follows. */
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
