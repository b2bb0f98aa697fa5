/** What the option `metadata` removes from documents (API.md, "Resizing and metadata"). Authors of documents go in both modes. */
import type { InventoryKind } from './inventory/kinds.ts'
import type { RemovingMode } from './metadata-modes.ts'
import type { OutputId } from './outputs.ts'

/** True for each item that a rule is about. `name`: text of the item before ` = `. */
export type MetadataRule = (mode: RemovingMode, name: string, item: string) => boolean

/**
 * Rules by kind. `removed`: items that a mode removes. `along`: items that may go or change together with removed metadata, but that the
 * result may also still have.
 */
export interface MetadataRules {
  readonly removed: { readonly [Kind in InventoryKind]?: MetadataRule }
  readonly along: { readonly [Kind in InventoryKind]?: MetadataRule }
}

/** XMP properties about rights (XMP Specification part 2, "Rights Management"; IPTC; PLUS; Creative Commons). */
export const XMP_RIGHTS = /^(?:dc:rights|xmpRights:\w+|cc:\w+|plus:\w+|photoshop:(?:Credit|Source|Copyright\w*)|xmp:(?:Rights|License)\w*)$/
/** Names of custom properties about rights. */
const RIGHTS = /^(?:copyright|rights|licen[cs]e)/i

/**
 * XMP properties of a PDF that stay: the title, which PDF/UA requires, and claims of standards with the description of their schemas:
 * PDF/A, PDF/E, PDF/UA, PDF/X, PDF/VT, declarations, and electronic invoices.
 */
const PDF_XMP = /^(?:dc:title|pdf:Trapped|(?:pdfaid|pdfaExtension|pdfe|pdfuaid|pdfxid|pdfvtid|pdfd|fx|zf):\w+|pdfx:GTS_\w+)$/
/** XMP properties that PDF/X requires (ISO 15930-7, 6.8). */
const PDF_X_XMP = /^(?:xmp:(?:CreateDate|ModifyDate|MetadataDate|CreatorTool)|pdf:Producer|xmpMM:(?:DocumentID|VersionID|RenditionClass))$/
/** Entries of the information dictionary that stay: title, trapping (it changes the print) and claims of PDF/X. */
const PDF_INFORMATION = /^(?:Title|Trapped|GTS_\w+)$/
/** Entries that PDF/X requires (ISO 15930-4, 6.9). */
const PDF_X_INFORMATION = /^(?:CreationDate|ModDate|Creator|Producer)$/

/** True if an XMP property of a PDF stays. `name`: qualified name with the usual prefix. */
export const keepsPdfXmp = (mode: RemovingMode, name: string, claimsPdfX: boolean): boolean =>
  PDF_XMP.test(name) || (claimsPdfX && PDF_X_XMP.test(name)) || (mode === 'safe' && XMP_RIGHTS.test(name))

/** True if an entry of the information dictionary of a PDF stays. */
export const keepsPdfInformation = (mode: RemovingMode, key: string, claimsPdfX: boolean): boolean =>
  PDF_INFORMATION.test(key) || (claimsPdfX && PDF_X_INFORMATION.test(key)) || (mode === 'safe' && RIGHTS.test(key))

/** True if the name of an entry or property is the claim of PDF/X. */
export const isPdfXClaim = (name: string): boolean => /(?:^|:)GTS_PDFX/.test(name)

const pdfRules = (claimsPdfX: boolean): MetadataRules => ({
  removed: {
    application_data: () => true,
    // Acrobat writes custom entries of the information dictionary into the same schema as the claim of PDF/X.
    claims: (_mode, name) => /^pdfx:(?!GTS_)/.test(name),
    document_information: (mode, name) => !keepsPdfInformation(mode, name, claimsPdfX),
    page_properties: (mode, name) => mode === 'strip' && name.endsWith(' Metadata'),
    page_thumbnails: () => true,
    // The language of a text follows the name.
    xmp_properties: (mode, name) => !keepsPdfXmp(mode, name.replace(/ .*/, ''), claimsPdfX),
  },
  along: { page_properties: (_mode, name) => name.endsWith(' Metadata') },
})

/**
 * Elements of the extended properties that stay: protection, and base and state of links (ECMA-376 part 1, 22.2.2). They change what a
 * program does with the document.
 */
const OFFICE_SETTINGS = /^(?:DocSecurity|HyperlinkBase|HyperlinksChanged|LinksUpToDate|ScaleCrop|SharedDoc)$/
/** Start of the names of custom properties in items. */
export const CUSTOM_PROPERTY = 'custom '

/** Name of the item for the folder in which a workbook was saved, which often has the name of a user. */
export const FOLDER_PROPERTY = 'folder of the workbook'

/** True if an element of the core or extended properties of an Office document stays. */
export const keepsOfficeProperty = (name: string): boolean => name === 'title' || OFFICE_SETTINGS.test(name)

/** True if a custom property of an Office document stays. */
export const keepsCustomProperty = (mode: RemovingMode, name: string): boolean => mode === 'safe' && RIGHTS.test(name)

/**
 * Elements of the metadata of an OpenDocument file that stay (OpenDocument 1.3 part 3, 4.3.2): title, language, and what a program does with
 * the document. Programs choose layout rules by the generator.
 */
const ODF_KEPT = new Set(['title', 'language', 'generator', 'auto-reload', 'hyperlink-behaviour'])

/** True if an element of the metadata of an OpenDocument file stays. `name`: local name. */
export const keepsOdfProperty = (name: string): boolean => ODF_KEPT.has(name)

const ODF: MetadataRules = {
  removed: {
    manifest: (_mode, name) => name.startsWith('Thumbnails/'),
    media: (_mode, name) => name === 'thumbnail',
    properties: (mode, name) =>
      name.startsWith(CUSTOM_PROPERTY) ? !keepsCustomProperty(mode, name.slice(CUSTOM_PROPERTY.length)) : !keepsOdfProperty(name),
  },
  along: { texts: (_mode, name) => name.startsWith('properties ') },
}
const odf = () => ODF

const OFFICE: MetadataRules = {
  removed: {
    media: (_mode, name) => /^thumbnail\b/.test(name),
    properties: (mode, name) =>
      name.startsWith(CUSTOM_PROPERTY) ? !keepsCustomProperty(mode, name.slice(CUSTOM_PROPERTY.length)) : !keepsOfficeProperty(name),
    relationships: (_mode, name) => /^thumbnail .*of package$/.test(name),
  },
  along: { texts: (_mode, name) => name.startsWith('properties ') },
}
const office = () => OFFICE
/** An EPUB keeps its properties, because libraries sort books by them. Pictures inside lose theirs. */
const epub = (): MetadataRules => ({ removed: {}, along: {} })

/** Rules of documents. The parameter says whether a PDF claims PDF/X. Formats without a row are pictures, sound and films. */
export const DOCUMENT_RULES: { readonly [Id in OutputId]?: (claimsPdfX: boolean) => MetadataRules } = {
  pdf: pdfRules,
  docx: office,
  xlsx: office,
  pptx: office,
  odt: odf,
  ods: odf,
  odp: odf,
  odg: odf,
  epub,
}
