/** Counts embedded files that still have metadata which the caller asked to remove, for the receipt of the outer file. */
import { type Message, message } from '../i18n/message.ts'
import type { Inner, Options } from '../model/codec.ts'

export class KeptMetadata {
  #files = 0
  readonly #inner: Inner

  constructor(inner: Inner) {
    this.#inner = inner
  }

  /** Counts a file that stays unchanged, unless its codec says that it has no such metadata. `undefined`: bytes that cannot be read. */
  async addUnchanged(name: string, load: (() => Promise<Uint8Array>) | undefined): Promise<void> {
    const { withoutMetadata } = this.#inner
    if (!withoutMetadata) return
    const found = load ? await withoutMetadata(await load(), name) : { kind: 'unknown' as const }
    if (found.kind !== 'same') this.#files++
  }

  steps(): Message[] {
    return stepsFor(this.#files)
  }
}

const stepsFor = (files: number) => (files > 0 ? [message('metadata_of_files_inside_kept', { files })] : [])

/** Steps for a package whose files all stay unchanged. */
export const keptMetadataSteps = (files: readonly { readonly name: string }[], { metadata }: Pick<Options, 'metadata'>): Message[] =>
  metadata === undefined ? [] : stepsFor(files.filter(({ name }) => mayHaveMetadata(name)).length)

/** Files that may have metadata of their own, by extension: pictures, films, sound and documents. */
const WITH_METADATA =
  /\.(?:jpe?g|jpe|png|gif|tiff?|webp|avif|heic|heif|jp2|wdp|hdp|svg|emf|wmf|mp4|m4v|m4a|mov|avi|wmv|mp3|wav|wma|ogg|pdf|docx|docm|xlsx|xlsm|pptx|pptm)$/i

/** True if the name of a file says that it may have metadata of its own. */
export const mayHaveMetadata = (name: string): boolean => WITH_METADATA.test(name)
