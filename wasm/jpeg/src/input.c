/* JPEG bytes in: a source that suspends, and the two things that can be done with it: coefficients or pixel rows. */
#include "engine.h"

/* A progressive file repeats the picture in every scan; 10 is usual, hostile files have thousands. */
#define SCANS_MAX 128
/* Pixels times scans: 200 scans of a phone's picture, 24 of a hundred megapixels. */
#define PIXELS_VISITED_MAX 2.6e9

static struct jpeg_decompress_struct decoder;
static struct jpeg_source_mgr source;
static struct jpeg_progress_mgr progress;
static uint8_t *pending; /* bytes pushed and not yet consumed */
static uint32_t pending_bytes;
static double pushed; /* bytes of the file so far */
static uint32_t skip_left;
static int at_end, scale_eighths;
static J_COLOR_SPACE rows_colour;
static enum { HEADER, COEFFICIENTS, START_ROWS, ROWS, DONE } stage;

static void source_ignore(j_decompress_ptr object) { (void)object; }

static boolean source_fill(j_decompress_ptr object) {
  (void)object;
  if (at_end) fail(FAIL_TRUNCATED, "the file ends inside the picture");
  return FALSE; /* suspend */
}

static void source_skip(j_decompress_ptr object, long bytes) {
  (void)object;
  if (bytes <= 0) return;
  if ((unsigned long)bytes <= source.bytes_in_buffer) {
    source.next_input_byte += bytes;
    source.bytes_in_buffer -= bytes;
  } else {
    skip_left = bytes - source.bytes_in_buffer;
    source.next_input_byte += source.bytes_in_buffer;
    source.bytes_in_buffer = 0;
  }
}

/* A restart marker in the wrong place is damage, not something to guess about. */
static boolean source_resync(j_decompress_ptr object, int wanted) {
  (void)object; (void)wanted;
  fail(FAIL_DAMAGED, "a restart marker is missing or out of order");
}

/* Every scan goes over all rows, which would be unpacked and packed again each time: small planes are not (2.4 MB). */
#define WHOLE_SAMPLES_MAX 1.2e6

/* jdcoefct asks for its arrays in component order, after the frame header was read. */
static void on_store(Store *store, int request) {
  store->plane = request;
  store->blocks = decoder.comp_info[request].width_in_blocks;
  store->whole = decoder.progressive_mode && (double)store->rows * store->stride * DCTSIZE2 <= WHOLE_SAMPLES_MAX;
  picture.plane[request].read = store;
  intake_attach(store);
}

static void check_scans(j_common_ptr object);

/* Segments after the first scan's header: found, not kept. The host reads them from the file if it wants them. */
#define LATE_MAX 256
static struct { double offset, length; } late[LATE_MAX];
static uint32_t late_count;

static boolean on_late_segment(j_decompress_ptr object) {
  if (source.bytes_in_buffer < 2) return FALSE;
  const long length = source.next_input_byte[0] << 8 | source.next_input_byte[1];
  if (length < 2) fail(FAIL_DAMAGED, "a segment without a length");
  if (late_count == LATE_MAX) fail(FAIL_LIMIT, "more segments between scans than any real picture has");
  late[late_count].offset = pushed - source.bytes_in_buffer - 2;
  late[late_count++].length = length + 2;
  source_skip(object, length);
  return TRUE;
}

static void watch_late_segments(void) {
  for (int n = 0; n < 16; n++) jpeg_set_marker_processor(&decoder, JPEG_APP0 + n, on_late_segment);
  jpeg_set_marker_processor(&decoder, JPEG_COM, on_late_segment);
}

/* Number of segments after the first scan's header, their places and lengths in the file (from the marker on). */
uint32_t EXPORT(late_segments)(void) { return late_count; }
double EXPORT(late_segment)(uint32_t index, int what) { return index >= late_count ? 0 : what ? late[index].length : late[index].offset; }

static void begin(void) {
  dct_prepare();
  memset(&decoder, 0, sizeof decoder);
  decoder.err = error_manager();
  jpeg_create_decompress(&decoder);
  use_packed_arrays(decoder.mem, (j_common_ptr)&decoder, on_store);
  decoder.src = &source;
  decoder.progress = &progress;
  progress.progress_monitor = check_scans;
  source.init_source = source.term_source = source_ignore;
  source.fill_input_buffer = source_fill;
  source.skip_input_data = source_skip;
  source.resync_to_restart = source_resync;
  stage = HEADER;
  pushed = 0;
  late_count = 0;
}

void EXPORT(read_begin)(void) {
  begin();
  scale_eighths = 0;
}

/* The same file from its start, by the engine that read it to its end (recode.c). */
void EXPORT(read_again)(void) {
  jpeg_destroy_decompress(&decoder);
  picture_clear();
  source.bytes_in_buffer = skip_left = 0;
  read_begin();
}

/* What callers expect who did not say: grey, RGB, or the four inks. */
static J_COLOR_SPACE natural_colour(J_COLOR_SPACE stored) {
  if (stored == JCS_YCbCr) return JCS_RGB;
  if (stored == JCS_YCCK) return JCS_CMYK;
  return stored;
}

/* Pixels instead of coefficients: `eighths` of the size in each direction, `colour` a J_COLOR_SPACE, 0 the natural one. */
void EXPORT(rows_out_begin)(int eighths, int colour) {
  begin();
  scale_eighths = eighths;
  rows_colour = (J_COLOR_SPACE)colour;
}

