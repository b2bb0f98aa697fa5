/** Builds and encrypts a small Type 1 font. */

/** Encrypts data with the cipher of Type 1 fonts. */
function encrypt(plain: Uint8Array, key: number, lead: number): Uint8Array {
  const out = new Uint8Array(plain.length + lead)
  let r = key
  for (let i = 0; i < out.length; i++) {
    const cipher = (i < lead ? 0xa5 : plain[i - lead]!) ^ (r >> 8)
    out[i] = cipher
    r = ((cipher + r) * 52_845 + 22_719) & 0xffff
  }
  return out
}

const OPERATORS: Record<string, number[]> = {
  hstem: [1],
  vstem: [3],
  vmoveto: [4],
  rlineto: [5],
  hlineto: [6],
  vlineto: [7],
  rrcurveto: [8],
  closepath: [9],
  callsubr: [10],
  return: [11],
  hsbw: [13],
  endchar: [14],
  rmoveto: [21],
  hmoveto: [22],
  vhcurveto: [30],
  hvcurveto: [31],
  seac: [12, 6],
  div: [12, 12],
  callothersubr: [12, 16],
  pop: [12, 17],
  setcurrentpoint: [12, 33],
}

function number(value: number): number[] {
  if (value >= -107 && value <= 107) return [value + 139]
  if (value >= 108 && value <= 1131) return [247 + ((value - 108) >> 8), (value - 108) & 255]
  if (value <= -108 && value >= -1131) return [251 + ((-value - 108) >> 8), (-value - 108) & 255]
  return [255, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
}

const code = (text: string) => Uint8Array.from(text.split(/\s+/).flatMap((word) => OPERATORS[word] ?? number(Number(word))))

const SUBRS = [
  '3 0 callothersubr pop pop setcurrentpoint return',
  '0 1 callothersubr return',
  '0 2 callothersubr return',
  'return',
  '100 20 hstem 30 40 vstem return',
]
const BOX = '50 0 rmoveto 100 hlineto 700 vlineto -100 hlineto closepath'
const FLEX =
  '1 callsubr 50 10 rmoveto 2 callsubr -30 -10 rmoveto 2 callsubr 10 5 rmoveto 2 callsubr 20 5 rmoveto 2 callsubr 20 0 rmoveto 2 callsubr 10 -5 rmoveto 2 callsubr 20 -5 rmoveto 2 callsubr 50 150 700 0 callsubr'
export const GLYPHS: Record<string, string> = {
  '.notdef': '0 250 hsbw endchar',
  space: '0 250 hsbw endchar',
  A: `20 600 hsbw 0 15 hstem 0 80 vstem ${BOX} 4 1 3 callothersubr pop callsubr 30 10 rmoveto 10 20 30 40 50 60 rrcurveto 5 6 7 8 vhcurveto 5 6 7 8 hvcurveto closepath endchar`,
  acute: '10 300 hsbw 0 20 hstem 5 500 rmoveto 60 hlineto 1 3 div 40 rlineto -60 hlineto closepath endchar',
  Aacute: '20 600 hsbw',
  n: `0 500 hsbw 1000 0 rmoveto ${FLEX} closepath endchar`,
  unused: `0 700 hsbw ${BOX.repeat(1)} endchar`,
}
GLYPHS['Aacute'] = '20 600 hsbw 10 150 120 65 194 seac'

/** Type 1 font with these glyphs. Codes 65, 66 and 67 map to A, Aacute and n. */
export function type1(names: readonly string[] = Object.keys(GLYPHS)): { data: Uint8Array; lengths: [number, number, number] } {
  const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))
  const clear = latin(`%!PS-AdobeFont-1.0: Test
/FontInfo 2 dict dup begin /Notice (Made \\(for\\) a test) readonly def end readonly def
/FontName /Test def /PaintType 0 def /FontMatrix [0.001 0 0 0.001 0 0] readonly def
/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for
dup 65 /A put dup 66 /Aacute put dup 67 /n put dup 100 /A put dup 8#151 /acute put readonly def
/FontBBox {0 -200 1000 900} readonly def currentdict end currentfile eexec
`)
  const parts: Uint8Array[] = [
    latin('dup /Private 8 dict dup begin /RD {string currentfile exch readstring pop} executeonly def\n'),
    latin('/BlueValues [-15 0 700 715] def /StdHW [22] def /StemSnapV [30 40] def /BlueScale 0.04 def /ForceBold false def /lenIV 4 def\n'),
    latin(`/Subrs ${SUBRS.length} array\n`),
  ]
  const charstring = (text: string) => encrypt(code(text), 4330, 4)
  SUBRS.forEach((text, i) => {
    const bytes = charstring(text)
    parts.push(latin(`dup ${i} ${bytes.length} RD `), bytes, latin(' NP\n'))
  })
  parts.push(latin(`ND\n2 index /CharStrings ${names.length} dict dup begin\n`))
  for (const name of names) {
    const bytes = charstring(GLYPHS[name]!)
    parts.push(latin(`/${name} ${bytes.length} RD `), bytes, latin(' ND\n'))
  }
  parts.push(latin('end end readonly put mark currentfile closefile\n'))
  const secret = encrypt(new Uint8Array(Buffer.concat(parts)), 55_665, 4)
  const trailer = latin(`${'0'.repeat(64)}\ncleartomark\n`)
  return { data: new Uint8Array(Buffer.concat([clear, secret, trailer])), lengths: [clear.length, secret.length, trailer.length] }
}
