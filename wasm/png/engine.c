/* Passes: what happens to the rows of the source. */
#include "engine.h"

enum {
  DIGEST = 1,    /* a sum over all samples and their places, to compare pictures whatever their form */
  ROWS = 2,      /* rows to the host, in one of the forms below */
  ANALYSE = 3,   /* facts for plan() */
  ENCODE = 4,    /* rows packed as planned, filtered and deflated */
  HISTOGRAM = 5, /* colours and a sample of the picture, for the quantiser */
  REMAP = 6,     /* palette indices, filtered and deflated; quality measured */
  INDICES = 7,   /* palette indices to the host; quality measured */
  SURVEY = 8,    /* ANALYSE and HISTOGRAM at once */
  NEAR = 9,      /* rows near to the source's in the planned form, deflated; quality measured */
};
enum { FORM_NATIVE = 0, FORM_RGBA8 = 1, FORM_RGB8 = 2, FORM_GRAY8 = 3, FORM_RGBA16 = 4 };

static int mode, row_form;
static u8 *out_row, *index_row;
static u64 digest_sum;
static bool in_frame, fed_bytes;
static u32 frame_number;
static Measure *measure;
static Seen seen;

void source_frame(u32 width, u32 height); /* source.c */
bool source_complete(void);
void source_row(const u8 *row);

void *allocate(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) host_fail(FAIL_MEMORY, "no memory");
  return p;
}
void *zeroed(size_t bytes) {
  void *p = calloc(bytes, 1);
  if (!p) host_fail(FAIL_MEMORY, "no memory");
  return p;
}
Measure *new_measure(bool alpha) {
  const PixelFormat rgba = {4, false, alpha};
  return measure_begin(allocate(measure_bytes(source.width, rgba)), source.width, rgba);
}
EXPORT(alloc) u8 *host_alloc(u32 bytes) { return allocate(bytes); }
EXPORT(crc) u32 host_crc(u32 crc, const u8 *bytes, u32 count) { return crc32_of(crc, bytes, count); }

/* ---- what the file says about the picture; the host has checked it against W3C PNG, 11.2.1 ---- */

EXPORT(open) void open_picture(u32 width, u32 height, int colour_type, int depth, int interlace) {
  static const u8 channels[7] = {1, 0, 3, 1, 2, 0, 4};
  if (!width || !height || width > 1 << 20 || height > 1 << 24 || colour_type < 0 || colour_type > 6 || !channels[colour_type] ||
      source.width)
    host_fail(FAIL_MISUSE, "a picture that cannot be opened");
  source = (Source){.width = width, .height = height, .colour_type = colour_type, .depth = depth, .interlace = interlace};
  source.channels = channels[colour_type];
  source.pixel_bits = source.channels * depth;
  source.filter_bytes = (source.pixel_bits + 7) >> 3;
  for (int i = 0; i < 256; i++) source.palette[i] = 0xff000000u; /* an index without an entry reads as black */
  rgba_row = allocate((size_t)width * 4 + 64);
  layout_set(colour_type, depth);
}

EXPORT(set_palette) void set_palette(const u8 *rgb, u32 count) {
  if (count > 256) host_fail(FAIL_DAMAGED, "a palette with more than 256 colours");
  source.palette_size = count;
  for (u32 i = 0; i < count; i++)
    source.palette[i] = rgb[3 * i] | rgb[3 * i + 1] << 8 | rgb[3 * i + 2] << 16 | (source.palette[i] & 0xff000000u);
}
EXPORT(set_alpha) void set_alpha(const u8 *alpha, u32 count) {
  for (u32 i = 0; i < count && i < 256; i++) source.palette[i] = (source.palette[i] & 0xffffff) | (u32)alpha[i] << 24;
}
EXPORT(set_key) void set_key(u32 r, u32 g, u32 b) {
  source.has_key = true;
  source.key[0] = r, source.key[1] = g, source.key[2] = b;
}

/* ---- passes ---- */

