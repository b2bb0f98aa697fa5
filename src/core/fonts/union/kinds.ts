/** Functions that merge programs of each font format and verify merged or converted programs. */
import { Cff } from '../cff/font.ts'
import type { FontUse } from '../code-glyphs.ts'
import { parseType1 } from '../type1/program.ts'
import { cffPart, writeCff } from './cff.ts'
import { type FontPart, type FontUnion, partDifference } from './part.ts'
import { trueTypePart, writeTrueType } from './truetype.ts'
import { type1Difference, type1Part, writeType1 } from './type1.ts'

/** A format of font programs. All functions throw a `RangeError` if a program is damaged or not supported. */
interface Kind<P extends FontPart> {
  /** Returns the part of a program that `uses` show. `undefined`: not supported. */
  part(data: Uint8Array, uses: readonly FontUse[]): P | undefined
  /** Writes a program with the glyphs of all parts. */
  write(union: FontUnion<P>): Uint8Array
  /** Returns why the program `after` must not replace what `part` shows; `undefined` if it may. */
  difference(part: P, after: Uint8Array, uses: readonly FontUse[]): string | undefined
}

const kind = <P extends FontPart>(part: Kind<P>['part'], write: Kind<P>['write'], difference?: Kind<P>['difference']): Kind<FontPart> => {
  const byPart: Kind<P>['difference'] = (before, after, uses) => {
    const fresh = part(after, uses)
    return fresh ? partDifference(before, fresh) : 'not understood'
  }
  // The cast is safe because parts are only passed to functions of their own kind.
  return { part, write, difference: difference ?? byPart } as unknown as Kind<FontPart>
}

/** Unions of Type 1 programs are written as CFF. */
export const UNION_KINDS: Readonly<Record<'type1' | 'truetype' | 'cff', Kind<FontPart>>> = {
  type1: kind(
    (data, uses) => type1Part(parseType1(data), uses),
    writeType1,
    (part, after, uses) => type1Difference(part, new Cff(after), uses),
  ),
  truetype: kind(trueTypePart, writeTrueType),
  cff: kind((data, uses) => cffPart(new Cff(data), uses), writeCff),
}
