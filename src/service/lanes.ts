/**
 * How the service runs each format: the Worker that has its codec, the largest file answered within the request, and the memory of an
 * isolate.
 */
import type { FormatId } from '../core/catalog/index.ts'
import { STANDARD_MEMORY_BYTES } from '../core/model/budget.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Memory for one job in an isolate, heap and Wasm together, in bytes. Cloudflare gives an isolate 128 MB; the rest is for the service. */
export const ISOLATE_BYTES = STANDARD_MEMORY_BYTES

/** Worker that has a codec. Only `media` contains engines under the GPL or LGPL. */
export type WorkerKind = 'press' | 'media'

export interface FormatLane {
  readonly worker: WorkerKind
  /** Largest file, in bytes, that is compressed while the request waits. Larger files are queued. */
  readonly quickUpTo: number
}

export const LANES: Readonly<Record<FormatId, FormatLane>> = {
  pdf: { worker: 'press', quickUpTo: 256 * KIB },
  ofd: { worker: 'press', quickUpTo: 2 * MIB },
  docx: { worker: 'press', quickUpTo: 2 * MIB },
  xlsx: { worker: 'press', quickUpTo: 2 * MIB },
  pptx: { worker: 'press', quickUpTo: 2 * MIB },
  odt: { worker: 'press', quickUpTo: 2 * MIB },
  ods: { worker: 'press', quickUpTo: 2 * MIB },
  odp: { worker: 'press', quickUpTo: 2 * MIB },
  odg: { worker: 'press', quickUpTo: 2 * MIB },
  doc: { worker: 'press', quickUpTo: 8 * MIB },
  xls: { worker: 'press', quickUpTo: 2 * MIB },
  ppt: { worker: 'press', quickUpTo: 2 * MIB },
  rtf: { worker: 'press', quickUpTo: 2 * MIB },
  jpg: { worker: 'press', quickUpTo: 8 * MIB },
  png: { worker: 'press', quickUpTo: 1 * MIB },
  gif: { worker: 'press', quickUpTo: 256 * KIB },
  bmp: { worker: 'press', quickUpTo: 4 * MIB },
  avif: { worker: 'press', quickUpTo: 256 * KIB },
  webp: { worker: 'press', quickUpTo: 256 * KIB },
  // Its decoder is under the LGPL.
  heic: { worker: 'media', quickUpTo: 0 },
  tiff: { worker: 'press', quickUpTo: 8 * MIB },
  geotiff: { worker: 'press', quickUpTo: 8 * MIB },
  svg: { worker: 'press', quickUpTo: 256 * KIB },
  mp4: { worker: 'media', quickUpTo: 0 },
  mov: { worker: 'media', quickUpTo: 0 },
  avi: { worker: 'media', quickUpTo: 0 },
  mkv: { worker: 'media', quickUpTo: 0 },
  webm: { worker: 'media', quickUpTo: 0 },
  ts: { worker: 'media', quickUpTo: 0 },
  flv: { worker: 'media', quickUpTo: 0 },
  mp3: { worker: 'media', quickUpTo: 0 },
  wav: { worker: 'media', quickUpTo: 0 },
  aiff: { worker: 'media', quickUpTo: 0 },
  flac: { worker: 'media', quickUpTo: 0 },
  ogg: { worker: 'media', quickUpTo: 0 },
  opus: { worker: 'media', quickUpTo: 0 },
  m4a: { worker: 'media', quickUpTo: 0 },
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
  data: { worker: 'press', quickUpTo: 8 * MIB },
  zip: { worker: 'press', quickUpTo: 4 * MIB },
  gz: { worker: 'press', quickUpTo: 1 * MIB },
  netcdf3: { worker: 'press', quickUpTo: 8 * MIB },
}

/** Memory of a press in a container, in MB: the instance type of `deploy/wrangler.heavy.toml` minus the memory of the other processes. */
export const CONTAINER_PRESS_MB = 4096
