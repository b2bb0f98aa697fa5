/*
 * Pixel rows in: libjpeg's front end (colour conversion, downsampling, integer DCT) with every step 1, so that rounding of
 * coefficients (58 dB) is all that is lost. Its coefficient arrays are ours: rows are stored, sampled or requantised on
 * the spot like those of a file. Its entropy coder runs, because the front end cannot do without, and is thrown away.
 */
#include "engine.h"

static struct jpeg_compress_struct encoder;
static struct jpeg_destination_mgr nowhere;
static uint8_t dump[4096];

static void nowhere_init(j_compress_ptr object) {
  (void)object;
  nowhere.next_output_byte = dump;
  nowhere.free_in_buffer = sizeof dump;
}
static boolean nowhere_empty(j_compress_ptr object) {
  nowhere_init(object);
  return TRUE;
}
static void nowhere_term(j_compress_ptr object) { (void)object; }

/* mozjpeg asks twice per component: quantised coefficients, and unquantised ones for a trellis that is off here. */
static void on_store(Store *store, int request) {
  const int index = request / 2;
  store->plane = index;
  if (request % 2) {
    store->take = store_discard;
    return;
  }
  store->blocks = encoder.comp_info[index].width_in_blocks;
  picture.plane[index].read = store;
  intake_attach(store);
}

/* `from` and `to` are J_COLOR_SPACE; `subsampled`: 4:2:0 chroma. */
void EXPORT(rows_in_begin)(uint32_t width, uint32_t height, int channels, int from, int to, int subsampled) {
  dct_prepare();
  memset(&encoder, 0, sizeof encoder);
  encoder.err = error_manager();
  jpeg_create_compress(&encoder);
  use_packed_arrays(encoder.mem, (j_common_ptr)&encoder, on_store);
  encoder.dest = &nowhere;
  nowhere.init_destination = nowhere_init;
  nowhere.empty_output_buffer = nowhere_empty;
  nowhere.term_destination = nowhere_term;
  jpeg_c_set_int_param(&encoder, JINT_COMPRESS_PROFILE, JCP_FASTEST);
  encoder.image_width = width;
  encoder.image_height = height;
  encoder.input_components = channels;
  encoder.in_color_space = (J_COLOR_SPACE)from;
  jpeg_set_defaults(&encoder);
  jpeg_set_colorspace(&encoder, (J_COLOR_SPACE)to);
  for (int slot = 0; slot < 2; slot++)
    for (int k = 0; k < DCTSIZE2; k++) encoder.quant_tbl_ptrs[slot]->quantval[k] = 1;
  encoder.optimize_coding = TRUE; /* asks for whole-image arrays, which are ours */
  encoder.num_scans = 0;
  encoder.scan_info = NULL;
  encoder.master->trellis_quant = FALSE;
  encoder.master->optimize_scans = FALSE;
  encoder.master->overshoot_deringing = FALSE;
  encoder.dct_method = JDCT_ISLOW;
  for (int i = 0; i < encoder.num_components; i++) encoder.comp_info[i].h_samp_factor = encoder.comp_info[i].v_samp_factor = 1;
  if (subsampled && (to == JCS_YCbCr || to == JCS_YCCK)) {
    encoder.comp_info[0].h_samp_factor = encoder.comp_info[0].v_samp_factor = 2;
    if (to == JCS_YCCK) encoder.comp_info[3].h_samp_factor = encoder.comp_info[3].v_samp_factor = 2;
  }
  picture_from(width, height, encoder.num_components, (J_COLOR_SPACE)to, encoder.comp_info);
  for (int i = 0; i < picture.planes; i++)
    for (int k = 0; k < DCTSIZE2; k++) picture.plane[i].read_step[k] = 1;
  if (intake_streams()) requantise_ready();
  jpeg_start_compress(&encoder, TRUE);
}

void EXPORT(rows_in_write)(uint8_t *rows, uint32_t count) {
  const uint32_t stride = encoder.image_width * encoder.input_components;
  for (uint32_t i = 0; i < count; i++) {
    JSAMPROW row = rows + (size_t)i * stride;
    jpeg_write_scanlines(&encoder, &row, 1);
  }
}

void EXPORT(rows_in_end)(void) {
  if (encoder.next_scanline < encoder.image_height) fail(FAIL_MISUSE, "too few rows");
  intake_end();
}
