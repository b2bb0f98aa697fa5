/** Generates small scientific files: NIfTI, NetCDF-3, HDF5. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from './random-numbers.ts'

const fixture = (path: string) => new Uint8Array(readFileSync(join(import.meta.dirname, '../fixtures', path)))

/** Returns a NIfTI-1 volume of int16 voxels: a smooth blob with noise. */
export function niftiFile(x: number, y: number, z: number): Uint8Array {
  const file = new Uint8Array(352 + x * y * z * 2)
  const view = new DataView(file.buffer)
  view.setInt32(0, 348, true)
  for (const [i, length] of [3, x, y, z, 1, 1, 1, 1].entries()) view.setInt16(40 + 2 * i, length, true)
  view.setInt16(70, 4, true)
  view.setInt16(72, 16, true)
  view.setFloat32(108, 352, true)
  file.set(new TextEncoder().encode('n+1\0'), 344)
  const random = randomNumbers(x)
  for (let i = 0; i < x * y * z; i++) {
    const distance = Math.hypot((i % x) - x / 2, (Math.floor(i / x) % y) - y / 2)
    view.setInt16(352 + 2 * i, 800 / (1 + distance) + random() * 8, true)
  }
  return file
}

/** Returns a NetCDF-3 file (classic format, CDF-1) with one dimension and one variable of 32-bit numbers. */
export function netcdf3File(count: number): Uint8Array {
  const head = Buffer.concat([
    Buffer.from('CDF\x01'),
    words(0),
    // dim_list: NC_DIMENSION, one dimension "x"
    ...[words(10, 1, 1), Buffer.from('x\0\0\0'), words(count)],
    // gatt_list: absent
    words(0, 0),
    // var_list: NC_VARIABLE, one variable "v" with one dimension (0), no attributes, NC_INT, size, begin
    ...[words(11, 1, 1), Buffer.from('v\0\0\0'), words(1, 0, 0, 0, 4, count * 4, 80)],
  ])
  return new Uint8Array(Buffer.concat([head, numbersOf(count)]))
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeInt32BE(value, i * 4)
  return bytes
}

/** Returns a slow wave. A loop writes it, because spreading more than 120,000 arguments into a call overflows the stack. */
function numbersOf(count: number): Buffer {
  const bytes = Buffer.alloc(count * 4)
  for (let i = 0; i < count; i++) bytes.writeInt32BE(5000 + Math.round(900 * Math.sin(i / 40)), i * 4)
  return bytes
}

/** Returns an HDF5 file with one contiguous dataset of `count` numbers. `noisyBytes` of each four bytes do not compress. */
export function hdf5File(count: number, noisyBytes: number): Uint8Array {
  const head = fixture('hdf5/head-of-contiguous.h5')
  const file = new Uint8Array(head.length + 4 * count)
  file.set(head)
  const view = new DataView(file.buffer)
  const numbers = new Map([
    [123_457, count],
    [4 * 123_457, 4 * count],
    [head.length + 4 * 123_457, file.length],
  ])
  for (let at = 0; at + 8 <= head.length; at += 2) {
    const number = numbers.get(Number(view.getBigUint64(at, true)))
    if (number !== undefined) view.setBigUint64(at, BigInt(number), true)
  }
  let state = 1
  for (let at = head.length; at < file.length; at += 4) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223
    view.setUint32(at, state >>> (32 - 8 * noisyBytes), true)
  }
  return file
}

/** Returns a NetCDF-4 file with groups, written by netCDF's own library (test/fixtures/hdf5/make.py). */
export const netcdf4File = (): Uint8Array => fixture('netcdf/groups.nc')
