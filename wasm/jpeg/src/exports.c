/* Functions that the host calls. Owns the single engine instance. Numbers are the same as in engine.ts. */
#include "jpeg.h"

static Jpeg jpeg;

/* Sets initial values; called by _initialize. An initialiser in the declaration would put the whole instance, including
 * buffers, into the binary. */
__attribute__((constructor)) static void initialise(void) {
  jpeg.smooth.told = jpeg.smooth.found = SMOOTH_UNKNOWN;
  jpeg.trellis = (Trellis){.picture = &jpeg.picture, .smooth = &jpeg.smooth, .error_weight = ERROR_WEIGHT};
  requantise_init(&jpeg.requantiser);
}

EXPORT(host_alloc) void *export_alloc(uint32_t bytes) { return allocate(bytes); }
EXPORT(host_free) void export_free(void *memory) { free(memory); }

/* ---- settings ---- */

/* Sets how arriving rows are handled (intake.h). `every`: sampling interval. */
EXPORT(intake_mode) void export_intake_mode(int mode, int every) { intake_begin(&jpeg.intake, mode, every); }
EXPORT(intake_streams) int export_intake_streams(void) { return intake_streams(&jpeg.intake); }
/* Sets the bit mask of planes with smooth areas, instead of a search. */
EXPORT(assume_smooth) void export_assume_smooth(int planes) { jpeg.smooth.told = planes; }
EXPORT(smooth_planes) int export_smooth_planes(void) { return smooth_planes(&jpeg.smooth, &jpeg.picture); }
/* Sets the quality for INTAKE_STREAM. Must be called before the first bytes. */
EXPORT(stream_quality) void export_stream_quality(float quality, int trellis) {
  jpeg.requantiser.stream_quality = quality;
  jpeg.requantiser.use_trellis = trellis;
}
/* Sets the quality of the chroma table minus quality of the luma table. */
EXPORT(chroma_quality) void export_chroma_quality(float shift) { jpeg.requantiser.chroma_shift = shift; }
/* Measures only squared errors, because SSIM takes most of the time. */
EXPORT(measure_errors_only) void export_errors_only(int only) { jpeg.requantiser.errors_only = only; }
/* Limits samples to white and black (trellis.h). */
EXPORT(stay_within) void export_stay_within(int within) { jpeg.trellis.stays_within = within; }
/* For tools/bench/jpeg-tables.ts: replaces the quantisation tables (64 steps for luma, 64 for chroma) and the weight of
 * errors relative to bits. */
EXPORT(try_tables) void export_try_tables(const uint32_t *steps, float weight) {
  memcpy(jpeg.requantiser.base_tables, steps, sizeof jpeg.requantiser.base_tables);
  jpeg.trellis.error_weight = weight;
}

/* ---- input: JPEG bytes or pixel rows ---- */

EXPORT(read_begin) void export_read_begin(void) { input_begin(&jpeg); }
EXPORT(read_again) void export_read_again(void) { input_again(&jpeg); }
EXPORT(push) int export_push(const uint8_t *bytes, uint32_t length, int end) {
  return input_push(&jpeg, bytes, length, end);
}
EXPORT(end_offset) double export_end_offset(void) { return input_end_offset(&jpeg.input); }
/* Returns the number of segments after the first scan's header. export_late_segment returns their offset and length in
 * the file, including the marker. */
EXPORT(late_segments) uint32_t export_late_segments(void) { return jpeg.input.late_count; }
EXPORT(late_segment) double export_late_segment(uint32_t index, int what) {
  if (index >= jpeg.input.late_count) return 0;
  return what ? jpeg.input.late[index].length : jpeg.input.late[index].offset;
}

/* `from` and `to` are J_COLOR_SPACE values; `subsampled`: 4:2:0 chroma. */
EXPORT(rows_in_begin)
void export_rows_in_begin(uint32_t width, uint32_t height, int channels, int from, int to, int subsampled) {
  rows_in_begin(&jpeg, (RowsFormat){.width = width,
                                    .height = height,
                                    .channels = channels,
                                    .subsampled = subsampled,
                                    .from = (J_COLOR_SPACE)from,
                                    .to = (J_COLOR_SPACE)to});
}
EXPORT(rows_in_write) void export_rows_in_write(uint8_t *rows, uint32_t count) {
  rows_in_write(&jpeg.rows_in, rows, count);
}
EXPORT(rows_in_end) void export_rows_in_end(void) { rows_in_end(&jpeg); }

/* ---- decoding a file to pixel rows ---- */

