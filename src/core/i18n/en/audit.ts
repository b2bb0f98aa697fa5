/** English messages of the check of a receipt, by code. `{name}` stands for a parameter. */
export const AUDIT = {
  avif_cannot_be_decoded: 'an AVIF that cannot be decoded',
  document_may_not_be_rewritten: 'a document that may not be rewritten',
  figures_of: 'the figures of {id}',
  files_differ: '{difference}',
  flac_cannot_be_decoded: 'FLAC that cannot be decoded',
  noise_of: 'the noise of {output}',
  picture_changed_size: 'a picture of {width}×{height} that became one of {newWidth}×{newHeight}',
  picture_of_inks_was_reduced: 'a picture of inks that was reduced',
  result_whose_rows_end_early: 'a result whose rows end early',
  sound_at_another_sample_rate: 'sound at another sample rate',
  sound_ends_early: 'sound that ends early',
  sound_of_another_length: 'sound of another length',
  webp_cannot_be_decoded: 'a WebP that cannot be decoded',
  what_renderer_cannot_draw: 'what the renderer cannot draw',
} as const
