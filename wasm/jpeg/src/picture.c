/* What is being worked on, and what becomes of its block rows as they come in. */
#include "engine.h"

Picture picture;

static uint32_t share(uint32_t samples, int factor, int max) { return ((uint64_t)samples * factor + max - 1) / max; }

/* Sampling factors give the planes' sizes (ITU-T T.81, A.1.1); steps and stores come later. */
void picture_from(uint32_t width, uint32_t height, int planes, J_COLOR_SPACE colour, const jpeg_component_info *components) {
  if (planes < 1 || planes > PLANES) fail(FAIL_UNSUPPORTED, "more than four components");
  memset(&picture, 0, sizeof picture);
  picture.width = width;
  picture.height = height;
  picture.planes = planes;
  picture.colour = colour;
  for (int i = 0; i < planes; i++) {
    if (components[i].h_samp_factor > picture.h_max) picture.h_max = components[i].h_samp_factor;
    if (components[i].v_samp_factor > picture.v_max) picture.v_max = components[i].v_samp_factor;
  }
  static const double rgb_weight[3] = {0.299, 0.587, 0.114};
  for (int i = 0; i < planes; i++) {
    Plane *plane = &picture.plane[i];
    plane->id = components[i].component_id;
    plane->h = components[i].h_samp_factor;
    plane->v = components[i].v_samp_factor;
    plane->width = share(width, plane->h, picture.h_max);
    plane->height = share(height, plane->v, picture.v_max);
    plane->blocks_wide = (plane->width + 7) / 8;
    plane->blocks_high = (plane->height + 7) / 8;
    const int has_chroma = colour == JCS_YCbCr || colour == JCS_YCCK;
    plane->chroma = has_chroma && (i == 1 || i == 2);
    plane->measured = !plane->chroma;
    plane->weight = (colour == JCS_RGB || colour == JCS_CMYK) && i < 3 ? rgb_weight[i] : 1;
  }
}

void picture_clear(void) {
  for (int i = 0; i < picture.planes; i++) {
    store_free(picture.plane[i].read);
    store_free(picture.plane[i].made);
  }
  memset(&picture, 0, sizeof picture);
}

/* ---- intake ---- */

static int mode, every, next_row[PLANES];
static uint64_t hash[PLANES];

void EXPORT(intake_mode)(int wanted, int sample_every) {
  mode = wanted;
  every = sample_every > 1 ? sample_every : 1;
  memset(next_row, 0, sizeof next_row);
  for (int i = 0; i < PLANES; i++) hash[i] = 0xCBF29CE484222325ull;
}

/*
 * Whether a row belongs to the sample: of every `every` pairs of MCU rows the middle one, so that the planes are sampled
 * at the same places and a pair has enough lines for the SSIM window. Small planes are taken whole.
 */
int row_is_sampled(const Plane *plane, uint32_t row, int sample_every) {
  const uint32_t pair = row / (plane->v * 2);
  return sample_every <= 1 || plane->blocks_high <= 32 || pair % sample_every == (uint32_t)sample_every / 2;
}

static void take_sample(Store *store, uint32_t row, JBLOCKROW blocks) {
  if (row_is_sampled(&picture.plane[store->plane], row, every)) store_put(store, row, blocks);
}

static void in_order(int plane, uint32_t row) {
  if ((int)row != next_row[plane]++) fail(FAIL_UNSUPPORTED, "a component is scanned more than once");
}

static void take_stream(Store *store, uint32_t row, JBLOCKROW blocks) {
  if (row >= picture.plane[store->plane].blocks_high) return;
  in_order(store->plane, row);
  requantise_row(store->plane, row, blocks);
}

/* FNV-1a over packed rows: packing is canonical, so equal hashes mean equal coefficients. */
static uint64_t hash_bytes(uint64_t value, const uint8_t *bytes, uint32_t length) {
  for (uint32_t i = 0; i < length; i++) value = (value ^ bytes[i]) * 0x100000001B3ull;
  return value;
}

static void take_hash(Store *store, uint32_t row, JBLOCKROW blocks) {
  if (row >= picture.plane[store->plane].blocks_high) return;
  in_order(store->plane, row);
  const uint8_t *packed;
  const uint32_t length = pack_row(blocks, store->blocks, &packed);
  hash[store->plane] = hash_bytes(hash[store->plane], packed, length);
}

void intake_attach(Store *store) {
  static Taker *const takers[] = {store_put, take_sample, take_stream, take_hash, recode_sample, recode_take};
  store->take = takers[mode];
}

/* Progressive pictures come several times over; only what stands at the end counts, so they are stored. */
int EXPORT(intake_streams)(void) { return mode == INTAKE_STREAM; }
void intake_must_store(void) { mode = INTAKE_STORE; }

void intake_end(void) {
  for (int i = 0; i < picture.planes; i++) if (picture.plane[i].read) store_flush(picture.plane[i].read);
  if (mode == INTAKE_STREAM) requantise_end();
}

/* Hash of the coefficients as read and their steps: half 0 or 1 of plane `index`. */
uint32_t EXPORT(digest)(int index, int half) {
  const Plane *plane = &picture.plane[index];
  uint64_t value = hash[index];
  if (mode != INTAKE_HASH)
    for (uint32_t row = 0; row < plane->blocks_high; row++) value = hash_bytes(value, plane->read->packed[row], plane->read->length[row]);
  value = hash_bytes(value, (const uint8_t *)plane->read_step, sizeof plane->read_step);
  return half ? value >> 32 : value;
}

/* Facts for the host. */
double EXPORT(info)(int what, int index) {
  switch (what) {
    case 0: return picture.width;
    case 1: return picture.height;
    case 2: return picture.planes;
    case 3: return picture.colour;
    case 4: return picture.plane[index].h;
    case 5: return picture.plane[index].v;
    case 6: return packed_bytes();
    case 7: return picture.plane[index].id;
    case 8: return mode == INTAKE_STREAM;
    default: return 0;
  }
}

/* Frees what was read (0) or made (1). */
void EXPORT(release)(int which) {
  for (int i = 0; i < picture.planes; i++) {
    Store **store = which ? &picture.plane[i].made : &picture.plane[i].read;
    store_free(*store);
    *store = NULL;
  }
}
