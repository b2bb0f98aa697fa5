/* Functions that the host calls. Owns the single engine instance. Numbers of modes and facts are the same as in
 * engine.ts. */
#include "png.h"

#include "palette_order.h"

static Png png;

EXPORT(alloc) u8 *export_alloc(u32 bytes) { return allocate(bytes); }
EXPORT(crc) u32 export_crc(u32 crc, const u8 *bytes, u32 count) { return crc32_of(&png.crc, crc, bytes, count); }

/* ---- properties of the picture; the host has checked them against W3C PNG, 11.2.1 ---- */

#define WIDEST (1 << 20)
#define HIGHEST (1 << 24)

EXPORT(open) void export_open(u32 width, u32 height, int colour_type, int depth, int interlace) {
  Picture *p = &png.source.picture;
  const bool fits = width && height && width <= WIDEST && height <= HIGHEST;
  if (!fits || colour_type < 0 || colour_type > 6 || !channels_of_type[colour_type] || p->width)
    host_fail(FAIL_MISUSE, "a picture that cannot be opened");
  *p = (Picture){.width = width, .height = height, .colour_type = colour_type, .depth = depth, .interlace = interlace};
  p->channels = channels_of_type[colour_type];
  p->pixel_bits = p->channels * depth;
  p->filter_bytes = (p->pixel_bits + 7) >> 3;
  /* default entry: a palette index out of range reads as opaque black */
  for (int i = 0; i < 256; i++) p->palette[i] = OPAQUE;
  png.source.taker = (RowTaker){.rows_begin = pass_rows_begin, .row = pass_row, .context = &png};
  png.rgba_row = allocate((size_t)width * 4 + 64);
  layout_set(&png.layout, colour_type, depth);
}

EXPORT(set_palette) void export_set_palette(const u8 *rgb, u32 count) {
  Picture *p = &png.source.picture;
  if (count > 256) host_fail(FAIL_DAMAGED, "a palette with more than 256 colours");
  p->palette_size = count;
  for (u32 i = 0; i < count; i++)
    p->palette[i] = rgb[3 * i] | rgb[3 * i + 1] << 8 | rgb[3 * i + 2] << 16 | (p->palette[i] & OPAQUE);
}

EXPORT(set_alpha) void export_set_alpha(const u8 *alpha, u32 count) {
  Picture *p = &png.source.picture;
  for (u32 i = 0; i < count && i < 256; i++) p->palette[i] = (p->palette[i] & COLOUR_MASK) | (u32)alpha[i] << 24;
}

EXPORT(set_key) void export_set_key(u32 r, u32 g, u32 b) {
  Picture *p = &png.source.picture;
  p->has_key = true;
  p->key[0] = r, p->key[1] = g, p->key[2] = b;
}

/* ---- compression settings ---- */

EXPORT(effort)
void export_effort(int level, int trial_level, u32 strategies, u32 band_bytes, int passes, bool sparse) {
  encode_set_effort(&png.encoder, (Effort){.level = level,
                                           .trial_level = trial_level,
                                           .passes = passes,
                                           .strategies = strategies,
                                           .band_bytes = band_bytes,
                                           .sparse = sparse});
}
EXPORT(plan) int export_plan(int palette, int order, bool allow_gray) {
  return layout_plan(&png.layout, picture_of(&png), &png.analysis, palette, order, allow_gray);
}
EXPORT(plan_near) void export_plan_near(bool allow_gray) { layout_plan_near(&png.layout, &png.analysis, allow_gray); }
EXPORT(plan_verbatim) int export_plan_verbatim(void) { return layout_plan_verbatim(&png.layout, picture_of(&png)); }
EXPORT(set_steps) void export_set_steps(u32 levels, u32 hues) { near_set_steps(&png.near, levels, hues); }
/* Sets the extra error that a pixel may have if it repeats its left or upper neighbour's index, as a multiple of the
 * palette's mean squared error. */
EXPORT(set_tolerance) void export_set_tolerance(double multiple) {
  png.remap.tolerance = (float)(multiple * png.quantiser.predicted_mse);
}
/* Sets the share of a pixel's error that is diffused to neighbours (0: none), and the factor for that share in textured
 * areas. */
EXPORT(set_dither) void export_set_dither(double share, double of_that_in_texture) {
  png.remap.dither = (float)share;
  png.remap.dither_in_texture = (float)of_that_in_texture;
}

/* ---- passes over the source rows ---- */

EXPORT(begin) void export_begin(int mode, int form, bool muted, bool alpha) {
  pass_begin(&png, mode, form, muted, alpha);
}
EXPORT(frame) void export_frame(u32 width, u32 height) { pass_begin_frame(&png, width, height); }
EXPORT(feed) void export_feed(const u8 *bytes, u32 count) { pass_feed(&png, bytes, count); }
EXPORT(take_row) void export_take_row(const u8 *row) { pass_take_row(&png, row); }
EXPORT(frame_end) void export_frame_end(void) { pass_end_frame(&png); }
/* Enables source_deliver: the host requests buffered rows in portions. Otherwise all rows of an interlaced picture
 * would arrive at once when its last pass ends. */
