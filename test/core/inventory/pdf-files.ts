/** PDF with at least one item of every kind, and changes of single objects. */
import { Dict, Name, type PdfObject, Ref, Str, Stream } from '../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../src/core/formats/pdf/reader.ts'
import { serialise } from '../../../src/core/formats/pdf/serialise.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { buildPdf, type Part } from '../formats/pdf/build.ts'

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Editor 7">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Report</rdf:li><rdf:li xml:lang="fr">Rapport</rdf:li></rdf:Alt></dc:title></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>2</pdfaid:part></rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`

const CONTENT = Array.from({ length: 400 }, (_, line) => `${line % 9} ${line} m ${line * 3} 90 l S`).join('\n')

/** Objects by name. Entries refer to each other by `{name}`. */
const OBJECTS: { readonly [name: string]: string | { dict: string; data: string } } = {
  catalog: `<</Type/Catalog/Pages {pages}/Outlines {outlines}/PageLabels {labels}/Names {names}/AcroForm {form}/StructTreeRoot {structure}
/OCProperties {layers}/OutputIntents[{intent}]/Metadata {xmp}/Lang(en-GB)/ViewerPreferences {preferences}/OpenAction[{page} /Fit]
/Threads[{thread}]/AF[{associated}]/PieceInfo {private}/MarkInfo<</Marked true>>>>`,
  pages: '<</Type/Pages/Kids[{page} {second}]/Count 2/MediaBox[0 0 300 400]>>',
  page: `<</Type/Page/Parent {pages}/Contents {content}/Resources {resources}/CropBox[10 10 290 390]/Tabs/S/Thumb {thumbnail}/PieceInfo {private}
/Annots[{link} {note} {widget} {file}]>>`,
  second: '<</Type/Page/Parent {pages}/Contents {content}/Resources {resources}/Rotate 90>>',
  content: { dict: '', data: CONTENT },
  resources: '<</Font<</F1 {font}>>/XObject<</X {drawing}>>>>',
  font: '<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Verdana/Encoding/WinAnsiEncoding>>',
  drawing: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F2 {formFont}>>>>', data: '0 0 5 5 re f' },
  thumbnail: { dict: '/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray', data: 'abcd' },
  link: '<</Type/Annot/Subtype/Link/Rect[1 2 30 40]/A {uri}>>',
  uri: '<</S/URI/URI(https://example.org/a)>>',
  note: '<</Type/Annot/Subtype/Text/Rect[5 5 20 20]/Contents(Please check)/T(Ann)>>',
  widget: '<</Type/Annot/Subtype/Widget/Rect[9 9 60 20]/FT/Tx/T(name)/V(Miller)/AA<</K {script}>>>>',
  script: '<</S/JavaScript/JS(app.alert\\(1\\))>>',
  file: '<</Type/Annot/Subtype/FileAttachment/Rect[70 70 90 90]/FS {attached}/Alt(A paper clip)>>',
  attached: '<</Type/Filespec/F(data.csv)/UF(data.csv)/Desc(Figures)/EF<</F {embedded}>>>>',
  embedded: { dict: '/Type/EmbeddedFile/Params<</Size 7>>', data: 'a,b\n1,2' },
  outlines: '<</Type/Outlines/First {chapter}/Last {chapter}/Count 1>>',
  chapter: '<</Title(Chapter 1)/Parent {outlines}/Dest[{page} /XYZ 0 9 0]/First {section}/Last {section}/Count 1>>',
  section: '<</Title(Section 1.1)/Parent {chapter}/Dest(named)>>',
  labels: '<</Nums[0 {label}]>>',
  label: '<</S/r/P(A-)>>',
  names: '<</Dests {destinations}/JavaScript<</Names[(start) {script}]>>/EmbeddedFiles<</Names[(data) {attached}]>>>>',
  destinations: '<</Names[(named)[{second} /FitH 40]]>>',
  form: '<</Fields[{widget}]/NeedAppearances true/DR<</Font<</Helv {formFont}>>>>/DA(/Helv 0 Tf)>>',
  formFont: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  structure: '<</Type/StructTreeRoot/K {element}/RoleMap<</Big/H1>>>>',
  element: '<</Type/StructElem/S/Document/P {structure}/K[{figure}]/Lang(de)/T(Main part)/A<</O/Layout/Placement/Block>>>>',
  figure: '<</Type/StructElem/S/Figure/P {element}/Alt(A curve)/K 0>>',
  layers: '<</OCGs[{layer}]/D<</ON[{layer}]>>>>',
  layer: '<</Type/OCG/Name(Plan)>>',
  intent: '<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/DestOutputProfile {profile}>>',
  profile: { dict: '/N 3', data: 'profile '.repeat(40) },
  xmp: { dict: '/Type/Metadata/Subtype/XML', data: XMP },
  preferences: '<</DisplayDocTitle true>>',
  thread: '<</F {bead}/I<</Title(Story)>>>>',
  bead: '<</T {thread}/N {bead}/V {bead}/P {page}/R[0 0 9 9]>>',
  associated: '<</Type/Filespec/UF(source.ods)/AFRelationship/Source>>',
  private: '<</Editor<</LastModified(D:2024)/Private 1>>>>',
  information: '<</Title(Report)/Author(Ann)>>',
}

