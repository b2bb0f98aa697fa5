import type { AUDIT as AUDIT_EN } from '../en/audit.ts'

/** Simplified Chinese messages of the audit of a receipt, by code. `{name}` stands for a parameter. */
export const AUDIT = {
  avif_cannot_be_decoded: 'AVIF 结果无法解码',
  document_may_not_be_rewritten: '文档已签名、加密或不可读，无法核查',
  figures_of: '核查无法测量 {id} 文件的质量数值',
  files_differ: '原文件与结果不同：{difference}',
  noise_of: '核查无法测量 {output} 音频的信噪比',
  picture_changed_size: '图像在原文件中为 {width}×{height} 像素，在结果中为 {newWidth}×{newHeight}',
  picture_of_inks_was_reduced: 'CMYK 图像已缩小，核查无法测量',
  result_whose_rows_end_early: '结果中的图像行数少于原图像',
  sound_at_another_sample_rate: '结果的音频采样率与原文件不同',
  sound_ends_early: '其中一个文件的音频先于另一个结束',
  sound_of_another_length: '结果的音频时长与原文件不同',
  webp_cannot_be_decoded: 'WebP 结果无法解码',
  what_renderer_cannot_draw: 'SVG 使用了渲染器无法绘制的功能',
} as const satisfies { readonly [Code in keyof typeof AUDIT_EN]?: string }