EXPORT(rows_out_begin) void export_rows_out_begin(int eighths, int colour) {
  input_rows_begin(&jpeg, eighths, (J_COLOR_SPACE)colour);
}
/* Returns 0 width, 1 height, 2 channels of the pixel rows. */
EXPORT(rows_out_info) uint32_t export_rows_out_info(int what) {
  const struct jpeg_decompress_struct *decoder = &jpeg.input.decoder;
  switch (what) {
    case 0: return decoder->output_width;
    case 1: return decoder->output_height;
    default: return (uint32_t)decoder->output_components;
  }
}
EXPORT(rows_out_read) uint32_t export_rows_out_read(uint8_t *out, uint32_t count) {
  return input_rows(&jpeg.input, out, count);
}
/* Returns 1 if all rows were read and the file ended correctly, 0 if more input is needed. */
EXPORT(rows_out_end) int export_rows_out_end(void) { return jpeg_finish_decompress(&jpeg.input.decoder) != 0; }

/* ---- requantisation of coefficients ---- */

EXPORT(requantise_start) void export_requantise_start(float quality, int trellis, int every, int store) {
  requantise_start(&jpeg, quality, trellis, every, store);
}
EXPORT(requantise_step) uint32_t export_requantise_step(uint32_t count) { return requantise_step(&jpeg, count); }
/* Returns a result: 0 SSIM of the worst measured plane, 1 mean squared error, 2 estimated bytes of sequential coding, 3
 * and 4 mean squared error of the two chroma planes. */
EXPORT(result) double export_result(int what) {
  const RequantiseResult *result = &jpeg.requantiser.result;
  switch (what) {
    case 0: return result->ssim;
    case 1: return result->mse;
    case 2: return result->bytes;
    default: return result->plane_mse[what - 2];
  }
}
EXPORT(decimate) double export_decimate(int every) { return decimate(&jpeg, every); }
EXPORT(digest) uint32_t export_digest(int index, int half) { return intake_digest(&jpeg, index, half); }
/* Frees the rows as read (0) or as made (1). */
EXPORT(release) void export_release(int which) {
  for (int i = 0; i < jpeg.picture.planes; i++) {
    Plane *plane = &jpeg.picture.plane[i];
    Store **store = which ? &plane->made : &plane->read;
    store_free(*store);
    *store = NULL;
  }
}

/* Returns a property: 0 width, 1 height, 2 planes, 3 colour space, 4 and 5 sampling factors, 6 bytes of packed rows, 7
 * component identifier, 8 whether rows are requantised as they arrive. */
EXPORT(info) double export_info(int what, int index) {
  const Picture *picture = &jpeg.picture;
  switch (what) {
    case 0: return picture->width;
    case 1: return picture->height;
    case 2: return picture->planes;
    case 3: return picture->colour;
    case 4: return picture->plane[index].h;
    case 5: return picture->plane[index].v;
    case 6: return jpeg.packing.total;
    case 7: return picture->plane[index].id;
    case 8: return intake_streams(&jpeg.intake);
    default: return 0;
  }
}

/* ---- output: JPEG files ---- */

/* Writes the rows as read (0) or as made (1): sequential by libjpeg, or progressive with the best script. `headers`:
 * writes JFIF and Adobe segments as needed; otherwise the host adds its own. Returns the number of bytes; `counting`:
 * only counts. */
EXPORT(finish) double export_finish(int made, int progressive, int headers, int counting) {
  for (int i = 0; i < jpeg.picture.planes; i++)
    if (!store_of(&jpeg.picture.plane[i], made)) host_fail(FAIL_MISUSE, "nothing to write");
  if (progressive) return write_scans(&jpeg, made, headers, counting);
  jpeg.output.only_counting = counting;
  write_sequential(&jpeg, made, headers, TRUE);
  return jpeg.output.written;
}
/* Writes the rows as made for immediate decoding: sequential, with the standard Huffman tables (T.81, annex K.3), which
 * saves a pass. */
EXPORT(show) void export_show(void) {
  jpeg.output.only_counting = 0;
  write_sequential(&jpeg, 1, 1, FALSE);
}
/* Writes bands of the rows as read (cut.h). Returns the height of that picture, or 0. */
EXPORT(write_cut) uint32_t export_write_cut(uint32_t every) { return write_cut(&jpeg, every); }

/* Returns the estimated bytes of a progressive file's scans, from a sample of the rows as read (0) or made (1). */
EXPORT(estimated_bytes) double export_estimated_bytes(int made) {
  return script_of(jpeg.scripts, &jpeg.picture, made)->bytes;
}
/* Returns the number of the lane (output stream of one scan) whose bytes the host receives now. */
EXPORT(lane_written) int export_lane_written(void) { return jpeg.output.lane; }

EXPORT(recode_next) int export_recode_next(void) { return recode_next(&jpeg); }
EXPORT(recode_end) void export_recode_end(void) { recode_end(&jpeg); }
/* Returns the bytes that the packed coefficients would take in memory. */
EXPORT(recode_packed) double export_recode_packed(void) { return jpeg.recode.packed_bytes; }
