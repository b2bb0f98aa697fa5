/** Tags of TIFF directories, sorted by what they mean for an inventory. TIFF 6.0; GeoTIFF 1.1; libtiff; Adobe TIFF Technical Notes. */

export const TAG = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  stripOffsets: 273,
  samplesPerPixel: 277,
  stripByteCounts: 279,
  freeOffsets: 288,
  freeByteCounts: 289,
  tileOffsets: 324,
  tileByteCounts: 325,
  subIfds: 330,
  globalParametersIfd: 400,
  jpegStream: 513,
  jpegStreamLength: 514,
  xmp: 700,
  exif: 34665,
  icc: 34675,
  geoKeyDirectory: 34735,
  geoDoubles: 34736,
  geoText: 34737,
  gps: 34853,
  makerNote: 37500,
  photoshopLayers: 37724,
  interoperability: 40965,
  gdalMetadata: 42112,
} as const

/** Tags that say how pixels are stored, or where. A codec that compresses the pixels again changes them. */
export const LAYOUT_TAGS: ReadonlySet<number> = new Set([
  ...[259, 266, 273, 278, 279, 284, 288, 289, 292, 293, 317, 322, 323, 324, 325, 347],
  ...[512, 513, 514, 519, 520, 521, 530, 531, 532],
])

/** Tags of GeoTIFF and GDAL. */
export const GEO_TAGS: ReadonlySet<number> = new Set([33550, 33922, 34264, 34735, 34736, 34737, 42112, 42113, 50844])

/** Directories without pixels that a tag points to, by name. */
export const METADATA_DIRECTORIES: { readonly [tag: number]: string } = {
  [TAG.globalParametersIfd]: 'GlobalParametersIFD',
  [TAG.exif]: 'ExifIFD',
  [TAG.gps]: 'GPS',
  [TAG.interoperability]: 'InteropIFD',
}

/** Field types whose values are offsets of directories: IFD and IFD8. */
export const isDirectoryType = (type: number): boolean => type === 13 || type === 18
