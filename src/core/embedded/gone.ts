/** Collects what was removed from embedded files, for the receipt of the outer file. */
import { type Code, distinct, type Message, message } from '../i18n/message.ts'
import type { Compressed, Removed } from '../model/codec.ts'
import { removedField, sumRemoved } from '../model/removed.ts'
import { MAX_REMOVED_STEPS } from './tuning.ts'

/** Step codes of inner receipts that report removed data, or metadata that could not be removed. */
const GONE: ReadonlySet<Code> = new Set<Code>([
  'at_least_objects_removed',
  'bytes_after_end_not_kept',
  'bytes_behind_frames_not_kept',
  'bytes_between_members_not_kept',
  'bytes_in_front_of_frames_not_kept',
  'comment_removed',
  'comments_removed',
  'comments_removed_coordinates',
  'comments_removed_numbers_shorter',
  'data_not_kept_exact',
  'data_of_drawing_programs_removed',
  'dead_link_removed',
  'definition_removed',
  'definitions_removed',
  'duplicate_pictures_merged',
  'duplicates_merged',
  'earlier_versions_removed',
  'embedded_fonts_without_unused_glyphs',
  'font_subsets_merged',
  'fonts_without_unused_glyphs',
  'id_removed',
  'ids_removed',
  'in_1_file_inside',
  'in_files_inside',
  'incomplete_sample_removed',
  'index_first_dead_space_dropped',
  'index_written_anew_dead_space_dropped',
  'label_removed',
  'labels_removed',
  'metadata_of_files_inside_kept',
  'metadata_without_content_removed',
  'more_lines_left_out',
  'no_longer_true',
  'not_kept',
  'not_kept_no_place',
  'objects_removed',
  'one_fragment_dead_space_dropped',
  'padding_dropped',
  'padding_of_tags_dropped',
  'parts_merged_with_equal_files',
  'private_entries_removed',
  'slide_layouts_dropped',
  'unnamed_bytes_removed',
  'unused_media_or_thumbnails_dropped',
  'usage_rights_left_out',
  'white_space_removed_coordinates',
  'zero_bytes_removed',
])

const removalSteps = (steps: readonly Message[]): readonly Message[] => steps.filter(({ code }) => GONE.has(code))

/** What the codec of an embedded file removed from it. */
export interface RemovedFromFile {
  /** Steps of its receipt that report removed data. */
  readonly steps: readonly Message[]
  /** Items of its inventory that are gone. */
  readonly items: readonly Removed[]
}

export const removedFrom = ({ steps, removed = [] }: Compressed): RemovedFromFile => ({ steps: removalSteps(steps), items: removed })

/** Removed data in embedded files: each step with the number of files that report it, and the sum of the removed items. */
export class RemovedData {
  /** Steps by their JSON, so that equal steps are counted together. */
  readonly #steps = new Map<string, { readonly what: Message; files: number }>()
  #items: readonly Removed[] = []

  /** Adds what was removed from one file. `undefined`: nothing. */
  add(removed: RemovedFromFile | undefined): void {
    const { steps, items } = removed ?? { steps: [], items: [] }
    this.#items = sumRemoved([...this.#items, ...items])
    for (const what of distinct(steps)) {
      const key = JSON.stringify(what)
      const known = this.#steps.get(key)
      if (known) known.files++
      else this.#steps.set(key, { what, files: 1 })
    }
  }

  /** Field `removed` of the outer file's outcome. `{}`: no item is gone. */
  field(): { removed?: Removed[] } {
    return removedField(this.#items)
  }

  steps(): Message[] {
    const lines = [...this.#steps.values()].map(({ what, files }) =>
      files === 1 ? message('in_1_file_inside', { what }) : message('in_files_inside', { files, what }),
    )
    const more = lines.length - MAX_REMOVED_STEPS
    return more > 0 ? [...lines.slice(0, MAX_REMOVED_STEPS), message('more_lines_left_out', { more })] : lines
  }
}

/** Receipt step: how many pictures became smaller, and by which methods. */
export const recompressedStep = (recompressed: number, pictures: number, details: readonly Message[]): Message =>
  details.length > 0
    ? message('pictures_recompressed_with', { recompressed, pictures, details })
    : message('pictures_recompressed', { recompressed, pictures })
