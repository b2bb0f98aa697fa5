/** Series of pairs to compare: pages of a PDF, or pictures of a document, before and after. */
export interface Series {
  readonly count: number
  /** Caption of pair number `i` (from 1), such as "Page 2 of 7": a text to translate, and its values. */
  name(number: number): readonly [text: string, values: Readonly<Record<string, string | number>>]
  pair(number: number): Promise<readonly [Blob, Blob]>
  /** Sizes of the pair in bytes, if they differ from those of the files. */
  sizes?(number: number): readonly [number, number]
  close(): void
}

/** @throws if one of the two files cannot be read */
export type OpenSeries = (before: Blob, after: Blob) => Promise<Series>