static void copy_steps(void) {
  for (int i = 0; i < picture.planes; i++) {
    const JQUANT_TBL *table = decoder.comp_info[i].quant_table;
    if (!table) fail(FAIL_DAMAGED, "a component has no quantisation table");
    memcpy(picture.plane[i].read_step, table->quantval, sizeof picture.plane[i].read_step);
  }
}

/* Streaming needs every table before the first row; what a later scan latches must be the same. */
static int early_steps(void) {
  for (int i = 0; i < picture.planes; i++) {
    const int slot = decoder.comp_info[i].quant_tbl_no;
    const JQUANT_TBL *table = slot >= 0 && slot < NUM_QUANT_TBLS ? decoder.quant_tbl_ptrs[slot] : NULL;
    if (!table) return 0;
    memcpy(picture.plane[i].read_step, table->quantval, sizeof picture.plane[i].read_step);
  }
  return 1;
}

static void check_steps(void) {
  for (int i = 0; i < picture.planes; i++) {
    const JQUANT_TBL *table = decoder.comp_info[i].quant_table;
    if (!table || memcmp(table->quantval, picture.plane[i].read_step, sizeof picture.plane[i].read_step))
      fail(FAIL_UNSUPPORTED, "a quantisation table changes between scans");
  }
}

static int after_header(void) {
  if (jpeg_read_header(&decoder, TRUE) == JPEG_SUSPENDED) return 0;
  watch_late_segments();
  picture_from(decoder.image_width, decoder.image_height, decoder.num_components, decoder.jpeg_color_space, decoder.comp_info);
  if (scale_eighths) {
    decoder.scale_num = scale_eighths;
    decoder.scale_denom = 8;
    decoder.out_color_space = rows_colour ? rows_colour : natural_colour(decoder.jpeg_color_space);
    decoder.dct_method = JDCT_ISLOW;
    decoder.do_block_smoothing = FALSE;
    intake_must_store();
    stage = START_ROWS;
    return 1;
  }
  if (decoder.progressive_mode || (intake_streams() && !early_steps())) intake_must_store();
  if (intake_streams()) requantise_ready();
  stage = COEFFICIENTS;
  return 1;
}

/* libjpeg calls this after every MCU row and every scan header. A tiny scan can cover a huge picture. */
static void check_scans(j_common_ptr object) {
  (void)object;
  const double visited = (double)decoder.input_scan_number * decoder.image_width * decoder.image_height;
  if (decoder.input_scan_number > SCANS_MAX || visited > PIXELS_VISITED_MAX) fail(FAIL_LIMIT, "more scans than any real picture has");
}

/*
 * Takes the next bytes of the file. 0: wants more; 1: coefficients are complete, or pixel rows can be read
 * (of which there may be fewer than the picture has: rows_out_read says when it wants more).
 */
int EXPORT(push)(const uint8_t *bytes, uint32_t length, int end) {
  pushed += length;
  const uint32_t skipped = length < skip_left ? length : skip_left;
  bytes += skipped;
  length -= skipped;
  skip_left -= skipped;
  at_end = end;
  const uint32_t left = source.bytes_in_buffer;
  if (left + length > pending_bytes) {
    const uint32_t room = (left + length) * 3 / 2 + 4096;
    uint8_t *grown = allocate(room);
    if (left) memcpy(grown, source.next_input_byte, left);
    free(pending);
    pending = grown;
    pending_bytes = room;
  } else if (left) {
    memmove(pending, source.next_input_byte, left);
  }
  memcpy(pending + left, bytes, length);
  source.next_input_byte = pending;
  source.bytes_in_buffer = left + length;

  if (stage == HEADER && !after_header()) return 0;
  if (stage == COEFFICIENTS) {
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&decoder);
    if (!arrays) return 0;
    const int streamed = intake_streams();
    if (streamed) check_steps(); else copy_steps();
    intake_end();
    stage = DONE;
    free(pending);
    pending = NULL;
    pending_bytes = 0;
  }
  if (stage == START_ROWS) {
    const boolean started = jpeg_start_decompress(&decoder);
    if (!started) return 0;
    stage = ROWS;
  }
  return 1;
}

/* Where the file's end marker ended, once everything was read: what follows is not the picture's. */
double EXPORT(end_offset)(void) { return pushed - source.bytes_in_buffer; }

/* Size and channels of the rows that come out. */
uint32_t EXPORT(rows_out_info)(int what) {
  return what == 0 ? decoder.output_width : what == 1 ? decoder.output_height : (uint32_t)decoder.output_components;
}

/* Up to `count` rows into `out`. Returns how many there were; 0 when more input is wanted, or after the last row. */
uint32_t EXPORT(rows_out_read)(uint8_t *out, uint32_t count) {
  if (stage != ROWS) fail(FAIL_MISUSE, "no rows to read yet");
  const uint32_t stride = decoder.output_width * decoder.output_components;
  uint32_t done = 0;
  while (done < count && decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = out + (size_t)done * stride;
    if (!jpeg_read_scanlines(&decoder, &row, 1)) break;
    done++;
  }
  return done;
}

/* 1: all rows were read and the file ended as it should; 0: more input is wanted. */
int EXPORT(rows_out_end)(void) {
  if (!jpeg_finish_decompress(&decoder)) return 0;
  return 1;
}
