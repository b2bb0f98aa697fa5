/** Short names of formats, as people write them. */
import { t } from '../language.ts'
import type { FormatId } from './protocol.ts'

/** Names that are not the id in capital letters. */
const NAMES: { readonly [Id in FormatId]?: string } = {
  ...{ webp: 'WebP', shapefile: 'Shapefile', geotiff: 'GeoTIFF', nifti: 'NIfTI', netcdf: 'NetCDF', netcdf3: 'NetCDF' },
  ...{ text: 'Text', data: 'Data' },
}

const nameOf = (format: FormatId): string => NAMES[format] ?? format.toUpperCase()

/** Kinds of text that people know by their extension. */
const TEXTS = ['csv', 'json', 'xml', 'txt', 'html', 'md', 'yaml', 'log', 'tsv', 'geojson', 'kml', 'gpx', 'tex', 'ics', 'vcf']

/** Returns the name of a format. For text, the extension of the file says more. */
export function formatName(format: FormatId, fileName: string): string {
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()
  return format === 'text' && TEXTS.includes(extension) ? extension.toUpperCase() : t(nameOf(format))
}

/** Names for a list of formats, each once. */
export const listedNames = (formats: readonly FormatId[]): string[] => [
  ...new Set(
    formats.flatMap((id) => (id === 'text' ? TEXTS.slice(0, 4).map((name) => name.toUpperCase()) : id === 'data' ? [] : [nameOf(id)])),
  ),
]
