/*
 * The same coefficients in other scans, of a file that is read three times and never held: for the rows by which a script
 * is chosen, for the symbols of all scans, and to write all of them side by side. What is held is a row of blocks for each
 * plane, a coder for each scan, and what the host keeps of what is written.
 */
#include "coder.h"

static const Script *script;
static Coder *coders; /* one for each scan */
static Lane *lanes;
static double packed_seen;
static int next_row[PLANES];

static void begin_reading(void) {
  memset(next_row, 0, sizeof next_row);
  packed_seen = 0;
  if (coders) return;
  script = script_of(0);
  coders = allocate_cleared(script->count * sizeof *coders);
}

/* Of the first reading. */
void recode_sample(Store *store, uint32_t row, JBLOCKROW blocks) {
  const Plane *plane = &picture.plane[store->plane];
  if (row < plane->blocks_high && row_is_scripted(plane, row)) store_put(store, row, blocks);
}

/* Of the others: a row, as part of every scan of its plane. */
void recode_take(Store *store, uint32_t row, JBLOCKROW blocks) {
  if (row >= picture.plane[store->plane].blocks_high) return;
  if ((int)row != next_row[store->plane]++) fail(FAIL_UNSUPPORTED, "a component is scanned more than once");
  const uint8_t *packed;
  packed_seen += pack_row(blocks, store->blocks, &packed);
  for (int i = 0; i < script->count; i++) {
    if (script->scan[i].plane != store->plane) continue;
    if (lanes) lane = &lanes[i];
    code_row(&coders[i], &script->scan[i], packed, store->blocks);
  }
}

static void check_complete(void) {
  for (int i = 0; i < picture.planes; i++)
    if (next_row[i] != (int)picture.plane[i].blocks_high) fail(FAIL_UNSUPPORTED, "a component without a scan");
}

/* After the first reading: a script. Between the second and the third: tables. `recode_end` follows the third. Returns the number of lanes. */
int EXPORT(recode_next)(void) {
  if (!coders) {
    begin_reading();
    return script->count;
  }
  check_complete();
  lanes = allocate_cleared(script->count * sizeof *lanes);
  only_counting = 0;
  written = 0;
  for (int i = 0; i < script->count; i++) {
    Coder *c = &coders[i];
    end_run(c);
    c->emitting = 1;
    c->previous = 0;
    lane = &lanes[i];
    lane->number = i + 1;
    put_table(c, script->scan[i].from > 0);
    put_scan_header(&script->scan[i]);
  }
  begin_reading();
  return script->count;
}

/* Ends all scans, and writes the head as lane 0; an end marker belongs after all. */
void EXPORT(recode_end)(void) {
  check_complete();
  for (int i = 0; i < script->count; i++) {
    lane = &lanes[i];
    end_run(&coders[i]);
    end_bits(&coders[i]);
    flush();
  }
  lane = &lanes[0];
  lane->number = 0;
  put_head(0, 0);
  flush();
}

/* Bytes that a reader who has to hold the coefficients packs them into. */
double EXPORT(recode_packed)(void) { return packed_seen; }
