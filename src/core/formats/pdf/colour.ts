/** Properties of PDF colour spaces that images need (ISO 32000-2, 8.6). */
import { Name, nameOf, type PdfObject } from './objects.ts'
import type { Reader } from './reader.ts'

/** Number of components of a colour value; 0 if the colour space is unknown. */
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

/** Family name of a colour space, such as "DeviceRGB" or "ICCBased"; empty if there is none. */
export async function familyOf(reader: Reader, space: PdfObject): Promise<string> {
  if (space instanceof Name) return space.value
  return Array.isArray(space) ? nameOf(await reader.resolve(space[0])) : ''
}
