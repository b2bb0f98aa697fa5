/** `toEqual` of typed arrays: Vitest compares number by number, which takes seconds for a picture. Equal bytes are found at once here. */
import { expect } from 'vitest'

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)

expect.addEqualityTesters([
  // `undefined`: Vitest's own comparison decides, and shows the difference.
  (one: unknown, other: unknown) => {
    if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor) return undefined
    return one.byteLength === other.byteLength && bytesOf(one).equals(bytesOf(other)) ? true : undefined
  },
])
