const EXTENSION = /\.([a-z0-9]+)$/

/** The last extension of a file name, lower-case, without the dot; `nii.gz` is one. */
export function extension(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.nii.gz') ? 'nii.gz' : (EXTENSION.exec(lower)?.[1] ?? '')
}
