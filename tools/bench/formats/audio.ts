import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours, type Row } from '../harness.ts'

const RIFF = Buffer.from('RIFF')

/**
 * Compares with the native programs of the same encoders: LAME at the same `-V`, flac at its best level. flac keeps the other chunks of the
 * WAV file; LAME drops them, so their bytes are added to its result.
 */
export const bench: Bench = {
  title:
    'WAV to FLAC and FLAC against flac -8, WAV to MP3 against lame; MP3 at every level against lame at the level of its table; Opus and Vorbis against ffmpeg',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-audio-'))
    for (const path of files(join(corpus, 'audio'), 'wav')) {
      const name = basename(path)
      const [flac, mp3] = [join(folder, `${name}.flac`), join(folder, `${name}.mp3`)]
      const best = native('flac', ['-s', '-f', '-8', '--keep-foreign-metadata-if-present', '-o', flac, path], flac)
      const bare = native('flac', ['-s', '-f', '-8', '-o', flac, path], flac)
      const others = best && bare ? best.bytes - bare.bytes : 0
      yield { name: `${name} → flac`, ours: ours(path, { format: 'flac' }), peers: { 'flac -8': best } }
      const lame = native('lame', ['--quiet', '-V', '3', path, mp3], mp3)
      yield {
        name: `${name} → mp3`,
        ours: ours(path, { format: 'mp3' }),
        peers: { 'lame -V3': lame && { ...lame, bytes: lame.bytes + others } },
      }
      for (const quality of ['high', 'medium', 'low']) yield { name: `${name} ${quality}`, ours: ours(path, { quality }), peers: {} }
      yield* oggRows(path, folder)
    }
    for (const path of files(join(corpus, 'audio'), 'flac')) {
      const out = join(folder, `again-${basename(path)}`)
      yield {
        name: basename(path),
        ours: ours(path),
        peers: { 'flac -8': native('flac', ['-s', '-f', '-8', '--no-padding', '-o', out, path], out) },
      }
    }
    for (const path of files(join(corpus, 'audio'), 'mp3')) {
      // LAME does not accept a WAV file with the extension `.mp3` as MP3.
      if (readFileSync(path).subarray(0, 4).equals(RIFF)) continue
      const name = basename(path)
      const out = join(folder, `again-${name}`)
      const lame = (level: string) => native('lame', ['--quiet', '--mp3input', '-V', level, path, out], out)
      yield { name: `${name} high`, ours: ours(path, { quality: 'high' }), peers: {} }
      yield { name: `${name} medium`, ours: ours(path), peers: { 'lame -V4': lame('4') } }
      yield { name: `${name} low`, ours: ours(path, { quality: 'low' }), peers: { 'lame -V6': lame('6') } }
    }
  },
}

/** Rows of Opus at 256 kbit/s and of Vorbis at quality 8, made from a WAV file, against FFmpeg with the same settings as ours. */
function* oggRows(wav: string, folder: string): Generator<Row> {
  const name = basename(wav)
  const coded = (from: string, to: string, ...settings: string[]) =>
    native('ffmpeg', ['-v', 'error', '-y', '-i', from, '-vn', ...settings, to], to)
  const [opus, ogg] = [join(folder, `${name}.opus`), join(folder, `${name}.ogg`)]
  if (coded(wav, opus, '-c:a', 'libopus', '-b:a', '256k')) {
    const again = (kilobits: number) => coded(opus, join(folder, `again-${name}.opus`), '-c:a', 'libopus', '-b:a', `${kilobits}k`)
    yield { name: `${name}.opus high`, ours: ours(opus, { quality: 'high' }), peers: {} }
    yield { name: `${name}.opus medium`, ours: ours(opus), peers: { 'libopus 128k': again(128) } }
    yield { name: `${name}.opus low`, ours: ours(opus, { quality: 'low' }), peers: { 'libopus 80k': again(80) } }
  }
  if (!coded(wav, ogg, '-c:a', 'libvorbis', '-q:a', '8')) return
  const mp3 = coded(ogg, join(folder, `again-${name}.mp3`), '-c:a', 'libmp3lame', '-q:a', '3')
  yield { name: `${name}.ogg → mp3`, ours: ours(ogg, { format: 'mp3' }), peers: { 'libmp3lame -q 3': mp3 } }
}