EXPORT(deliver_later) void export_deliver_later(void) { png.source.delivers_later = true; }
EXPORT(deliver) u32 export_deliver(u32 count) { return source_deliver(&png.source, count); }

/* ---- computing the palette ---- */

/* Computes a palette of at most `colours` entries after PASS_HISTOGRAM and stores it in the layout. `spread`: how far
 * outer entries move outwards for dithering. Returns the estimated mean squared error in the palette's colour space. */
EXPORT(quantise) double export_quantise(int colours, int rounds, double spread) {
  Palette *p = &png.palette;
  quantise_points(&png.quantiser, &png.histogram, p, colours, rounds, (float)spread);
  u32 rounded[PALETTE_MOST];
  const int used = palette_colours(p, rounded);
  palette_by_luma(rounded, used);
  layout_set_palette(&png.layout, rounded, used);
  palette_set(p, rounded, used);
  return png.quantiser.predicted_mse;
}
EXPORT(colour_points) u32 export_colour_points(void) { return colour_points_of(&png.histogram); }
EXPORT(weigh_as_at_first) void export_weigh_as_at_first(void) {
  weigh_as_at_first(&png.histogram);
  quantise_forget(&png.quantiser);
}

/* ---- trials on the sample of rows ---- */

EXPORT(trial_map) void export_trial_map(void) { trial_map(&png); }
EXPORT(trial_come_near) double export_trial_near(void) { return trial_near(&png); }
EXPORT(trial_measure) void export_trial_measure(void) { trial_measure(&png); }
EXPORT(trial_shades) void export_trial_shades(double most_cast, double most_steps) {
  trial_shades(&png, (float)most_cast, (float)most_steps);
}
EXPORT(trial_score) void export_trial_score(void) { trial_score(&png); }
EXPORT(trial_bytes) double export_trial_bytes(bool mapped, bool gray, u32 every) {
  return trial_bytes(&png, mapped, gray, every);
}

/* ---- results for the host ---- */

EXPORT(digest) u64 export_digest(void) { return png.pass.digest; }
EXPORT(encoded) double export_encoded(void) { return (double)png.encoder.bytes; }
/* Returns the largest error of any sample in near-lossless rows, 0 to 255. */
EXPORT(near_off) u32 export_near_off(void) { return png.near.most_off; }

/* Returns a layout value: 0 colour type, 1 depth, 2 palette entries, 3 has a colour key, 4-6 the key, 16 + i palette
 * entry i. */
EXPORT(layout_fact) u32 export_layout_fact(int what) {
  const Layout *l = &png.layout;
  switch (what) {
    case 0: return l->colour_type;
    case 1: return l->depth;
    case 2: return l->colour_type == INDEXED ? l->palette_size : 0;
    case 3: return l->has_key;
    case 4:
    case 5:
    case 6: return l->key[what - 4];
    default: return what >= 16 && what < 272 ? l->palette[what - 16] : 0;
  }
}

/* Returns an analysis result: 0 opaque, 1 grey, 2 number of colours (257: more than 256), 3 sixteen bits needed. */
EXPORT(fact) u32 export_fact(int what) {
  const Picture *p = picture_of(&png);
  const Facts *f = &png.analysis.facts;
  const bool deep = p->depth == 16 && !f->bytes_equal;
  switch (what) {
    case 0: return deep ? !(p->has_key || ((p->colour_type & 4) && !f->opaque16)) : f->opaque;
    case 1: return deep ? !(p->colour_type & 2) || f->gray16 : f->gray;
    case 2: return f->colours;
    case 3: return deep;
    default: return 0;
  }
}

static double quality_fact(const Quality *q, int what) {
  switch (what) {
    case 0: return q->ssim;
    case 1: return q->luma_mse;
    case 2: return q->rgb_mse;
    case 3: return q->block_luma_mse;
    default: return q->block_rgb_mse;
  }
}

static double perceptual_fact(const PerceptualFigures *found, int what) {
  switch (what) {
    case 6: return found->score;
    case 7: return found->shades.cast;
    case 8: return found->shades.steps;
    case 9: return found->shades.bands;
    case 10: return found->shades.specks;
    default: return found->worst_tile;
  }
}

/* Returns a quality value of the last measuring pass: 0 SSIM, 1 luma MSE, 2 RGB MSE, 3 and 4 luma and RGB MSE of the
 * worst block, 6 SSIMULACRA 2.1, 7 colour cast, 8 steps, 9 bands, 10 specks, 11 SSIMULACRA 2.1 of the worst tile. */
EXPORT(quality) double export_quality(int what) {
  if (!png.pass.measure) return 0;
  if (what >= 6) return perceptual_fact(&png.pass.figures, what);
  const Quality q = measure_result(png.pass.measure);
  return quality_fact(&q, what);
}

/* Returns a quality value of the last trials, numbered as in export_quality; 5: share of the picture's rows in the
 * sample. */
EXPORT(trial_fact) double export_trial_fact(int what) {
  if (what == 5) return (double)png.sample.rows / picture_of(&png)->height;
  if (what < 5) return quality_fact(&png.trials.quality, what);
  const bool scored = what == 6 || what == 11;
  return perceptual_fact(scored ? &png.trials.score : &png.trials.shades, what);
}
