/** Compares two data sets of any encoding element by element: tags, order, nesting and values. */
import type { Element, ElementReader } from './elements.ts'
import { isGroupLength, swapWords } from './to-explicit.ts'
import { wordBytes } from './vr.ts'

/** Describes where `b` (explicit little endian) differs from `a`. `undefined`: no difference. Group lengths must be correct for `b`. */
export function elementsDiffer(
  a: ElementReader,
  [atA, endA]: readonly [number, number],
  b: ElementReader,
  [atB, endB]: readonly [number, number],
): string | undefined {
  for (;;) {
    if (atA >= endA || atB >= endB) return atA >= endA && atB >= endB ? undefined : 'one data set has more elements'
    const [x, y] = [a.element(atA, 1), b.element(atB, 1)]
    if (x.tag !== y.tag) return `${text(x)} became ${text(y)}`
    if (a.encoding.explicit && x.vr !== y.vr) return `${text(x)}: ${x.vr} became ${y.vr}`
    const difference =
      isGroupLength(y) && b.uint32(y.valueAt) === groupBytes(b, y, endB)
        ? undefined
        : y.vr === 'SQ'
          ? itemsDiffer(a, x, b, y)
          : valuesDiffer(a, x, b, y)
    if (difference !== undefined) return difference
    atA = x.end
    atB = y.end
  }
}

/** Bytes from the end of a group length element to the end of its group. */
function groupBytes(reader: ElementReader, length: Element, end: number): number {
  let at = length.end
  while (at < end && reader.tag(at) >>> 16 === length.tag >>> 16) at = reader.element(at, 1).end
  return at - length.end
}

function itemsDiffer(a: ElementReader, x: Element, b: ElementReader, y: Element): string | undefined {
  if (a.encoding.explicit && x.undefinedLength !== y.undefinedLength) return `${text(x)}: another kind of length`
  const itemsA = [...a.items(x)]
  const itemsB = [...b.items(y)]
  if (itemsA.length !== itemsB.length) return `${text(x)}: ${itemsA.length} items became ${itemsB.length}`
  for (const [i, item] of itemsA.entries()) {
    const other = itemsB[i]!
    if (item.undefinedLength !== other.undefinedLength) return `${text(x)}: another kind of length`
    const difference = elementsDiffer(a, [item.contentAt, item.contentEnd], b, [other.contentAt, other.contentEnd])
    if (difference !== undefined) return `${text(x)}[${i}] ${difference}`
  }
  return undefined
}

function valuesDiffer(a: ElementReader, x: Element, b: ElementReader, y: Element): string | undefined {
  const value = a.bytes.subarray(x.valueAt, x.end)
  const wanted = a.encoding.littleEndian ? value : swapWords(value, wordBytes(x.vr))
  const got = b.bytes.subarray(y.valueAt, y.end)
  if (wanted.length !== got.length) return `${text(x)}: ${wanted.length} bytes became ${got.length}`
  return wanted.every((byte, i) => byte === got[i]) ? undefined : `${text(x)}: the value differs`
}

const text = ({ tag }: Element) => `(${(tag >>> 16).toString(16).padStart(4, '0')},${(tag & 0xffff).toString(16).padStart(4, '0')})`
