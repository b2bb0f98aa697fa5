import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Bench, files, type Measured, native, ours } from '../harness.ts'

/** Files that stay unchanged are skipped, because a peer's result is then larger or not equal. */
export const bench: Bench = {
  title:
    'Science: DICOM against dcmcjpls and gdcmconv, NIfTI against pigz -11, HDF5 and NetCDF-4 against h5repack and nccopy, LAS against laspy with lazrs',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-science-'))
    const fresh = (name: string) => {
      const path = join(folder, name)
      rmSync(path, { force: true })
      return path
    }
    const row = (path: string, peers: Record<string, Measured | undefined>) => ({ name: basename(path), ours: ours(path), peers })

    for (const path of files(join(corpus, 'medical/dicom'), 'dcm')) {
      const measured = ours(path)
      if (measured.outcome !== 'compressed') continue
      const [a, b] = [fresh('dcmcjpls.dcm'), fresh('gdcmconv.dcm')]
      const peers = { dcmcjpls: native('dcmcjpls', [path, a], a), gdcmconv: native('gdcmconv', ['--jpegls', path, b], b) }
      yield { name: basename(path), ours: measured, peers }
    }
    for (const path of files(join(corpus, 'medical/nifti'), 'nii', 'nii.gz')) {
      const plain = fresh('volume.nii')
      if (path.endsWith('.gz')) writeFileSync(plain, gunzipSync(readFileSync(path)))
      else copyFileSync(path, plain)
      yield row(path, { 'pigz -11': native('pigz', ['-11', '-n', '-k', '-f', plain], `${plain}.gz`) })
    }
    for (const path of [...files(join(corpus, 'science/hdf5'), 'h5'), ...files(join(corpus, 'science/netcdf'), 'nc')]) {
      const measured = ours(path)
      const signature = readFileSync(path).subarray(0, 4).toString('latin1')
      if (measured.outcome !== 'compressed' || signature !== '\x89HDF') continue
      const [a, b] = [fresh('h5repack.h5'), fresh('nccopy.nc')]
      const repacked = native('h5repack', ['-f', 'SHUF', '-f', 'GZIP=9', path, a], a)
      const copied = path.endsWith('.nc') ? { 'nccopy -d9 -s': native('nccopy', ['-d9', '-s', path, b], b) } : {}
      // The peers may enlarge small files; then the size of the input counts.
      const size = statSync(path).size
      const least = Object.fromEntries(
        Object.entries({ 'h5repack SHUF GZIP=9': repacked, ...copied }).map(([peer, made]) => [
          `${peer}, or as it was`,
          made && { ...made, bytes: Math.min(made.bytes, size) },
        ]),
      )
      yield { name: basename(path), ours: measured, peers: least }
    }
    for (const path of files(join(corpus, 'pointcloud/las'), 'las')) {
      const laz = fresh('laspy.laz')
      const lazrs = native('laspy', ['compress', path, '--output-path', laz, '--laz-backend', 'lazrs'], laz)
      yield row(path, { 'laspy, lazrs': lazrs })
    }
    if (existsSync(folder)) rmSync(folder, { recursive: true })
  },
}
