/** How programs of each font format are merged, and how a merged or converted program is proved to draw the same. */
import { Cff } from '../cff/font.ts'
import type { FontUse } from '../code-glyphs.ts'
import { parseType1 } from '../type1/program.ts'
import { cffPart, writeCff } from './cff.ts'
import { type Part, partDifference, type Union } from './part.ts'
import { trueTypePart, writeTrueType } from './truetype.ts'
import { type1Difference, type1Part, writeType1 } from './type1.ts'

/** One format of font programs. All functions throw a `RangeError` for programs that are damaged or use what is not followed. */
interface Kind<P extends Part> {
  /** What `uses` show of a program. `undefined`: it is not understood well enough. */
  part(data: Uint8Array, uses: readonly FontUse[]): P | undefined
  /** A program with the glyphs of all parts. */
  write(union: Union<P>): Uint8Array
  /** Why the program `after` cannot stand for what is shown of another one. `undefined`: it can. */
  difference(part: P, after: Uint8Array, uses: readonly FontUse[]): string | undefined
}

const kind = <P extends Part>(part: Kind<P>['part'], write: Kind<P>['write'], difference?: Kind<P>['difference']): Kind<Part> => {
  const byPart: Kind<P>['difference'] = (before, after, uses) => {
    const fresh = part(after, uses)
    return fresh ? partDifference(before, fresh) : 'not understood'
  }
  // Parts of one kind only ever meet their own functions.
  return { part, write, difference: difference ?? byPart } as unknown as Kind<Part>
}

/** A union of Type 1 programs is written as CFF. */
export const UNION_KINDS: Readonly<Record<'type1' | 'truetype' | 'cff', Kind<Part>>> = {
  type1: kind(
    (data, uses) => type1Part(parseType1(data), uses),
    writeType1,
    (part, after, uses) => type1Difference(part, new Cff(after), uses),
  ),
  truetype: kind(trueTypePart, writeTrueType),
  cff: kind((data, uses) => cffPart(new Cff(data), uses), writeCff),
}
