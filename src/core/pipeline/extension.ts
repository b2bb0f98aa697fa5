const EXTENSION = /\.([a-z0-9]+)$/

/** Returns the last extension of a file name, in lower case and without the dot. `nii.gz` counts as one extension. */
export function extension(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.nii.gz') ? 'nii.gz' : (EXTENSION.exec(lower)?.[1] ?? '')
}