static bool encodes(void) { return mode == ENCODE || mode == REMAP || mode == NEAR; }
static bool measures(void) { return mode == REMAP || mode == INDICES || mode == NEAR; }

EXPORT(begin) void begin(int wanted, int form, bool mute, bool alpha) {
  mode = wanted;
  row_form = form;
  in_frame = false;
  digest_sum = 0;
  frame_number = 0;
  if (mode == ANALYSE || mode == SURVEY) analyse_begin();
  if (mode == HISTOGRAM || mode == SURVEY) histogram_begin();
  if (encodes()) encode_begin(mute);
  if (measures()) {
    free(measure);
    measure = new_measure(alpha);
    look_begin(source.height, alpha, LOOK_SHADES | LOOK_SCORE);
    if (mode == NEAR) near_begin();
    else remap_begin();
  }
  free(out_row);
  free(index_row);
  out_row = allocate((size_t)source.width * 8 + 64);
  index_row = zeroed((size_t)source.width + 64);
}

EXPORT(frame) void frame(u32 width, u32 height) {
  if (in_frame) host_fail(FAIL_MISUSE, "a frame inside a frame");
  in_frame = true;
  fed_bytes = false;
  frame_number++;
  if (encodes()) encode_frame(width, height);
  source_frame(width, height);
}

EXPORT(feed) void feed(const u8 *bytes, u32 count) {
  if (!in_frame) host_fail(FAIL_MISUSE, "bytes outside a frame");
  fed_bytes = true;
  inflate_push(bytes, count);
}

EXPORT(take_row) void take_row(const u8 *row) {
  if (!in_frame || fed_bytes) host_fail(FAIL_MISUSE, "rows outside a frame");
  source_row(row);
}

EXPORT(frame_end) void frame_end(void) {
  if (!in_frame) host_fail(FAIL_MISUSE, "no frame to end");
  if (fed_bytes) inflate_end();
  if (!source_complete()) host_fail(FAIL_TRUNCATED, "fewer rows than the picture has");
  in_frame = false;
  if (encodes()) encode_frame_end();
  if (measure && measures()) {
    measure_break(measure);
    seen = look_result();
    look_end();
  }
}

void rows_begin(void) {
  if (encodes()) encode_rows_begin(rows.width);
}

static u64 mix(u64 v) { /* the finaliser of MurmurHash3 */
  v ^= v >> 33;
  v *= 0xff51afd7ed558ccdull;
  v ^= v >> 33;
  v *= 0xc4ceb9fe1a85ec53ull;
  return v ^ v >> 33;
}

static void digest_row(const u8 *row, u32 y) {
  u16 *px = (u16 *)out_row;
  to_rgba16(row, rows.width, px);
  const u64 line = mix((u64)frame_number << 32 | (rows.y0 + y * rows.dy));
  u64 sum = 0;
  for (u32 i = 0; i < rows.width; i++) {
    u64 colour;
    memcpy(&colour, px + 4 * i, 8);
    sum += mix(colour ^ (line + (u64)(rows.x0 + i * rows.dx) * 0x9E3779B97F4A7C15ull));
  }
  digest_sum += sum;
}

static void give_row(const u8 *row, u32 y) {
  const u32 n = rows.width;
  switch (row_form) {
    case FORM_NATIVE: host_row(row, rows.row_bytes, y); return;
    case FORM_RGBA8:
      to_rgba8(row, n, rgba_row);
      host_row((u8 *)rgba_row, n * 4, y);
      return;
    case FORM_RGB8:
      to_rgba8(row, n, rgba_row);
      for (u32 i = 0; i < n; i++) memcpy(out_row + 3 * i, rgba_row + i, 3);
      host_row(out_row, n * 3, y);
      return;
    case FORM_GRAY8:
      to_rgba8(row, n, rgba_row);
      for (u32 i = 0; i < n; i++) out_row[i] = rgba_row[i];
      host_row(out_row, n, y);
      return;
    case FORM_RGBA16:
      to_rgba16(row, n, (u16 *)out_row);
      host_row(out_row, n * 8, y);
      return;
  }
}

