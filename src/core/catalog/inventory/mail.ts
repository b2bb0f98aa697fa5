import type { OutputId } from '../outputs.ts'
import type { FormatPolicy } from './policy.ts'

const OFFICE97: FormatPolicy = {
  comments: 'kept',
  defined_names: 'kept',
  embedded_objects: 'kept',
  features: 'kept',
  formulas: 'kept',
  layouts: 'kept',
  links: 'kept',
  macros: 'kept',
  media: 'kept',
  parts: 'kept',
  properties: 'kept',
  sheets_and_slides: 'kept',
  signatures: 'kept',
  texts: 'kept',
  trailing_bytes: 'kept',
}

export const MAIL = {
  doc: OFFICE97,
  ppt: OFFICE97,
  xls: OFFICE97,
  dxf: { blocks: 'kept', elements: 'kept', header: 'kept', layers: 'kept', texts: 'kept' },
  eml: { attachments: 'kept', headers: 'kept', headers_of_parts: 'kept', parts: 'kept', texts: 'kept' },
  rtf: {
    bookmarks: 'kept',
    comments: 'kept',
    custom_xml: 'kept',
    embedded_objects: 'kept',
    features: 'kept',
    fields: 'kept',
    fonts: 'kept',
    links: 'kept',
    media: 'kept',
    properties: 'kept',
    style_sheets: 'kept',
    texts: 'kept',
    trailing_bytes: 'kept',
  },
  text: { header: 'kept', lines: 'kept' },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
