/** Colour spaces (ISO 32000-2, 8.6) as far as images need them. */
import { Name, nameOf, type PdfObject } from './objects.ts'
import type { Reader } from './reader.ts'

/** Components of a colour value; 0 when it cannot be told. */
export async function componentsOf(reader: Reader, space: PdfObject | undefined): Promise<number> {
  const value = await reader.resolve(space)
  const family = await familyOf(reader, value)
  const array = Array.isArray(value) ? value : []
  switch (family) {
    case 'DeviceGray':
    case 'CalGray':
    case 'G':
    case 'Indexed':
    case 'I':
    case 'Separation':
      return 1
    case 'DeviceRGB':
    case 'CalRGB':
    case 'RGB':
    case 'Lab':
      return 3
    case 'DeviceCMYK':
    case 'CMYK':
      return 4
    case 'ICCBased':
      return reader.number(await reader.dict(array[1]), 'N', 0)
    case 'DeviceN': {
      const names = await reader.resolve(array[1])
      return Array.isArray(names) ? names.length : 0
    }
    default:
      return 0
  }
}

/** The family name of a resolved colour space. */
export async function familyOf(reader: Reader, space: PdfObject): Promise<string> {
  if (space instanceof Name) return space.value
  return Array.isArray(space) ? nameOf(await reader.resolve(space[0])) : ''
}
