/** Pictures that were coded anew, opened again. */
import { decodeFilter, type Filter } from '../filters.ts'
import type { ImageFacts } from './facts.ts'
import { asPrinted } from './inks.ts'
import type { Coded } from './jpeg.ts'
import type { Streamed } from './measure.ts'
import { openJpeg } from './view.ts'

/** The rows of what is to be stored. */
export async function resultOf(coded: Coded & { deflated?: readonly Filter[] | undefined }): Promise<Streamed> {
  const { width, height, channels, data, deflated } = coded
  if (!deflated) return openJpeg(data)
  const pixels = deflated.reduce((bytes, filter) => decodeFilter(filter, bytes, width * height * channels + height), data)
  return { width, height, channels, strips: [pixels] }
}

/** Whether 255 is none of an ink. */
export const isInverted = ({ decode }: ImageFacts): boolean => (decode?.[0] ?? 0) > (decode?.[1] ?? 1)

/** Rows of inks as they are printed; all others as they are. */
export function asShown(rows: Streamed, facts: ImageFacts): Streamed {
  if (rows.channels !== 4) return rows
  return { ...rows, channels: 3, strips: printed(rows.strips, isInverted(facts)), inks: true }
}

async function* printed(strips: Streamed['strips'], inverted: boolean): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield asPrinted(strip, inverted)
}
