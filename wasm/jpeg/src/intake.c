#include "intake.h"

#include "jpeg.h"

/* FNV-1a hash, 64 bits: offset basis and prime. */
#define FNV_OFFSET 0xCBF29CE484222325ull
#define FNV_PRIME 0x100000001B3ull

void intake_begin(Intake *intake, int mode, int every) {
  intake->mode = mode;
  intake->every = every > 1 ? every : 1;
  memset(intake->next_row, 0, sizeof intake->next_row);
  for (int i = 0; i < PLANES; i++) intake->hash[i] = FNV_OFFSET;
}

/* ---- row callbacks ---- */

static void take_sample(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  const Jpeg *jpeg = context;
  if (row_is_sampled(&jpeg->picture.plane[store->plane], row, jpeg->intake.every)) store_put(store, row, blocks);
}

/* True if a row belongs to the picture. Fails if it is not the next row of its plane. */
static int is_next_row(Jpeg *jpeg, int plane, uint32_t row) {
  if (row >= jpeg->picture.plane[plane].blocks_high) return 0;
  if ((int)row != jpeg->intake.next_row[plane]++) host_fail(FAIL_UNSUPPORTED, "a component is scanned more than once");
  return 1;
}

static void take_stream(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  if (is_next_row(context, store->plane, row)) requantise_row(context, store->plane, row, blocks);
}

/* FNV-1a hash of packed bytes. Packing is canonical, so that equal hashes of packed rows mean equal coefficients. */
static uint64_t hash_bytes(uint64_t value, const uint8_t *bytes, uint32_t length) {
  for (uint32_t i = 0; i < length; i++) value = (value ^ bytes[i]) * FNV_PRIME;
  return value;
}

static void take_hash(void *context, Store *store, uint32_t row, JBLOCKROW blocks) {
  Jpeg *jpeg = context;
  if (!is_next_row(jpeg, store->plane, row)) return;
  const uint8_t *packed;
  const uint32_t length = pack_row(&jpeg->packing, blocks, store->blocks, &packed);
  uint64_t *hash = &jpeg->intake.hash[store->plane];
  *hash = hash_bytes(*hash, packed, length);
}

void intake_attach(Jpeg *jpeg, Store *store) {
  static Taker *const takers[] = {store_take, take_sample, take_stream, take_hash, recode_sample, recode_take};
  store->take = takers[jpeg->intake.mode];
  store->context = jpeg;
}

/* ---- intake modes ---- */

int intake_streams(const Intake *intake) { return intake->mode == INTAKE_STREAM; }
void intake_must_store(Intake *intake) { intake->mode = INTAKE_STORE; }

void intake_end(Jpeg *jpeg) {
  for (int i = 0; i < jpeg->picture.planes; i++)
    if (jpeg->picture.plane[i].read) store_flush(jpeg->picture.plane[i].read);
  if (intake_streams(&jpeg->intake)) requantise_end(jpeg);
}

uint32_t intake_digest(const Jpeg *jpeg, int index, int half) {
  const Plane *plane = &jpeg->picture.plane[index];
  uint64_t value = jpeg->intake.hash[index];
  if (jpeg->intake.mode != INTAKE_HASH)
    for (uint32_t row = 0; row < plane->blocks_high; row++)
      value = hash_bytes(value, plane->read->packed[row], plane->read->length[row]);
  value = hash_bytes(value, (const uint8_t *)plane->read_step, sizeof plane->read_step);
  return half ? value >> 32 : value;
}