static void remap_one(const u8 *row, u32 y) {
  if (rows.width != source.width) host_fail(FAIL_MISUSE, "a palette for parts of a picture");
  const u32 n = rows.width;
  to_rgba8(row, n, rgba_row);
  remap_row(rgba_row, n, index_row);
  u32 *mapped = (u32 *)out_row;
  for (u32 i = 0; i < n; i++) mapped[i] = layout.palette[index_row[i]];
  measure_row(measure, rgba_row, mapped);
  look_row(rgba_row, mapped);
  if (mode == INDICES) {
    host_row(index_row, n, y);
    return;
  }
  pack_indices(index_row, n, out_row);
  encode_row(out_row);
}

static void near_one(const u8 *row) {
  if (rows.width != source.width) host_fail(FAIL_MISUSE, "a picture near to parts of another");
  to_rgba8(row, rows.width, rgba_row);
  u32 *shown = (u32 *)out_row;
  encode_filtered(near_row(rgba_row, rows.width, shown));
  measure_row(measure, rgba_row, shown);
  look_row(rgba_row, shown);
}

void row_arrived(const u8 *row, u32 y) {
  switch (mode) {
    case DIGEST: digest_row(row, y); break;
    case ROWS: give_row(row, y); break;
    case ANALYSE: analyse_row(row); break;
    case ENCODE:
      pack_row(row, rows.width, out_row);
      encode_row(out_row);
      break;
    case SURVEY: analyse_row(row); /* fall through */
    case HISTOGRAM:
      to_rgba8(row, rows.width, rgba_row);
      histogram_row(rgba_row, rows.width, y);
      break;
    case REMAP:
    case INDICES: remap_one(row, y); break;
    case NEAR: near_one(row); break;
    default: host_fail(FAIL_MISUSE, "no pass was begun");
  }
}

/* ---- answers ---- */

EXPORT(digest) u64 digest(void) { return digest_sum; }
EXPORT(encoded) double encoded(void) { return (double)encoded_bytes; }
/* 0 colour type, 1 depth, 2 palette entries, 3 has a key, 4-6 the key; 16 + i the palette. */
EXPORT(layout_fact) u32 layout_fact(int what) {
  switch (what) {
    case 0: return layout.colour_type;
    case 1: return layout.depth;
    case 2: return layout.colour_type == INDEXED ? layout.palette_size : 0;
    case 3: return layout.has_key;
    case 4:
    case 5:
    case 6: return layout.key[what - 4];
    default: return what >= 16 && what < 272 ? layout.palette[what - 16] : 0;
  }
}
/* 0 opaque, 1 grey, 2 colours (257: more), 3 sixteen bits needed. */
EXPORT(fact) u32 fact(int what) {
  switch (what) {
    case 0:
      return source.depth == 16 && !facts.bytes_equal ? !(source.has_key || ((source.colour_type & 4) && !facts.opaque16)) : facts.opaque;
    case 1: return source.depth == 16 && !facts.bytes_equal ? !(source.colour_type & 2) || facts.gray16 : facts.gray;
    case 2: return facts.colours;
    case 3: return source.depth == 16 && !facts.bytes_equal;
    default: return 0;
  }
}
/* Quality of the last REMAP, INDICES or NEAR pass: 0 SSIM, 1 luma MSE, 2 RGB MSE, 3 and 4 those of the worst block, 6 SSIMULACRA 2.1,
 * 7 colour cast, 8 steps, 9 bands, 10 specks, 11 SSIMULACRA 2.1 of the worst tile. */
EXPORT(quality) double quality(int what) {
  if (!measure) return 0;
  if (what >= 6) return seen_fact(&seen, what);
  Quality q = measure_result(measure);
  return what == 0 ? q.ssim : what == 1 ? q.luma_mse : what == 2 ? q.rgb_mse : what == 3 ? q.block_luma_mse : q.block_rgb_mse;
}
