/** Values that several examples of `/openapi.json` share. */

export const TASK_ID = 'tsk_vZlKnlY1GFU0cnEaLZUrMnbi'
export const BATCH_ID = 'bat_vZlKnlY1GFU0cnEaLZUrMnbi'
export const UPLOAD_ID = 'upl_vZlKnlY1GFU0cnEaLZUrMnbi'
export const SYNC_ID = 'syn_vZlKnlY1GFU0cnEaLZUrMnbi'
export const CREATED = '2026-11-26T09:30:00.000Z'
export const COMPLETED = '2026-11-26T09:30:01.250Z'
export const EXPIRES = '2026-11-27T09:30:01.250Z'
export const SHA256 = '1c2b1904745b15ff5b4fd13b2090762b12d3d03b664e337f3e185ff8cff6f229'
export const ORIGINAL_SHA256 = '939835ac2e796665f9d7291782b751e900ee2d597cf178615cade2419b6476ea'

export const receipt = {
  outcome: 'compressed',
  fidelity: 'perceptual',
  verified: true,
  verified_share: 1,
  sha256: SHA256,
  original_sha256: ORIGINAL_SHA256,
  ssim: 0.9586,
  psnr_db: 36.23,
  measured_at: 'pixels',
  ssimulacra2: 73.1,
  inventory: { icc_profile: 1, exif_tag: 59, xmp_property: 16 },
  steps: ['chroma subsampled to 4:2:0', 'requantised to JPEG quality 75, trellis quantisation, progressive'],
}

/** Key and secret of pictures on the fly. */
export const IMAGE_KEY = 'img_vZlKnlY1GFU0cnEaLZUr'
export const IMAGE_SECRET = 'ims_Ufl1yGdw6wF4w0V5B9t0WfSgoWm2s7Yq3v0kF1d8T2A'
