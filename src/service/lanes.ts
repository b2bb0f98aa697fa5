/** How the service runs each format: which Worker has its codec, which files are answered in the request, what an isolate may hold. */
import type { FormatId } from '../core/catalog/index.ts'
import { STANDARD_MEMORY_BYTES } from '../core/model/budget.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Heap and Wasm memory of one job in an isolate. Cloudflare gives an isolate 128 MB, and the service needs the rest. */
export const ISOLATE_BYTES = STANDARD_MEMORY_BYTES

/** The Worker that has a codec. Engines under the GPL are in `media` alone. */
export type Kind = 'press' | 'media'

export interface Lane {
  readonly worker: Kind
  /** Largest file, in bytes, that is compressed while the request waits; larger files are queued. */
  readonly quickUpTo: number
}

export const LANES: Readonly<Record<FormatId, Lane>> = {
  pdf: { worker: 'press', quickUpTo: 256 * KIB },
  ofd: { worker: 'press', quickUpTo: 2 * MIB },
  docx: { worker: 'press', quickUpTo: 2 * MIB },
  xlsx: { worker: 'press', quickUpTo: 2 * MIB },
  pptx: { worker: 'press', quickUpTo: 2 * MIB },
  jpg: { worker: 'press', quickUpTo: 8 * MIB },
  png: { worker: 'press', quickUpTo: 1 * MIB },
  gif: { worker: 'press', quickUpTo: 256 * KIB },
  bmp: { worker: 'press', quickUpTo: 4 * MIB },
  tiff: { worker: 'press', quickUpTo: 8 * MIB },
  geotiff: { worker: 'press', quickUpTo: 8 * MIB },
  svg: { worker: 'press', quickUpTo: 256 * KIB },
  mp4: { worker: 'media', quickUpTo: 0 },
  mov: { worker: 'media', quickUpTo: 0 },
  avi: { worker: 'media', quickUpTo: 0 },
  mp3: { worker: 'media', quickUpTo: 0 },
  wav: { worker: 'media', quickUpTo: 0 },
  epub: { worker: 'press', quickUpTo: 2 * MIB },
  eml: { worker: 'press', quickUpTo: 8 * MIB },
  text: { worker: 'press', quickUpTo: 8 * MIB },
  dxf: { worker: 'press', quickUpTo: 8 * MIB },
  kmz: { worker: 'press', quickUpTo: 2 * MIB },
  shapefile: { worker: 'press', quickUpTo: 4 * MIB },
  dicom: { worker: 'press', quickUpTo: 8 * MIB },
  nifti: { worker: 'press', quickUpTo: 4 * MIB },
  las: { worker: 'press', quickUpTo: 8 * MIB },
  laz: { worker: 'press', quickUpTo: 4 * MIB },
  hdf5: { worker: 'press', quickUpTo: 2 * MIB },
  netcdf: { worker: 'press', quickUpTo: 2 * MIB },
  netcdf3: { worker: 'press', quickUpTo: 8 * MIB },
}

/** Memory of a container's press in MB: what the instance type in `deploy/wrangler.heavy.toml` leaves for it. */
export const CONTAINER_PRESS_MB = 4096