const NAMES = Object.keys(OBJECTS)
const numbered = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => `${NAMES.indexOf(name) + 1} 0 R`)
const PARTS: readonly Part[] = Object.values(OBJECTS).map((part) =>
  typeof part === 'string' ? numbered(part) : { dict: numbered(part.dict), data: part.data },
)

/** PDF with items of all kinds. `tail`: bytes behind its end. */
export const richPdf = (tail = ''): Uint8Array => {
  const bytes = buildPdf(PARTS, { version: '1.7', trailer: numbered('/Info {information}') })
  return new Uint8Array(Buffer.concat([bytes, Buffer.from(tail, 'latin1')]))
}

/** Changes one dictionary in place. Returns true if it was the wanted one. */
export type Change = (dict: Dict) => boolean

/**
 * Returns a PDF whose first dictionary that `change` wants is changed, or whose stream has other data. It adds an update to the file, as
 * editors do (ISO 32000-2, 7.5.6).
 */
export async function withChange(bytes: Uint8Array, change: Change, data?: string): Promise<Uint8Array> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'), '')
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    const dict = object instanceof Stream ? object.dict : object
    if (!(dict instanceof Dict) || !changedIn(dict, change)) continue
    const kept = object instanceof Stream ? (data ?? Buffer.from(await reader.decoded(object, 1 << 20)).toString('latin1')) : undefined
    if (kept !== undefined) for (const key of ['Filter', 'DecodeParms', 'Length']) dict.delete(key)
    if (kept !== undefined) dict.set('Length', kept.length)
    const text = serialise(dict, (ref) => `${ref.number} 0 R`) + (kept === undefined ? '' : `\nstream\n${kept}\nendstream`)
    return updated(bytes, number, text, reader)
  }
  throw new Error('no object was changed')
}

/** Calls `change` with a dictionary and the direct dictionaries inside of it. */
function changedIn(value: PdfObject, change: Change): boolean {
  if (Array.isArray(value)) return value.some((item) => changedIn(item, change))
  return value instanceof Dict && (change(value) || [...value.values()].some((item) => changedIn(item, change)))
}

function updated(bytes: Uint8Array, number: number, text: string, { trailer, xref }: Reader): Uint8Array {
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(Buffer.from(bytes).toString('latin1'))![1]
  const entries = ['Root', 'Info'].map((key) => [key, trailer.get(key)] as const).filter((entry) => entry[1] instanceof Ref)
  const refs = entries.map(([key, ref]) => `/${key} ${(ref as Ref).number} 0 R`).join('')
  const [head, at] = [`\n${number} 0 obj\n${text}\nendobj\n`, String(bytes.length + 1).padStart(10, '0')]
  const table = `xref\n${number} 1\n${at} 00000 n \ntrailer\n<</Size ${xref.size}${refs}/Prev ${previous}>>\n`
  const tail = `startxref\n${bytes.length + head.length}\n%%EOF\n`
  return new Uint8Array(Buffer.concat([bytes, Buffer.from(`${head}${table}${tail}`, 'latin1')]))
}

export const textOf = (object: PdfObject | undefined): string => (object instanceof Str ? Buffer.from(object.bytes).toString('latin1') : '')
export const nameOf = (object: PdfObject | undefined): string => (object instanceof Name ? object.value : '')
export const string = (text: string): Str => new Str(Uint8Array.from(text, (letter) => letter.charCodeAt(0)))
export { Name }
