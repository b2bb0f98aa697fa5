import type { OutputId } from '../outputs.ts'
import { EVERY_LEVEL, type FormatPolicy, LOSSY_LEVELS, removable } from './policy.ts'

/** First words of an item about the rights that a signature of Adobe gives to Adobe Reader (`usage_rights=drop`). */
const USAGE_RIGHTS = 'rights by signature UR'

export const PDF = {
  pdf: {
    alternative_texts: 'kept',
    annotations: 'kept',
    application_data: removable(LOSSY_LEVELS, 'editor_only'),
    article_threads: 'kept',
    associated_files: 'kept',
    attachments: 'kept',
    attributes: 'kept',
    claims: 'kept',
    destinations: 'kept',
    document_information: 'kept',
    document_properties: 'kept',
    fields: 'kept',
    fonts: 'kept',
    fonts_of_forms: 'kept',
    form: 'kept',
    labels: 'kept',
    languages: 'kept',
    layers: 'kept',
    links: 'kept',
    outline: 'kept',
    output_intents: 'kept',
    page_boxes: 'kept',
    page_properties: 'kept',
    page_thumbnails: 'kept',
    pages: 'kept',
    permissions: removable(EVERY_LEVEL, 'as_requested', (item) => item.startsWith(USAGE_RIGHTS)),
    preamble: removable(EVERY_LEVEL, 'nothing_refers_to_it'),
    scripts: 'kept',
    tags: 'kept',
    titles: 'kept',
    trailing_bytes: 'kept',
    xmp_properties: 'kept',
  },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
