#include "sample.h"

#include "tuning.h"

void sample_begin(Sample *s, const Picture *p) {
  hard_blocks_begin(&s->hard, p);
  free(s->pixels);
  u32 room = SAMPLE_PIXELS / p->width;
  if (room < SAMPLE_LEAST_ROWS) room = SAMPLE_LEAST_ROWS;
  if (room > p->height) room = p->height;
  s->width = p->width;
  s->group_rows = room < SAMPLE_GROUP_ROWS ? room : SAMPLE_GROUP_ROWS;
  s->groups = (p->height + s->group_rows - 1) / s->group_rows;
  s->groups_wanted = room == p->height ? s->groups : room / s->group_rows;
  s->room = room;
  s->rows = 0;
  s->alpha = OPAQUE;
  s->pixels = allocate((size_t)room * p->width * 4);
}

void sample_row(Sample *s, const u32 *px, u32 width, u32 y) {
  hard_blocks_row(&s->hard, px, s->width, y);
  const u64 group = y / s->group_rows;
  if (group && group * s->groups_wanted / s->groups == (group - 1) * s->groups_wanted / s->groups) return;
  if (s->rows >= s->room) return;
  memcpy(s->pixels + (size_t)s->rows++ * s->width, px, (size_t)width * 4);
  u32 alpha = s->alpha;
  for (u32 i = 0; i < width; i++) alpha &= px[i];
  s->alpha = alpha;
}
