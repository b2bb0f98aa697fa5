#include "recode.h"

#include "jpeg.h"

static void begin_reading(Jpeg *jpeg) {
  Recode *r = &jpeg->recode;
  memset(r->next_row, 0, sizeof r->next_row);
  r->packed_bytes = 0;
  if (r->coders) return;
  r->script = script_of(jpeg->scripts, &jpeg->picture, 0);
  r->coders = allocate_zeroed(r->script->count * sizeof *r->coders);
}

void recode_sample(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  const Jpeg *jpeg = context;
  const Plane *plane = &jpeg->picture.plane[store->plane];
  if (row < plane->blocks_high && row_is_scripted(plane, row)) store_put(store, row, blocks);
}

/* Codes a row for every scan of its plane. */
void recode_take(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  Jpeg *jpeg = context;
  Recode *r = &jpeg->recode;
  if (row >= jpeg->picture.plane[store->plane].blocks_high) return;
  if ((int)row != r->next_row[store->plane]++) host_fail(FAIL_UNSUPPORTED, "a component is scanned more than once");
  const uint8_t *packed;
  r->packed_bytes += pack_row(&jpeg->packing, blocks, store->blocks, &packed);
  for (int i = 0; i < r->script->count; i++)
    if (r->script->scan[i].plane == store->plane) code_row(&r->coders[i], &r->script->scan[i], packed, store->blocks);
}

static void check_complete(const Jpeg *jpeg) {
  for (int i = 0; i < jpeg->picture.planes; i++)
    if (jpeg->recode.next_row[i] != (int)jpeg->picture.plane[i].blocks_high)
      host_fail(FAIL_UNSUPPORTED, "a component without a scan");
}

int recode_next(Jpeg *jpeg) {
  Recode *r = &jpeg->recode;
  if (!r->coders) {
    begin_reading(jpeg);
    return r->script->count;
  }
  check_complete(jpeg);
  r->lanes = allocate_zeroed(r->script->count * sizeof *r->lanes);
  jpeg->output.only_counting = 0;
  jpeg->output.written = 0;
  for (int i = 0; i < r->script->count; i++) {
    Coder *c = &r->coders[i];
    end_run(c);
    c->emitting = 1;
    c->previous = 0;
    c->lane = &r->lanes[i];
    c->lane->output = &jpeg->output;
    c->lane->number = i + 1;
    put_table(c, r->script->scan[i].from > 0);
    put_scan_header(c->lane, &jpeg->picture, &r->script->scan[i]);
  }
  begin_reading(jpeg);
  return r->script->count;
}

void recode_end(Jpeg *jpeg) {
  Recode *r = &jpeg->recode;
  check_complete(jpeg);
  for (int i = 0; i < r->script->count; i++) {
    end_run(&r->coders[i]);
    end_bits(&r->coders[i]);
    flush(&r->lanes[i]);
  }
  Lane *head = &r->lanes[0];
  head->number = 0;
  put_head(head, &jpeg->picture, 0, 0);
  flush(head);
}
