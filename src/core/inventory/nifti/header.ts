/** Fields of NIfTI headers: nifti1.h (348 bytes) and nifti2.h (540 bytes), in either byte order. */
import { latin1Of } from '../../bytes/latin1.ts'
import { digestOf } from '../digest.ts'
import type { InventoryBuilder } from '../inventory.ts'

export const MAX_HEADER_BYTES = 540
const MAX_DIMENSIONS = 7

type FieldType = 'u8' | 'i16' | 'i32' | 'i64' | 'f32' | 'f64' | 'text'
type Field = readonly [name: string, type: FieldType, at: number, count: number]

const NIFTI_1: readonly Field[] = [
  ['dim_info', 'u8', 39, 1],
  ['dim', 'i16', 40, 8],
  ['intent_p', 'f32', 56, 3],
  ['intent_code', 'i16', 68, 1],
  ['datatype', 'i16', 70, 1],
  ['bitpix', 'i16', 72, 1],
  ['slice_start', 'i16', 74, 1],
  ['pixdim', 'f32', 76, 8],
  ['vox_offset', 'f32', 108, 1],
  ['scl_slope', 'f32', 112, 1],
  ['scl_inter', 'f32', 116, 1],
  ['slice_end', 'i16', 120, 1],
  ['slice_code', 'u8', 122, 1],
  ['xyzt_units', 'u8', 123, 1],
  ['cal_max', 'f32', 124, 1],
  ['cal_min', 'f32', 128, 1],
  ['slice_duration', 'f32', 132, 1],
  ['toffset', 'f32', 136, 1],
  ['descrip', 'text', 148, 80],
  ['aux_file', 'text', 228, 24],
  ['qform_code', 'i16', 252, 1],
  ['sform_code', 'i16', 254, 1],
  ['quatern', 'f32', 256, 3],
  ['qoffset', 'f32', 268, 3],
  ['srow_x', 'f32', 280, 4],
  ['srow_y', 'f32', 296, 4],
  ['srow_z', 'f32', 312, 4],
  ['intent_name', 'text', 328, 16],
  ['magic', 'text', 344, 4],
]

const NIFTI_2: readonly Field[] = [
  ['magic', 'text', 4, 4],
  ['datatype', 'i16', 12, 1],
  ['bitpix', 'i16', 14, 1],
  ['dim', 'i64', 16, 8],
  ['intent_p', 'f64', 80, 3],
  ['pixdim', 'f64', 104, 8],
  ['vox_offset', 'i64', 168, 1],
  ['scl_slope', 'f64', 176, 1],
  ['scl_inter', 'f64', 184, 1],
  ['cal_max', 'f64', 192, 1],
  ['cal_min', 'f64', 200, 1],
  ['slice_duration', 'f64', 208, 1],
  ['toffset', 'f64', 216, 1],
  ['slice_start', 'i64', 224, 1],
  ['slice_end', 'i64', 232, 1],
  ['descrip', 'text', 240, 80],
  ['aux_file', 'text', 320, 24],
  ['qform_code', 'i32', 344, 1],
  ['sform_code', 'i32', 348, 1],
  ['quatern', 'f64', 352, 3],
  ['qoffset', 'f64', 376, 3],
  ['srow_x', 'f64', 400, 4],
  ['srow_y', 'f64', 432, 4],
  ['srow_z', 'f64', 464, 4],
  ['slice_code', 'i32', 496, 1],
  ['xyzt_units', 'i32', 500, 1],
  ['intent_code', 'i32', 504, 1],
  ['intent_name', 'text', 508, 16],
  ['dim_info', 'u8', 524, 1],
]

export interface NiftiLayout {
  readonly headerBytes: number
  readonly littleEndian: boolean
  readonly volumeAt: number
  readonly volumeEnd: number
}

const SIZES: { readonly [Type in FieldType]: number } = { u8: 1, i16: 2, i32: 4, i64: 8, f32: 4, f64: 8, text: 1 }

/** Adds the fields of a header. Returns where the parts of the file are; `undefined`: the bytes are no NIfTI header. */
export function addHeader(head: Uint8Array, to: InventoryBuilder): NiftiLayout | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const sizes = [true, false].map((littleEndian) => ({ littleEndian, headerBytes: head.length < 4 ? 0 : view.getInt32(0, littleEndian) }))
  const found = sizes.find(({ headerBytes }) => (headerBytes === 348 || headerBytes === 540) && headerBytes <= head.length)
  if (!found) return undefined
  const { littleEndian, headerBytes } = found
  const fields = headerBytes === 348 ? NIFTI_1 : NIFTI_2
  for (const [name, type, at, count] of fields) {
    const value = type === 'text' ? textOf(head.subarray(at, at + count)) : numbersOf(view, [name, type, at, count], littleEndian).join(' ')
    to.add('header', `${name} = ${value}`)
  }
  to.add('header', `all fields = ${headerBytes} bytes #${digestOf(head.subarray(0, headerBytes))}`)
  const valuesOf = (wanted: string) => numbersOf(view, fields.find(([name]) => name === wanted)!, littleEndian)
  const [rank = 0, ...lengths] = valuesOf('dim')
  const [bits = 0] = valuesOf('bitpix')
  const voxels = lengths.slice(0, Math.max(0, Math.min(rank, MAX_DIMENSIONS))).reduce((product, length) => product * Math.max(1, length), 1)
  const volumeAt = Math.floor(Math.max(0, valuesOf('vox_offset')[0] || 0))
  const volumeEnd = volumeAt + Math.ceil((voxels * Math.max(0, bits)) / 8)
  return Number.isSafeInteger(volumeEnd) ? { headerBytes, littleEndian, volumeAt, volumeEnd } : undefined
}

const textOf = (bytes: Uint8Array) => latin1Of(bytes).replace(/\0+$/, '')

function numbersOf(view: DataView, [, type, at, count]: Field, littleEndian: boolean): number[] {
  return Array.from({ length: count }, (_, i) => {
    const place = at + i * SIZES[type]
    if (type === 'i16') return view.getInt16(place, littleEndian)
    if (type === 'i32') return view.getInt32(place, littleEndian)
    if (type === 'i64') return Number(view.getBigInt64(place, littleEndian))
    if (type === 'f32') return view.getFloat32(place, littleEndian)
    return type === 'f64' ? view.getFloat64(place, littleEndian) : view.getUint8(place)
  })
}
