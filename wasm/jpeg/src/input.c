#include "input.h"

#include "fast_rows.h"
#include "jpeg.h"

static Input *input_of(j_decompress_ptr object) {
  Jpeg *jpeg = context_of((j_common_ptr)object);
  return &jpeg->input;
}

/* ---- suspending data source ---- */

static void source_ignore(j_decompress_ptr object) { (void)object; }

static boolean source_fill(j_decompress_ptr object) {
  if (input_of(object)->at_end) host_fail(FAIL_TRUNCATED, "the file ends inside the picture");
  return FALSE; /* FALSE tells libjpeg to suspend decoding */
}

static void source_skip(j_decompress_ptr object, long bytes) {
  Input *in = input_of(object);
  struct jpeg_source_mgr *source = &in->source;
  if (bytes <= 0) return;
  if ((unsigned long)bytes <= source->bytes_in_buffer) {
    source->next_input_byte += bytes;
    source->bytes_in_buffer -= bytes;
  } else {
    in->skip_left = bytes - source->bytes_in_buffer;
    source->next_input_byte += source->bytes_in_buffer;
    source->bytes_in_buffer = 0;
  }
}

/* Fails on a misplaced restart marker instead of guessing. */
static boolean source_resync(j_decompress_ptr object, int wanted) {
  (void)object, (void)wanted;
  host_fail(FAIL_DAMAGED, "a restart marker is missing or out of order");
}

/* ---- marker segments between scans ---- */

static boolean on_late_segment(j_decompress_ptr object) {
  Input *in = input_of(object);
  const struct jpeg_source_mgr *source = &in->source;
  if (source->bytes_in_buffer < 2) return FALSE;
  const long length = source->next_input_byte[0] << 8 | source->next_input_byte[1];
  if (length < 2) host_fail(FAIL_DAMAGED, "a segment without a length");
  if (in->late_count == LATE_MAX) host_fail(FAIL_LIMIT, "more segments between scans than any real picture has");
  in->late[in->late_count].offset = in->pushed - source->bytes_in_buffer - 2;
  in->late[in->late_count++].length = length + 2;
  source_skip(object, length);
  return TRUE;
}

static void watch_late_segments(Input *in) {
  for (int n = 0; n < 16; n++) jpeg_set_marker_processor(&in->decoder, JPEG_APP0 + n, on_late_segment);
  jpeg_set_marker_processor(&in->decoder, JPEG_COM, on_late_segment);
}

/* ---- start of reading ---- */

/* Assigns stores to planes. jdcoefct requests its arrays in component order, after the frame header was read. */
static void on_store(void *context, Store *store, int request) {
  Jpeg *jpeg = context;
  const struct jpeg_decompress_struct *decoder = &jpeg->input.decoder;
  const double samples = (double)store->rows * store->stride * DCTSIZE2;
  store->plane = request;
  store->blocks = decoder->comp_info[request].width_in_blocks;
  store->whole = decoder->progressive_mode && samples <= WHOLE_SAMPLES_MAX;
  jpeg->picture.plane[request].read = store;
  intake_attach(jpeg, store);
}

/* Limits pixels times scans, because a tiny scan can cover a huge picture. libjpeg calls this after every MCU row and
 * scan header. */
static void check_scans(j_common_ptr object) {
  const struct jpeg_decompress_struct *decoder = &input_of((j_decompress_ptr)object)->decoder;
  const double visited = (double)decoder->input_scan_number * decoder->image_width * decoder->image_height;
  if (decoder->input_scan_number > SCANS_MAX || visited > PIXELS_VISITED_MAX)
    host_fail(FAIL_LIMIT, "more scans than any real picture has");
}

static void begin(Jpeg *jpeg) {
  Input *in = &jpeg->input;
  memset(&in->decoder, 0, sizeof in->decoder);
  in->decoder.err = error_manager(&in->errors);
  jpeg_create_decompress(&in->decoder);
  in->arrays = (PackedArrays){.packing = &jpeg->packing, .made = on_store, .context = jpeg};
  use_packed_arrays((j_common_ptr)&in->decoder, &in->arrays);
  in->decoder.src = &in->source;
  in->decoder.progress = &in->progress;
  in->progress.progress_monitor = check_scans;
  in->source.init_source = in->source.term_source = source_ignore;
  in->source.fill_input_buffer = source_fill;
  in->source.skip_input_data = source_skip;
  in->source.resync_to_restart = source_resync;
  in->stage = HEADER;
  in->pushed = 0;
  in->late_count = 0;
}

void input_begin(Jpeg *jpeg) {
  begin(jpeg);
  jpeg->input.scale_eighths = 0;
}

void input_again(Jpeg *jpeg) {
  Input *in = &jpeg->input;
  jpeg_destroy_decompress(&in->decoder);
  picture_clear(&jpeg->picture);
  in->source.bytes_in_buffer = in->skip_left = 0;
  input_begin(jpeg);
}

void input_rows_begin(Jpeg *jpeg, int eighths, J_COLOR_SPACE colour) {
  begin(jpeg);
  jpeg->input.scale_eighths = eighths;
  jpeg->input.rows_colour = colour;
}

/* ---- quantisation steps of the file ---- */

static void copy_steps(Jpeg *jpeg) {
  for (int i = 0; i < jpeg->picture.planes; i++) {
    Plane *plane = &jpeg->picture.plane[i];
    const JQUANT_TBL *table = jpeg->input.decoder.comp_info[i].quant_table;
    if (!table) host_fail(FAIL_DAMAGED, "a component has no quantisation table");
    memcpy(plane->read_step, table->quantval, sizeof plane->read_step);
  }
}

