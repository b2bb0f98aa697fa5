/* Point formats 6 to 10: each field in a layer of its own, with a code stream. */
#ifndef LAZ_LAYERED_H
#define LAZ_LAYERED_H

#include "fields.h"
#include "layout.h"

enum { CHANNELS = 4, MAX_EXTRA = 1024 };

/* The layers of the core fields, in the order in which a chunk stores them; colour, infrared, waves and extra bytes
 * follow. */
enum {
  XY,
  Z,
  CLASSIFICATION,
  FLAGS,
  INTENSITY,
  SCAN_ANGLE,
  USER_DATA,
  SOURCE,
  TIME,
  CORE_LAYERS,
  MAX_LAYERS = CORE_LAYERS + 3 + MAX_EXTRA
};

/* One attribute's code stream within a chunk; stored empty when the attribute never changed. */
typedef struct {
  encoder e;
  u32 changed;
} layer;

/* All that is remembered of one scanner channel's core fields. */
typedef struct {
  model *changes[8], *channel_step, *return_step;
  bank returns, return_number, classification, flags, user_data;
  integers dx, dy, z, intensity, scan_angle, source;
  gps_time time;
  median median_x[12], median_y[12];
  i32 last_z[8];
  u32 last_intensity[8];
  const u8 *last; /* the channel's last point */
  u32 time_changed;
} channel;

/* What is remembered of one channel's other attributes. Version 3 has two quirks every reader shares, so a writer
 * must keep them: these attributes see the scanner channel only on the very point at which it changes and channel 0
 * otherwise; and on returning to a channel seen before they predict from, and then replace, the *previous*
 * channel's last value. */
typedef struct {
  colour rgb;
  model *nir_used, *nir_low, *nir_high, **extra;
  wave wave;
  const u8 *last;
} attributes;

typedef struct {
  layer layers[MAX_LAYERS];
  u32 layer_count;
  channel *channels[CHANNELS];
  u32 live[CHANNELS], current;
  attributes *attributes[CHANNELS];
  u32 attributes_live[CHANNELS], attributes_current;
} Layered;

/* Codes a chunk of records but the first, into `layers`. */
void layered_encode(Layered *la, const Layout *layout, const u8 *records, const u8 *end);

#endif
