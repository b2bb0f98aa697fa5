/** Rules of packages: Office documents, OFD, EPUB, KMZ, Shapefile bundles and ZIP archives. */
import type { OutputId } from '../outputs.ts'
import { type FormatPolicy, type Removal, removable } from './policy.ts'

/** Parts and relationships of slide layouts that no slide uses (level `ultra`). */
const unusedLayouts = (pattern: RegExp): Removal => removable(['ultra'], 'unused_layout', (item) => pattern.test(item))
const unnamed: Removal = removable(['ultra'], 'nothing_refers_to_it', (item) => item.endsWith(' without a reference'))

/** A part that relationships lead to cannot go: its relationships would change to `target missing`. */
const OFFICE: FormatPolicy = {
  alternative_texts: 'kept',
  archive_comments: 'kept',
  bookmarks: 'kept',
  changes: 'kept',
  comments: 'kept',
  custom_xml: 'kept',
  defined_names: 'kept',
  embedded_objects: 'kept',
  features: 'kept',
  font_glyphs: removable(['ultra'], 'not_drawn'),
  fonts: 'kept',
  formulas: 'kept',
  layouts: unusedLayouts(/^slideLayout$/),
  links: 'kept',
  macros: 'kept',
  media: [
    removable(['ultra'], 'editor_only', (item) => item.startsWith('thumbnail')),
    unnamed,
    unusedLayouts(/ of a layout$/),
    removable(['ultra'], 'duplicate', (item) => item === 'picture'),
  ],
  parts: [unnamed, unusedLayouts(/^presentationml\.slideLayout\+xml$|^themeOverride\+xml$|^relationships of layout | of a layout$/)],
  properties: 'kept',
  relationships: [
    removable(['ultra'], 'editor_only', (item) => /^thumbnail .* of package$/.test(item)),
    unusedLayouts(/^slideLayout .* of master | of layout /),
  ],
  sheets_and_slides: 'kept',
  signatures: 'kept',
  texts: unusedLayouts(/^layout /),
  trailing_bytes: 'kept',
}

/** A file that a resource list names cannot go: its relationship would change to `file missing`. */
const duplicateFile = removable(['ultra'], 'duplicate', (item) => !item.startsWith('xml'))

export const PACKAGES = {
  docx: OFFICE,
  pptx: OFFICE,
  xlsx: OFFICE,
  ofd: {
    annotations: 'kept',
    archive_comments: 'kept',
    attachments: 'kept',
    features: 'kept',
    fonts: removable(['ultra'], 'duplicate', (item) => item === 'font file'),
    links: 'kept',
    media: duplicateFile,
    outline: 'kept',
    page_boxes: 'kept',
    pages: 'kept',
    parts: duplicateFile,
    properties: 'kept',
    relationships: 'kept',
    texts: 'kept',
    trailing_bytes: 'kept',
  },
  epub: {
    alternative_texts: 'kept',
    archive_comments: 'kept',
    features: 'kept',
    fonts: 'kept',
    ids: 'kept',
    links: 'kept',
    manifest: 'kept',
    media: 'kept',
    navigation: 'kept',
    parts: 'kept',
    properties: 'kept',
    spine: 'kept',
    texts: 'kept',
    trailing_bytes: 'kept',
  },
  kmz: {
    archive_comments: 'kept',
    comments: 'kept',
    elements: 'kept',
    links: 'kept',
    member_attributes: 'kept',
    members: 'kept',
    trailing_bytes: 'kept',
  },
  shapefile: {
    archive_comments: 'kept',
    comments: 'kept',
    fields: 'kept',
    geography: 'kept',
    member_attributes: 'kept',
    members: 'kept',
    records: 'kept',
    trailing_bytes: 'kept',
  },
  zip: {
    archive_comments: 'kept',
    comments: 'kept',
    elements: 'kept',
    fields: 'kept',
    geography: 'kept',
    links: 'kept',
    member_attributes: 'kept',
    members: 'kept',
    records: 'kept',
    trailing_bytes: 'kept',
  },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
