/* LAZ encoder: compresses chunks of LAS point records. Point formats 0–5 are coded point by point (LASzip items of
 * version 2, wave packets of version 1), formats 6–10 in layers (version 3). Reimplemented from the behaviour of the
 * format; constants, models and contexts are LASzip's (M. Isenburg). One job and one layout per instance. Layers: laz.c
 * calls pointwise.c and layered.c; both call fields.c; all call coder.c. */
#include "../common/host.h"
#include "coder.h"
#include "fields.h"
#include "layered.h"
#include "layout.h"
#include "pointwise.h"

typedef struct {
  Layout layout;
  Pointwise pointwise;
  Layered layered;
  u8 *records;
  u32 records_room;
  u32 streams[2 * MAX_LAYERS]; /* address and length of each code stream of the last chunk */
  integers sizes;              /* coder for the table of chunk sizes */
  encoder sizes_encoder;
} Laz;

/* An instance does one job, so that global state is safe. */
static Laz laz;

EXPORT(streams_at) u32 *streams_at(void) { return laz.streams; }

/* Sets the record layout and `room`, the largest number of record bytes in a chunk. Called once per instance. Returns
 * the address where the host writes records; 0: invalid layout. */
EXPORT(begin) u8 *begin(u32 layered, u32 time, u32 rgb, u32 nir, u32 wave, u32 extra, u32 room) {
  Laz *z = &laz;
  if (z->records || extra > MAX_EXTRA || (layered && time) || (nir && !(layered && rgb))) return 0;
  const u32 core = layered ? 30 : 20;
  const u32 record = core + (time ? 8 : 0) + (rgb ? 6 : 0) + (nir ? 2 : 0) + (wave ? WAVE_BYTES : 0) + extra;
  z->layout = (Layout){layered, time, rgb, nir, wave, extra, record};
  z->records = allocate(room);
  z->records_room = room;
  if (layered) z->layered.layer_count = CORE_LAYERS + rgb + nir + wave + extra;
  else pointwise_begin(&z->pointwise, &z->layout);
  return z->records;
}

/* Encodes the records in the buffer. The host stores the first one uncompressed. Returns the number of code streams
 * (streams_at), which are valid until the next call; 0: incomplete or too many records. */
EXPORT(encode) u32 encode(u32 bytes) {
  Laz *z = &laz;
  const u8 *records = z->records;
  if (bytes == 0 || bytes > z->records_room || bytes % z->layout.record) return 0;
  const u32 layered = z->layout.layered, count = layered ? z->layered.layer_count : 1;
  if (layered) layered_encode(&z->layered, &z->layout, records, records + bytes);
  else pointwise_encode(&z->pointwise, &z->layout, records, records + bytes);
  for (u32 i = 0; i < count; i++) {
    encoder *e = layered ? &z->layered.layers[i].e : &z->pointwise.e;
    z->streams[2 * i + 1] = layered && !z->layered.layers[i].changed ? 0 : encoder_finish(e);
    z->streams[2 * i] = (u32)e->buffer;
  }
  return count;
}

/* Encodes the table of chunk sizes in the record buffer, without its header. Each size is predicted by the one before,
 * in context 1. Produces one code stream (streams_at). Returns 0 if there are too many. */
EXPORT(encode_table) u32 encode_table(u32 count) {
  Laz *z = &laz;
  const u8 *table = z->records;
  if (count > z->records_room / 4) return 0;
  integers_begin(&z->sizes, &z->sizes_encoder, 32, 2);
  encoder_reset(&z->sizes_encoder);
  integers_reset(&z->sizes);
  for (u32 i = 0; i < count; i++) {
    const i32 before = i == 0 ? 0 : i32_at(table + 4 * i - 4);
    compress32(&z->sizes, before, i32_at(table + 4 * i), 1);
  }
  z->streams[1] = encoder_finish(&z->sizes_encoder);
  z->streams[0] = (u32)z->sizes_encoder.buffer;
  return 1;
}
