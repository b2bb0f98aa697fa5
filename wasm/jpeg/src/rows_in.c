#include "rows_in.h"

#include "jpeg.h"

static RowsIn *rows_in_of(j_compress_ptr object) {
  Jpeg *jpeg = context_of((j_common_ptr)object);
  return &jpeg->rows_in;
}

static void nowhere_init(j_compress_ptr object) {
  RowsIn *r = rows_in_of(object);
  r->nowhere.next_output_byte = r->dump;
  r->nowhere.free_in_buffer = sizeof r->dump;
}
static boolean nowhere_empty(j_compress_ptr object) {
  nowhere_init(object);
  return TRUE;
}
static void nowhere_term(j_compress_ptr object) { (void)object; }

/* Assigns stores to planes. mozjpeg requests two arrays per component: quantised coefficients, and unquantised ones for
 * its trellis, which is off here. */
static void on_store(void *context, Store *store, int request) {
  Jpeg *jpeg = context;
  const int index = request / 2;
  store->plane = index;
  if (request % 2) {
    store->take = store_discard;
    return;
  }
  store->blocks = jpeg->rows_in.encoder.comp_info[index].width_in_blocks;
  jpeg->picture.plane[index].read = store;
  intake_attach(jpeg, store);
}

static void begin_encoder(Jpeg *jpeg) {
  RowsIn *r = &jpeg->rows_in;
  memset(&r->encoder, 0, sizeof r->encoder);
  r->encoder.err = error_manager(&r->errors);
  jpeg_create_compress(&r->encoder);
  r->arrays = (PackedArrays){.packing = &jpeg->packing, .made = on_store, .context = jpeg};
  use_packed_arrays((j_common_ptr)&r->encoder, &r->arrays);
  r->encoder.dest = &r->nowhere;
  r->nowhere.init_destination = nowhere_init;
  r->nowhere.empty_output_buffer = nowhere_empty;
  r->nowhere.term_destination = nowhere_term;
}

/* Sets colour spaces and quantisation steps of 1, and turns off all searches. */
static void configure(j_compress_ptr encoder, RowsFormat format) {
  jpeg_c_set_int_param(encoder, JINT_COMPRESS_PROFILE, JCP_FASTEST);
  encoder->image_width = format.width;
  encoder->image_height = format.height;
  encoder->input_components = format.channels;
  encoder->in_color_space = format.from;
  jpeg_set_defaults(encoder);
  jpeg_set_colorspace(encoder, format.to);
  for (int slot = 0; slot < 2; slot++)
    for (int k = 0; k < DCTSIZE2; k++) encoder->quant_tbl_ptrs[slot]->quantval[k] = 1;
  encoder->optimize_coding = TRUE; /* makes libjpeg request whole-image arrays, which are packed stores here */
  encoder->num_scans = 0;
  encoder->scan_info = NULL;
  encoder->master->trellis_quant = FALSE;
  encoder->master->optimize_scans = FALSE;
  encoder->master->overshoot_deringing = FALSE;
  encoder->dct_method = JDCT_ISLOW;
}

static void set_sampling(j_compress_ptr encoder, J_COLOR_SPACE to, int subsampled) {
  jpeg_component_info *component = encoder->comp_info;
  for (int i = 0; i < encoder->num_components; i++) component[i].h_samp_factor = component[i].v_samp_factor = 1;
  if (!subsampled || (to != JCS_YCbCr && to != JCS_YCCK)) return;
  component[0].h_samp_factor = component[0].v_samp_factor = 2;
  if (to == JCS_YCCK) component[3].h_samp_factor = component[3].v_samp_factor = 2;
}

void rows_in_begin(Jpeg *jpeg, RowsFormat format) {
  begin_encoder(jpeg);
  j_compress_ptr encoder = &jpeg->rows_in.encoder;
  configure(encoder, format);
  set_sampling(encoder, format.to, format.subsampled);
  Picture *picture = &jpeg->picture;
  picture_from(picture, (Frame){format.width, format.height, encoder->num_components, format.to, encoder->comp_info});
  for (int i = 0; i < picture->planes; i++)
    for (int k = 0; k < DCTSIZE2; k++) picture->plane[i].read_step[k] = 1;
  if (intake_streams(&jpeg->intake)) requantise_ready(jpeg);
  jpeg_start_compress(encoder, TRUE);
}

void rows_in_write(RowsIn *r, uint8_t *rows, uint32_t count) {
  const uint32_t stride = r->encoder.image_width * r->encoder.input_components;
  for (uint32_t i = 0; i < count; i++) {
    JSAMPROW row = rows + (size_t)i * stride;
    jpeg_write_scanlines(&r->encoder, &row, 1);
  }
}

void rows_in_end(Jpeg *jpeg) {
  if (jpeg->rows_in.encoder.next_scanline < jpeg->rows_in.encoder.image_height) host_fail(FAIL_MISUSE, "too few rows");
  intake_end(jpeg);
}
