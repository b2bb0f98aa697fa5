import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../src/core/catalog/floors.ts'
import { AVI, MP4 } from '../../../src/core/catalog/formats/film.ts'
import { JPG } from '../../../src/core/catalog/formats/jpg.ts'
import { MP3 } from '../../../src/core/catalog/formats/mp3.ts'
import { DOCX } from '../../../src/core/catalog/formats/office.ts'
import { WAV } from '../../../src/core/catalog/formats/wav.ts'
import { FORMATS } from '../../../src/core/catalog/index.ts'
import { LEVELS, type RasterTarget } from '../../../src/core/catalog/levels.ts'

const DOCS = readFileSync('docs/users/quality.md', 'utf8')
const FORMAT_TABLE = readFileSync('docs/users/formats.md', 'utf8')

describe('quality levels', () => {
  it('have JPEG targets that never rise from high to low, and stay above the floors', () => {
    const { high, medium, low, ultra } = LEVELS.perceptual
    for (const [more, less] of [
      [high, medium],
      [medium, low],
      [low, ultra],
    ] as const) {
      expect([more.score, more.worstTile].every((figure, at) => figure >= [less.score, less.worstTile][at]!)).toBe(true)
      expect([less.cast, less.steps].every((figure, at) => figure >= [more.cast, more.steps][at]!)).toBe(true)
      expect(more.floor.ssim).toBeGreaterThanOrEqual(less.floor.ssim)
      expect(more.floor.psnrDb).toBeGreaterThanOrEqual(less.floor.psnrDb)
    }
    expect(ultra.floor.ssim).toBeGreaterThan(FLOOR_SSIM)
    expect(ultra.floor.psnrDb).toBeGreaterThan(FLOOR_PSNR_DB)
  })

  it('have targets that never rise from high to low in any medium, and stay above the floors', () => {
    for (const column of [LEVELS.jpeg, LEVELS.page, LEVELS.drawing, LEVELS.frame]) {
      for (const [more, less] of [
        [column.high, column.medium],
        [column.medium, column.low],
        [column.low, column.ultra],
      ] as const) {
        expect(more.ssim).toBeGreaterThanOrEqual(less.ssim)
        expect(more.psnrDb).toBeGreaterThanOrEqual(less.psnrDb)
      }
      expect(column.ultra.ssim).toBeGreaterThan(FLOOR_SSIM)
      expect(column.ultra.psnrDb).toBeGreaterThan(FLOOR_PSNR_DB)
    }
  })

  it('have the figures of docs/users/quality.md', () => {
    for (const level of ['high', 'medium', 'low'] as const) {
      const { score, worstTile, floor } = LEVELS.perceptual[level]
      const { ssim, psnrDb } = LEVELS.jpeg[level]
      const atLeast = `SSIM ${floor.ssim.toFixed(2)}, ${floor.psnrDb} dB`
      expect(DOCS).toContain(`| ${level} | ${score} (${worstTile}) | ${atLeast} | ${ssim.toFixed(2)} | ${psnrDb} dB |`)
      const { [level]: frame } = LEVELS.frame
      const { aacPerChannel, mp3 } = LEVELS.filmSound[level]
      const film = `H.264 at crf ${frame.crf} | ${frame.ssim}, ${frame.psnrDb} dB | ${aacPerChannel / 1000} kbit/s | -V${mp3} |`
      expect(DOCS).toContain(`| ${level} | ${film}`)
      const drawing = LEVELS.drawing[level]
      expect(DOCS).toContain(`| ${level} | ${drawing.ssim} | ${drawing.psnrDb} dB | ${drawing.score} | ${drawing.magnified.score} |`)
    }
    expect(DOCS).toContain(`SSIM ${FLOOR_SSIM.toFixed(2)} and PSNR ${FLOOR_PSNR_DB} dB`)
    const { medium, low } = LEVELS.palette
    for (const [name, of] of [
      ['SSIMULACRA 2 of the whole picture', ({ score }) => score],
      ['worst tile of 64 × 64 pixels', ({ worstTile }) => worstTile],
      ['mean colour of any 15 × 15 pixels, in CIE Lab a and b', ({ cast }) => cast],
      ['mean lightness of 5 × 5 pixels in smooth areas, beyond the grain of dithering', ({ steps }) => steps],
      ['SSIM', ({ scored }) => scored.ssim],
      ['PSNR', ({ scored }) => `${scored.psnrDb} dB`],
    ] satisfies readonly (readonly [string, (target: RasterTarget) => unknown])[])
      expect(DOCS).toContain(`| ${name} | ${of(medium)} | ${of(low)} |`)
    const { shownDotsPerInch: shown, page } = LEVELS
    expect(DOCS).toContain(`| DOCX, XLSX, PPTX, OFD | ${shown.high} dpi | ${shown.medium} dpi | ${shown.low} dpi | ${shown.ultra} dpi |`)
    expect(DOCS).toContain(`| PDF | ${page.high.dotsPerInch} dpi | ${page.medium.dotsPerInch} dpi | ${page.low.dotsPerInch} dpi | |`)
  })

  it('have a row with its outputs for every format in docs/users/formats.md', () => {
    const rows = new Map(
      [...FORMAT_TABLE.matchAll(/^\| ([\w, ]+?)(?: \(also \w+\))? \| ([\w., ]+) \|/gm)].flatMap(([, ids = '', outputs = '']) =>
        ids.split(', ').map((id) => [id, outputs.replace('the same', id)] as const),
      ),
    )
    for (const { id, outputs } of Object.values(FORMATS)) expect(rows.get(id)).toBe(outputs.join(', '))
  })
})

describe('level descriptions of the formats', () => {
  it('contain the figures of the levels', () => {
    expect(JPG.levels.medium).toBe(
      'SSIMULACRA 2 72 (worst tile 52), at least SSIM 0.93 and 31.3 dB: no visible difference at normal viewing size',
    )
    expect(MP4.levels.medium).toBe(
      'H.264 at crf 25 (27.5 above 720p; SSIM 0.957, 35 dB); AAC at 72 kbit/s per channel; efficient tracks are copied',
    )
    expect(AVI.levels.low).toMatch(/^H\.264 at crf 29 \(31\.5 above 720p; SSIM 0\.92, 32 dB at least\); uncompressed sound becomes MP3 -V6/)
    expect(MP3.levels.low).toMatch(/^LAME -V6 to -V8, .* at least 7 %/)
    expect(MP3.levels.medium).toMatch(/^LAME -V4 for inputs from 184 kbit\/s \(stereo\)/)
    expect(WAV.levels.low).toMatch(/at least 20 \(ADPCM\), 26 \(G\.711\) or 40 dB \(16-bit PCM\); output MP3: MP3 -V6$/)
    expect(DOCX.levels.high).toMatch(/at 300 dpi on the page$/)
  })

  it('contain no undefined values', () => {
    const sentences = Object.values(FORMATS).flatMap((format) => ('levels' in format ? Object.values(format.levels) : []))
    expect(sentences.length).toBeGreaterThan(40)
    for (const sentence of sentences) expect(sentence).not.toMatch(/undefined|NaN|\$\{/)
  })
})
