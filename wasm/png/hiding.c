#include "hiding.h"

#include "tuning.h"

void hiding_begin(Hiding *h, u32 width) {
  if (!h->hidden) {
    if (!texture_open(&h->texture, width)) host_fail(FAIL_MEMORY, "no memory for texture");
    h->hidden = allocate_zeroed((size_t)width + 32);
    h->bent = allocate_zeroed(width);
    h->hidden_above = allocate_zeroed((size_t)width + 32);
    h->bends_up_to = allocate_zeroed(((size_t)width + 2 * REACH + 1) * sizeof *h->bends_up_to);
  }
  texture_break(&h->texture);
}

void hiding_row(Hiding *h, const u32 *px, u32 width) {
  texture_row(&h->texture, px, width);
  u8 *const hidden = h->hidden_above, *const above = h->hidden, *const bent = h->bent;
  h->hidden_above = above;
  h->hidden = hidden;
  const u8 *bends = h->texture.bends;
  const bool has_above = h->texture.rows > 1;
  u32 sum = 0, *to = h->bends_up_to + REACH; /* to[i]: sum of the bends (texture.h) of all pixels before i */
  for (u32 i = 0; i < width; i++) {
    to[i] = sum;
    sum += bends[i] < MOST_BEND ? bends[i] : MOST_BEND;
  }
  /* beyond the edges there is no texture, so that nothing is masked */
  for (u32 i = 0; i <= REACH; i++) to[width + i] = sum, h->bends_up_to[i] = 0;
  for (u32 i = 0; i < width; i++) {
    const i32 left = to[i + 1] - to[(i32)i + 1 - REACH], right = to[i + REACH] - to[i];
    const i32 least = left < right ? left : right;
    bent[i] = least > 255 ? 255 : least;
    i32 here = (least - QUIET_BENDS) * 255 / HIDING_BENDS;
    here = here < 0 ? 0 : here > 255 ? 255 : here;
    if (has_above) here = here < above[i] + HIDING_RISE ? here : above[i] + HIDING_RISE;
    else here = 0;
    hidden[i] = here > 255 ? 255 : here;
  }
}
