import type { OutputId } from '../outputs.ts'
import { looksGenerated } from './generated-ids.ts'
import { EVERY_LEVEL, type FormatPolicy, LOSSY_LEVELS, removable } from './policy.ts'

/** Attributes and elements of drawing programs go at every level. At level `high`, names that people gave to objects stay. */
const EDITOR_DATA = [
  removable(LOSSY_LEVELS, 'editor_only'),
  removable(EVERY_LEVEL, 'editor_only', (item) => item !== 'attribute label' && item !== 'attribute groupmode'),
]
/** Metadata as drawing programs write it for every drawing: only its type. */
const isEmptyMetadata = (item: string): boolean => / = (?:image\/svg\+xml|\S*StillImage)$/.test(item)

export const SVG = {
  svg: {
    accessibility: 'kept',
    animations: 'kept',
    attributes: 'kept',
    classes: 'kept',
    click_areas: 'kept',
    comments: removable(EVERY_LEVEL, 'not_drawn'),
    conditional_rules: 'kept',
    custom_xml: 'kept',
    data_attributes: 'kept',
    editor_data: EDITOR_DATA,
    effective_rules: 'kept',
    element_names: 'kept',
    elements: 'kept',
    embedded_files: 'kept',
    embedded_fonts: 'kept',
    event_attributes: 'kept',
    foreign_objects: 'kept',
    hidden_parts: 'kept',
    ids: removable(LOSSY_LEVELS, 'nothing_refers_to_it', looksGenerated),
    layers: removable(LOSSY_LEVELS, 'editor_only'),
    links: 'kept',
    markers: 'kept',
    metadata: removable(EVERY_LEVEL, 'empty', isEmptyMetadata),
    notices: 'kept',
    outside_references: 'kept',
    plain_rules: 'kept',
    references: 'kept',
    scripts: 'kept',
    size: 'kept',
    style_rules: 'kept',
    style_sheets: 'kept',
    texts: 'kept',
    titles: 'kept',
  },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
