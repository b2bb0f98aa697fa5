/* Compresses chunks of LAS point records into LAZ chunks: point formats 0–5 pointwise (LASzip's items of version
 * 2, wave packets of version 1), 6–10 in layers (version 3). Written from the behaviour of the format; its
 * constants, models and contexts are LASzip's (M. Isenburg). One job at a time, and one layout per instance.
 *
 * Layers: laz.c calls pointwise.c and layered.c; both call fields.c; all call coder.c. */
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
  u32 streams[2 * MAX_LAYERS]; /* of every code stream of the last chunk: address and length */
  integers sizes;              /* of the table of chunk sizes */
  encoder sizes_encoder;
} Laz;

/* An instance does one job. */
static Laz laz;

EXPORT(streams_at) u32 *streams_at(void) { return laz.streams; }

/* Once per instance: says what a record holds and how many bytes of records a chunk has at most. Returns where the
 * host puts them; 0: there is no such layout. */
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

/* Compresses the records put in place. The first one stays as it is, and the host stores it. Returns the number of
 * code streams behind it (streams_at), which last until the next call; 0: not whole records, or too many. */
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

/* Compresses the table of chunk sizes put where the records go, without its own header: every size is predicted by
 * the one before, in context 1. Makes one code stream (streams_at). Returns 0: too many. */
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
