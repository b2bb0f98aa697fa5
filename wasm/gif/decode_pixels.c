#include "decode_pixels.h"

#include <string.h>
#include <wasm_simd128.h>

#include "../common/host.h"

void pixels_begin(Decoder *d, int code_size) {
  LzwReader *lzw = &d->lzw;
  lzw->code_size = code_size;
  lzw->clear_code = 1 << code_size;
  lzw->next_code = lzw->clear_code + 2;
  lzw->code_bits = code_size + 1;
  lzw->old_code = -1;
  lzw->bit_buffer = lzw->bit_count = 0;
  lzw->ended = false;
  for (int i = 0; i < lzw->clear_code && i < LZW_CODES; i++) {
    lzw->tail[i] = lzw->first_pixel[i] = i;
    lzw->length[i] = 1;
  }
  d->pixel_at = 0;
  d->pending_count = 0;
  d->pass_start = 0;
  d->pass_step = d->is_interlaced ? 8 : 1;
  d->line = 0;
  d->numbers = d->local_size ? d->local_numbers : d->global_numbers;
}

/* Moves to the next row. Interlaced order (GIF89a appendix E): rows 0 8 16 …, 4 12 …, 2 6 …, 1 3 … */
static void next_line(Decoder *d) {
  d->line += d->pass_step;
  while (d->is_interlaced && d->line >= d->frame.h && d->pass_step > 1) {
    if (d->pass_start == 0) {
      d->pass_start = 4;
    } else {
      d->pass_step >>= 1;
      d->pass_start = d->pass_step >> 1;
    }
    d->line = d->pass_start;
  }
}

/* Paints a row of indices onto the canvas, sixteen pixels at a time. */
static void put_row(Decoder *d, const u8 *row) {
  const int width = d->frame.w, transparent = d->transparent;
  if (d->recoder->mode) {
    recode_row(d->recoder, row, width);
    return;
  }
  const size_t from = (size_t)(d->frame.y + d->line) * d->canvas->width + d->frame.x;
  const u16 *numbers = d->numbers;
  u16 *out = d->canvas->numbers + from;
  u8 *painted = d->canvas->keeps_painted ? d->canvas->painted : NULL;
  const v128_t clear = wasm_i8x16_splat(transparent);
  int x = 0;
  for (; x + 16 <= width; x += 16) {
    const u32 paints = transparent < 0 ? 65535 : wasm_i8x16_bitmask(wasm_i8x16_ne(wasm_v128_load(row + x), clear));
    if (!paints) continue;
    if (paints == 65535)
      for (int k = x; k < x + 16; k++) out[k] = numbers[row[k]];
    else
      for (u32 left = paints; left; left &= left - 1)
        out[x + __builtin_ctz(left)] = numbers[row[x + __builtin_ctz(left)]];
    if (painted) {
      u8 *at = painted + ((from + x) >> 3);
      const u32 bits = paints << ((from + x) & 7);
      at[0] |= bits, at[1] |= bits >> 8, at[2] |= bits >> 16;
    }
  }
  for (; x < width; x++) {
    if (row[x] == transparent) continue;
    out[x] = numbers[row[x]];
    if (painted) painted[(from + x) >> 3] |= 1 << ((from + x) & 7);
  }
  next_line(d);
}

/* Adds code `longer` to the LZW table: the phrase of `code` followed by `pixel`. */
static void phrase_add(LzwReader *lzw, int longer, int code, u8 pixel) {
  const u32 n = lzw->length[code], shift = (n & 7) * 8;
  lzw->length[longer] = n + 1;
  lzw->first_pixel[longer] = lzw->first_pixel[code];
  lzw->tail[longer] = shift ? lzw->tail[code] | (u64)pixel << shift : pixel;
  lzw->before_tail[longer] = shift ? lzw->before_tail[code] : code;
}

/* Expands a phrase from its last eight pixels to its first, and outputs full rows. */
static void put_phrase(Decoder *d, int code) {
  const LzwReader *lzw = &d->lzw;
  const u32 width = d->frame.w, total = width * (u32)d->frame.h;
  u32 count = lzw->length[code], at = count;
  u8 *to = d->pending + d->pending_count;
  if (at & 7) {
    at &= ~7u;
    memcpy(to + at, &lzw->tail[code], 8); /* may write up to seven bytes past the phrase */
    code = lzw->before_tail[code];
  }
  for (; at; code = lzw->before_tail[code]) memcpy(to + (at -= 8), &lzw->tail[code], 8);
  if (count > total - d->pixel_at) count = total - d->pixel_at;
  d->pixel_at += count;
  d->pending_count += count;
  u32 from = 0;
  for (; d->pending_count - from >= width; from += width) put_row(d, d->pending + from);
  if (from) memmove(d->pending, d->pending + from, d->pending_count -= from);
}

static void take_code(Decoder *d, int code) {
  LzwReader *lzw = &d->lzw;
  if (code == lzw->clear_code) {
    lzw->next_code = lzw->clear_code + 2;
    lzw->code_bits = lzw->code_size + 1;
    lzw->old_code = -1;
    return;
  }
  if (code == lzw->clear_code + 1) {
    lzw->ended = true;
    return;
  }
  /* more pixels than the descriptor declares: ignored, as viewers do */
  if (d->pixel_at >= (u32)d->frame.w * d->frame.h) return;
  if (lzw->old_code < 0) {
    if (code >= lzw->clear_code) host_fail(FAIL_DAMAGED, "an LZW code before its table");
    put_phrase(d, code);
    lzw->old_code = code;
    return;
  }
  if (code > lzw->next_code) host_fail(FAIL_DAMAGED, "an LZW code that does not exist yet");
  if (lzw->next_code < LZW_CODES) {
    /* If the code is not in the table yet, its phrase ends with its own first pixel. */
    const u8 pixel = lzw->first_pixel[code == lzw->next_code ? lzw->old_code : code];
    phrase_add(lzw, lzw->next_code, lzw->old_code, pixel);
    if (++lzw->next_code == 1 << lzw->code_bits && lzw->code_bits < LZW_CODE_BITS) lzw->code_bits++;
  }
  put_phrase(d, code);
  lzw->old_code = code;
}

void pixels_take(Decoder *d, const u8 *bytes, u32 count) {
  LzwReader *lzw = &d->lzw;
  for (u32 i = 0; i < count && !lzw->ended; i++) {
    lzw->bit_buffer |= (u32)bytes[i] << lzw->bit_count;
    lzw->bit_count += 8;
    while (lzw->bit_count >= (u32)lzw->code_bits && !lzw->ended) {
      const int code = lzw->bit_buffer & ((1 << lzw->code_bits) - 1);
      lzw->bit_buffer >>= lzw->code_bits;
      lzw->bit_count -= lzw->code_bits;
      take_code(d, code);
    }
  }
}
