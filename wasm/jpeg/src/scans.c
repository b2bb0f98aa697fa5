#include "scans.h"

#include "jpeg.h"
#include "tuning.h"

static void remember(const Coder *c, uint32_t row, ScanPlace *place) {
  place->row = row;
  place->run = c->run;
  place->noted = c->noted;
  place->previous = c->previous;
  place->waiting = c->waiting;
  memcpy(place->correction, c->correction, c->waiting);
}

/* Codes the rows from `w->place` on. If the buffer of recorded symbols is full, `place` becomes the first row that did
 * not fit. */
static void run_scan(ScanWriter *w, const Plane *plane, const Scan *scan, int made) {
  Coder *c = &w->coder;
  ScanPlace *place = &w->place;
  const Store *store = store_of(plane, made);
  /* zero blocks for rows that no scan of the source contained */
  uint8_t *empty = allocate_zeroed(plane->blocks_wide * 2);
  c->previous = place->previous;
  c->run = place->run;
  c->waiting = place->waiting;
  memcpy(c->correction, place->correction, place->waiting);
  for (uint32_t row = place->row; row < plane->blocks_high; row++) {
    const uint8_t *in = store->packed[row] ? store->packed[row] : empty;
    if (c->room) remember(c, row, place);
    code_row(c, scan, in, plane->blocks_wide);
  }
  if (c->room) remember(c, plane->blocks_high, place);
  end_run(c);
  free(empty);
}

static void put_notes(Coder *c, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t what = c->notes[i], bits = what & 0xFFFF;
    const int length = what >> 16 & 31, value = what >> 21 & 255;
    if (what & NOTE_ALONE) put_bits(c, bits, length);
    else put_bits(c, (uint32_t)c->code[value] << length | bits, c->length[value] + length);
  }
}

static void put_scan(ScanWriter *w, const Picture *picture, const Scan *scan, int made) {
  Coder *c = &w->coder;
  const Plane *plane = &picture->plane[scan->plane];
  memset(c, 0, sizeof *c);
  memset(&w->place, 0, sizeof w->place);
  c->lane = &w->lane;
  c->notes = w->notes;
  c->room = w->room;
  run_scan(w, plane, scan, made);
  put_table(c, scan->from > 0);
  put_scan_header(c->lane, picture, scan);
  c->emitting = 1;
  c->room = 0;
  put_notes(c, w->place.noted);
  run_scan(w, plane, scan, made);
  end_bits(c);
}

double write_scans(Jpeg *jpeg, int made, int headers, int counting) {
  ScanWriter *w = &jpeg->scan_writer;
  const Script *script = script_of(jpeg->scripts, &jpeg->picture, made);
  jpeg->output.only_counting = counting;
  jpeg->output.written = w->lane.filled = 0;
  w->lane.output = &jpeg->output;
  put_head(&w->lane, &jpeg->picture, made, headers);
  const uint32_t most = jpeg->packing.total + 64; /* one symbol takes at least one byte of packed rows */
  w->room = most < NOTES_MAX ? most : NOTES_MAX;
  w->notes = allocate(w->room * sizeof *w->notes);
  for (int i = 0; i < script->count; i++) put_scan(w, &jpeg->picture, &script->scan[i], made);
  free(w->notes);
  put_word(&w->lane, 0xFFD9);
  flush(&w->lane);
  return jpeg->output.written;
}
