/*
 * Scans of rows that are held. Symbols are counted before they are written: they are noted down on the way, and rows for
 * which there was no room are gone through again.
 */
#include "coder.h"

/* Symbols that are noted down: 1 MB. */
#define NOTES_MAX (256 * 1024)
static const Store *store_of(const Plane *plane, int made) { return made ? plane->made : plane->read; }

/* What has to be known to go on with a row. */
typedef struct {
  uint32_t row, run, noted;
  int previous, waiting;
  uint8_t correction[WAITING_MAX + DCTSIZE2];
} Place;

static void remember(const Coder *c, uint32_t row, Place *place) {
  place->row = row;
  place->run = c->run;
  place->noted = c->noted;
  place->previous = c->previous;
  place->waiting = c->waiting;
  memcpy(place->correction, c->correction, c->waiting);
}

/* Goes through the rows from `place` on; where there was no room for notes any more, `place` becomes that row. */
static void run_scan(Coder *c, const Scan *scan, int made, Place *place) {
  const Plane *plane = &picture.plane[scan->plane];
  const Store *store = store_of(plane, made);
  uint8_t *empty = allocate_cleared(plane->blocks_wide * 2); /* what no scan of the original ever mentioned */
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

static Coder coder;

static void put_scan(const Scan *scan, int made, uint32_t *notes, uint32_t room) {
  static Place place;
  memset(&coder, 0, sizeof coder);
  memset(&place, 0, sizeof place);
  coder.notes = notes;
  coder.room = room;
  run_scan(&coder, scan, made, &place);
  put_table(&coder, scan->from > 0);
  put_scan_header(scan);
  coder.emitting = 1;
  coder.room = 0;
  put_notes(&coder, place.noted);
  run_scan(&coder, scan, made, &place);
  end_bits(&coder);
}

/* Progressive frame (B.2.2), scans, end. Returns the bytes; `counting` writes none. */
double write_scans(const Script *script, int made, int headers, int counting) {
  only_counting = counting;
  written = lane->filled = 0;
  put_head(made, headers);
  const uint32_t most = packed_bytes() + 64, room = most < NOTES_MAX ? most : NOTES_MAX; /* a symbol takes a byte or more of them */
  uint32_t *notes = allocate(room * sizeof *notes);
  for (int i = 0; i < script->count; i++) put_scan(&script->scan[i], made, notes, room);
  free(notes);
  put_word(0xFFD9);
  flush();
  return written;
}
