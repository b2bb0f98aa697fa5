/** English messages of the audit of a receipt, by code. `{name}` stands for a parameter. */
export const AUDIT = {
  avif_cannot_be_decoded: 'the AVIF result cannot be decoded',
  document_may_not_be_rewritten: 'the document cannot be audited, because it is signed, encrypted or not readable',
  figures_of: 'quality figures of {id} files cannot be measured by the audit',
  files_differ: 'the original and the result differ: {difference}',
  noise_of: 'the signal-to-noise ratio of {output} audio cannot be measured by the audit',
  picture_changed_size: 'the image has {width}×{height} pixels in the original and {newWidth}×{newHeight} in the result',
  picture_of_inks_was_reduced: 'a CMYK image was downsampled, which the audit cannot measure',
  result_whose_rows_end_early: 'the image in the result has fewer rows than the original',
  sound_at_another_sample_rate: 'the result has a different audio sample rate than the original',
  sound_ends_early: 'the audio of one file ends before that of the other',
  sound_of_another_length: 'the result has a different audio duration than the original',
  webp_cannot_be_decoded: 'the WebP result cannot be decoded',
  what_renderer_cannot_draw: 'the SVG uses a feature that the renderer cannot draw',
} as const