/* Reads all quantisation tables before the first row, as streaming needs. Returns 0 if a table is missing; tables of
 * later scans must be equal. */
static int early_steps(Jpeg *jpeg) {
  const struct jpeg_decompress_struct *decoder = &jpeg->input.decoder;
  for (int i = 0; i < jpeg->picture.planes; i++) {
    Plane *plane = &jpeg->picture.plane[i];
    const int slot = decoder->comp_info[i].quant_tbl_no;
    const JQUANT_TBL *table = slot >= 0 && slot < NUM_QUANT_TBLS ? decoder->quant_tbl_ptrs[slot] : NULL;
    if (!table) return 0;
    memcpy(plane->read_step, table->quantval, sizeof plane->read_step);
  }
  return 1;
}

static void check_steps(const Jpeg *jpeg) {
  for (int i = 0; i < jpeg->picture.planes; i++) {
    const Plane *plane = &jpeg->picture.plane[i];
    const JQUANT_TBL *table = jpeg->input.decoder.comp_info[i].quant_table;
    if (!table || memcmp(table->quantval, plane->read_step, sizeof plane->read_step))
      host_fail(FAIL_UNSUPPORTED, "a quantisation table changes between scans");
  }
}

/* ---- reading the file ---- */

/* Returns the default colour space of pixel rows: grey, RGB or CMYK. */
static J_COLOR_SPACE natural_colour(J_COLOR_SPACE stored) {
  if (stored == JCS_YCbCr) return JCS_RGB;
  if (stored == JCS_YCCK) return JCS_CMYK;
  return stored;
}

static void prepare_rows(Input *in) {
  j_decompress_ptr decoder = &in->decoder;
  decoder->scale_num = in->scale_eighths;
  decoder->scale_denom = 8;
  decoder->out_color_space = in->rows_colour ? in->rows_colour : natural_colour(decoder->jpeg_color_space);
  decoder->dct_method = JDCT_ISLOW;
  decoder->do_block_smoothing = FALSE;
}

/* Reads the header. Returns 0 if it needs more bytes. */
static int read_header(Jpeg *jpeg) {
  Input *in = &jpeg->input;
  Intake *intake = &jpeg->intake;
  j_decompress_ptr decoder = &in->decoder;
  if (jpeg_read_header(decoder, TRUE) == JPEG_SUSPENDED) return 0;
  watch_late_segments(in);
  picture_from(&jpeg->picture, (Frame){decoder->image_width, decoder->image_height, decoder->num_components,
                                       decoder->jpeg_color_space, decoder->comp_info});
  if (in->scale_eighths) {
    prepare_rows(in);
    intake_must_store(intake);
    in->stage = START_ROWS;
    return 1;
  }
  if (decoder->progressive_mode || (intake_streams(intake) && !early_steps(jpeg))) intake_must_store(intake);
  if (intake_streams(intake)) requantise_ready(jpeg);
  in->stage = COEFFICIENTS;
  return 1;
}

/* Reads all coefficients. Returns 0 if it needs more bytes. */
static int read_coefficients(Jpeg *jpeg) {
  Input *in = &jpeg->input;
  if (!jpeg_read_coefficients(&in->decoder)) return 0;
  if (intake_streams(&jpeg->intake)) check_steps(jpeg);
  else copy_steps(jpeg);
  intake_end(jpeg);
  in->stage = DONE;
  free(in->pending);
  in->pending = NULL;
  in->pending_bytes = 0;
  return 1;
}

/* Appends bytes to those that libjpeg has not consumed yet. */
static void append(Input *in, const uint8_t *bytes, uint32_t length) {
  const uint32_t left = in->source.bytes_in_buffer;
  if (left + length > in->pending_bytes) {
    const uint32_t room = (left + length) * 3 / 2 + 4096;
    uint8_t *grown = allocate(room);
    if (left) memcpy(grown, in->source.next_input_byte, left);
    free(in->pending);
    in->pending = grown;
    in->pending_bytes = room;
  } else if (left) {
    memmove(in->pending, in->source.next_input_byte, left);
  }
  memcpy(in->pending + left, bytes, length);
  in->source.next_input_byte = in->pending;
  in->source.bytes_in_buffer = left + length;
}

int input_push(Jpeg *jpeg, const uint8_t *bytes, uint32_t length, int end) {
  Input *in = &jpeg->input;
  in->pushed += length;
  const uint32_t skipped = length < in->skip_left ? length : in->skip_left;
  in->skip_left -= skipped;
  in->at_end = end;
  append(in, bytes + skipped, length - skipped);
  if (in->stage == HEADER && !read_header(jpeg)) return 0;
  if (in->stage == COEFFICIENTS && !read_coefficients(jpeg)) return 0;
  if (in->stage == START_ROWS) {
    if (!jpeg_start_decompress(&in->decoder)) return 0;
    fast_rows(&in->decoder);
    in->stage = ROWS;
  }
  return 1;
}

double input_end_offset(const Input *in) { return in->pushed - in->source.bytes_in_buffer; }

uint32_t input_rows(Input *in, uint8_t *out, uint32_t count) {
  if (in->stage != ROWS) host_fail(FAIL_MISUSE, "no rows to read yet");
  j_decompress_ptr decoder = &in->decoder;
  const uint32_t stride = decoder->output_width * decoder->output_components;
  uint32_t done = 0;
  while (done < count && decoder->output_scanline < decoder->output_height) {
    JSAMPROW row = out + (size_t)done * stride;
    if (!jpeg_read_scanlines(decoder, &row, 1)) break;
    done++;
  }
  return done;
}
