/** Merges Type 1 programs that are different subsets of the same font into one CFF program. */

import { type2Outline } from '../cff/charstring-outline.ts'
import type { Cff } from '../cff/font.ts'
import { type FontUse, type GlyphLookups, nameLookups, type1Names } from '../code-glyphs.ts'
import { type Outline, sameDrawing } from '../outline.ts'
import { OUTLINE_TOLERANCE } from '../tuning.ts'
import type { Type1 } from '../type1/program.ts'
import { type Type1Metadata, type1Outlines, writeType1C } from '../type1/to-cff.ts'
import { encodingLookups } from './cff.ts'
import type { FontPart, FontUnion } from './part.ts'

const encoder = new TextEncoder()

export interface Type1Part extends FontPart {
  frame: Type1Metadata
}

/**
 * Returns the part of a program that a document shows. `undefined`: the use is not supported. @throws RangeError if a glyph cannot be
 * converted to CFF
 */
export function type1Part(program: Type1, uses: readonly FontUse[]): Type1Part | undefined {
  const wanted = type1Names(program, uses)
  if (!wanted) return undefined
  const glyphs = new Map<string, Uint8Array>()
  const outlines = type1Outlines(program, wanted)
  for (const [name, outline] of outlines) glyphs.set(name, encoder.encode(JSON.stringify(outline)))
  const { name, notice, top, private: privateDict, encoding, standard } = program
  const frame = { name, notice, top, private: privateDict, encoding, standard }
  const sorted = (map: ReadonlyMap<string, number[]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  const essentials = JSON.stringify([sorted(top), sorted(privateDict), standard])
  const bytes = writeType1C(program, outlines).length
  return { commonProperties: essentials, glyphs, bytes, lookups: type1Answers(program, uses), frame }
}

function type1Answers(program: Type1, uses: readonly FontUse[]): GlyphLookups {
  return nameLookups(
    uses,
    (name) => program.charstrings.has(name),
    (code) => {
      const name = program.encoding.get(code)
      return name !== undefined && program.charstrings.has(name) ? name : undefined
    },
  )
}

export function writeType1(union: FontUnion<Type1Part>): Uint8Array {
  const { frame } = union.first
  const outlines = new Map([...union.glyphs].map(([name, text]) => [name, JSON.parse(new TextDecoder().decode(text)) as Outline]))
  const encoding = new Map<number, string>()
  for (const [question, answer] of union.lookups) if (/^\d/.test(question) && answer !== '') encoding.set(Number(question), answer)
  return writeType1C(frame.standard ? frame : { ...frame, encoding }, outlines)
}

/** Returns why a glyph of a CFF font does not draw the same as the glyph of a Type 1 program; `undefined` if it does. */
export function glyphDifference(name: string, before: Outline, after: Cff): string | undefined {
  const glyph = name === '.notdef' ? 0 : after.glyphOfName(name)
  const charstring = after.charstrings[glyph]
  if (!charstring) return `glyph ${name} is missing`
  const drawn = type2Outline(charstring)
  if (!sameDrawing(before.steps, drawn.steps, OUTLINE_TOLERANCE)) return `outline of ${name} differs`
  const widths = after.privates[0]?.entries
  const [usual, nominal] = [widths?.get(20)?.values[0] ?? 0, widths?.get(21)?.values[0] ?? 0]
  const width = drawn.width === undefined ? usual : drawn.width + nominal
  if (!(Math.abs(width - before.width) <= OUTLINE_TOLERANCE)) return `width of ${name} differs`
  const parts = (accent: Outline['accent']) => JSON.stringify(Object.entries(accent ?? {}).sort())
  return parts(before.accent) === parts(drawn.accent) ? undefined : `components of ${name} differ`
}

export const hasSameMatrix = (before: Type1Metadata, after: Cff): boolean =>
  after.top.has(1207) === (before.top.get('FontMatrix') ?? []).some((value, i) => value !== [0.001, 0, 0, 0.001, 0, 0][i])

/** Returns why a CFF font must not replace the shown part of a Type 1 program; `undefined` if it may. */
export function type1Difference(part: Type1Part, after: Cff, uses: readonly FontUse[]): string | undefined {
  if (!hasSameMatrix(part.frame, after)) return 'FontMatrix differs'
  for (const [name, text] of part.glyphs) {
    const wrong = glyphDifference(name, JSON.parse(new TextDecoder().decode(text)) as Outline, after)
    if (wrong) return wrong
  }
  const answers = encodingLookups(after, uses)
  for (const [question, answer] of part.lookups) if (answers.get(question) !== answer) return `lookup ${question} differs`
  return undefined
}
