/**
 * Checks DICOM results with independent toolkits: `npm run conformance -- dicom [-v] [DICOM file …]`. Generated files (bit depths, signs,
 * planes, byte orders) and the given files are compressed, then decoded by DCMTK, GDCM and pydicom (dicom.py) and compared with the
 * originals. Needs `dcmtk`, `libgdcm-tools` and a Python with `pydicom` (variable PYTHON).
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { dicom } from '../../../src/core/formats/dicom/dicom.ts'
import { englishText } from '../../../src/core/i18n/message.ts'
import { dicomFile, type Encoding, imageElements, type Picture } from '../../../test/support/dicom-file.ts'
import { pressFile } from '../../../test/support/press-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'conformance-dicom-'))
const python = process.env['PYTHON'] ?? 'python3'
const names = process.argv.slice(2).filter((name) => name !== '-v')
let unchanged = 0
try {
  for (const [name, picture] of Object.entries(pictures())) {
    for (const encoding of ['explicit', 'implicit', 'big'] as const) await add(`${name}-${encoding}`, fileOf(picture, encoding))
  }
  for (const path of names) await add(basename(path), readFileSync(path))
  console.log(`${unchanged} files stay unchanged`)
  const judge = [join(import.meta.dirname, 'dicom.py'), folder, ...(process.argv.includes('-v') ? ['-v'] : [])]
  process.exitCode = spawnSync(python, judge, { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}

/** Returns one picture for each way to store samples. */
function pictures(): Record<string, Picture> {
  const size = { width: 61, height: 50, noise: 0.1 }
  const even = { ...size, width: 64 }
  const found: Record<string, Picture> = {
    'one-bit': { ...even, allocated: 1, stored: 1 },
    'depth-32': { ...size, allocated: 32, stored: 32 },
    '12-in-16-high-bit-15': { ...size, stored: 12, highBit: 15 },
    '8-in-16-high-bit-15': { ...size, stored: 8, highBit: 15 },
    '12-in-16-overlay': { ...even, stored: 12, unused: 'overlay' },
    '8-in-16-overlay': { ...even, stored: 8, unused: 'overlay' },
    '12-in-16-noise-above': { ...size, stored: 12, unused: 'noise' },
    '12-in-16-negative-without-sign': { ...size, stored: 12, signed: true, unused: 'zeros' },
    palette: { ...size, allocated: 8, photometric: 'PALETTE COLOR' },
    inverse: { ...size, stored: 10, photometric: 'MONOCHROME1' },
    'odd-length': { ...size, height: 51, allocated: 8 },
    frames: { ...size, stored: 12, frames: 3 },
  }
  for (const [allocated, depths] of [
    [8, [1, 2, 3, 4, 5, 6, 7, 8]],
    [16, [1, 2, 4, 6, 7, 8, 9, 10, 12, 15, 16]],
  ] as const) {
    for (const stored of depths) {
      found[`${stored}-in-${allocated}`] = { ...size, allocated, stored }
      found[`${stored}-in-${allocated}-signed`] = { ...size, allocated, stored, signed: true }
      if (stored > 1) found[`${stored}-in-${allocated}-signed-positive`] = { ...size, allocated, stored, signed: true, positive: true }
    }
  }
  for (const photometric of ['RGB', 'YBR_FULL']) {
    for (const planar of [false, true]) {
      for (const allocated of photometric === 'RGB' ? ([8, 16] as const) : ([8] as const)) {
        const colour = { ...size, samples: 3, allocated, planar, photometric } as const
        found[`${photometric}-${allocated}${planar ? '-planar' : ''}`] = colour
        found[`${photometric}-${allocated}${planar ? '-planar' : ''}-frames`] = { ...colour, frames: 3 }
      }
    }
  }
  return found
}

function fileOf(picture: Picture, encoding: Encoding): Uint8Array {
  return dicomFile(imageElements(picture, encoding), encoding)
}

async function add(name: string, file: Uint8Array): Promise<void> {
  const { outcome, bytes, defect } = await pressFile(dicom, file, 'a.dcm')
  if (defect !== undefined) throw new Error(`${name}: ${defect}`)
  if (outcome.kind !== 'compressed') {
    unchanged++
    if (process.argv.includes('-v')) console.log(`${name}: ${outcome.reason} ${outcome.detail ? englishText(outcome.detail) : ''}`)
    return
  }
  writeFileSync(join(folder, `${name}.before.dcm`), file)
  writeFileSync(join(folder, `${name}.after.dcm`), bytes)
}
