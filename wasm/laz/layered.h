/* Encoder for point formats 6 to 10: each field is a layer with its own code stream. */
#ifndef LAZ_LAYERED_H
#define LAZ_LAYERED_H

#include "fields.h"
#include "layout.h"

enum { CHANNELS = 4, MAX_EXTRA = 1024 };

/* Layers of the core fields in the order of a chunk. Layers for colour, infrared, wave packets and extra bytes
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

/* Code stream of one attribute within a chunk. It is stored empty if the attribute never changes. */
typedef struct {
  encoder e;
  u32 changed;
} layer;

/* Coder state of one scanner channel's core fields. */
typedef struct {
  model *changes[8], *channel_step, *return_step;
  bank returns, return_number, classification, flags, user_data;
  integers dx, dy, z, intensity, scan_angle, source;
  gps_time time;
  median median_x[12], median_y[12];
  i32 last_z[8];
  u32 last_intensity[8];
  const u8 *last; /* last point of this scanner channel */
  u32 time_changed;
} channel;

/* Coder state of one channel's other attributes. Readers of version 3 share two quirks, which the encoder must
 * reproduce. First, these attributes use the scanner channel only at the point where it changes, and channel 0
 * otherwise. Second, on returning to a known channel they predict from, and then replace, the last value of the
 * previous channel. */
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

/* Encodes all records of a chunk except the first into `layers`. */
void layered_encode(Layered *la, const Layout *layout, const u8 *records, const u8 *end);

#endif
