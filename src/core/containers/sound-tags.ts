/** Tags of sound as all containers have them. */

/** Tag with its common name: `title`, `artist`, `album`, `track`, … in lower case. Names of other tags are those of the file. */
export type Tag = readonly [name: string, value: string]

export interface Chapter {
  /** Start of the chapter. */
  readonly seconds: number
  /** Empty: none. */
  readonly title: string
}

/** Longest list of chapters that MP4 (`chpl`) and ID3 can hold, and longest title of `chpl` in bytes of UTF-8. */
export const MAX_CHAPTERS = 255
export const MAX_TITLE_BYTES = 255

export interface Cover {
  /** Picture type, with the numbers of ID3v2 APIC frames: 3 is the front cover. */
  readonly type: number
  /** Media type, for example `image/jpeg`. */
  readonly mime: string
  readonly description: string
  readonly data: Uint8Array
}

/** Groups the values of tags with equal names, in the order of first appearance. */
export function groupedTags(tags: readonly Tag[]): [name: string, values: string[]][] {
  const groups = new Map<string, string[]>()
  for (const [name, value] of tags) {
    const values = groups.get(name)
    if (values) values.push(value)
    else groups.set(name, [value])
  }
  return [...groups]
}
