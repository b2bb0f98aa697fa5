/** Functions that stand in for what Node 20 and Safari lack. */
import { afterEach, describe, expect, it } from 'vitest'
import { discard, moved } from '../../../wasm/memories/discard.ts'
import { Disposables } from '../../../wasm/memories/disposables.ts'

const { transfer } = ArrayBuffer.prototype
const isDetached = (buffer: ArrayBuffer) => {
  try {
    return new Uint8Array(buffer).length < 0
  } catch {
    return true
  }
}

afterEach(() => {
  ArrayBuffer.prototype.transfer = transfer
})

describe.each([true, false])('with ArrayBuffer.prototype.transfer: %s', (present) => {
  const prepare = () => {
    if (!present) Reflect.deleteProperty(ArrayBuffer.prototype, 'transfer')
  }

  it('a discarded array has no bytes, and may be discarded again', () => {
    prepare()
    const bytes = new Uint8Array(1000)
    discard(bytes)
    discard(bytes)
    expect([bytes.length, isDetached(bytes.buffer)]).toEqual([0, true])
  })

  it('a part of a buffer is not discarded', () => {
    prepare()
    const bytes = new Uint8Array(1000)
    discard(bytes.subarray(1))
    expect(bytes.length).toBe(1000)
  })

  it('a moved buffer keeps its bytes, and the old one is detached', () => {
    prepare()
    const bytes = Uint8Array.of(1, 2, 3)
    const { buffer } = bytes
    expect(new Uint8Array(moved(buffer))).toEqual(Uint8Array.of(1, 2, 3))
    expect(isDetached(buffer)).toBe(true)
  })
})

it('values are disposed from the last to the first, also if one fails, and only once', () => {
  const order: number[] = []
  const value = (number: number) => ({
    [Symbol.dispose]() {
      order.push(number)
      if (number === 2) throw new RangeError('two')
    },
  })
  const values = new Disposables()
  for (const number of [1, 2, 3]) expect(values.use(value(number))).toBeDefined()
  expect(() => values[Symbol.dispose]()).toThrow('two')
  values[Symbol.dispose]()
  expect(order).toEqual([3, 2, 1])
})
