#include "jpeg.h"

static Sequential *sequential_of(j_compress_ptr object) {
  Jpeg *jpeg = context_of((j_common_ptr)object);
  return &jpeg->sequential;
}

static void destination_init(j_compress_ptr object) {
  Sequential *s = sequential_of(object);
  s->destination.next_output_byte = s->buffer;
  s->destination.free_in_buffer = sizeof s->buffer;
}

static void emit(Sequential *s, uint32_t length) {
  if (length && !s->output->only_counting) host_write(s->buffer, length);
  s->output->written += length;
}

static boolean destination_empty(j_compress_ptr object) {
  emit(sequential_of(object), LANE_BYTES);
  destination_init(object);
  return TRUE;
}

static void destination_term(j_compress_ptr object) {
  Sequential *s = sequential_of(object);
  emit(s, sizeof s->buffer - s->destination.free_in_buffer);
}

/* Sets quantisation tables. Planes with equal steps share one; a file has at most four. */
static void set_steps(j_compress_ptr coder, const Picture *picture, int made) {
  int slots = 0;
  const uint16_t *used[NUM_QUANT_TBLS];
  for (int i = 0; i < NUM_QUANT_TBLS; i++) coder->quant_tbl_ptrs[i] = NULL;
  for (int i = 0; i < picture->planes; i++) {
    const uint16_t *steps = steps_of(&picture->plane[i], made);
    int slot = 0;
    while (slot < slots && memcmp(used[slot], steps, DCTSIZE2 * sizeof *steps)) slot++;
    if (slot == slots) {
      used[slots++] = steps;
      coder->quant_tbl_ptrs[slot] = jpeg_alloc_quant_table((j_common_ptr)coder);
      memcpy(coder->quant_tbl_ptrs[slot]->quantval, steps, DCTSIZE2 * sizeof *steps);
    }
    coder->comp_info[i].quant_tbl_no = slot;
  }
}

static void begin_coder(Jpeg *jpeg) {
  Sequential *s = &jpeg->sequential;
  memset(&s->coder, 0, sizeof s->coder);
  s->coder.err = error_manager(&s->errors);
  jpeg_create_compress(&s->coder);
  s->arrays = (PackedArrays){.packing = &jpeg->packing, .context = jpeg};
  use_packed_arrays((j_common_ptr)&s->coder, &s->arrays);
  s->coder.dest = &s->destination;
  s->destination.init_destination = destination_init;
  s->destination.empty_output_buffer = destination_empty;
  s->destination.term_destination = destination_term;
  s->output = &jpeg->output;
  s->output->written = 0;
}

void write_sequential(Jpeg *jpeg, int made, int headers, int optimise) {
  const Picture *picture = &jpeg->picture;
  jvirt_barray_ptr arrays[PLANES];
  begin_coder(jpeg);
  j_compress_ptr coder = &jpeg->sequential.coder;
  coder->image_width = picture->width;
  coder->image_height = picture->height;
  coder->input_components = picture->planes;
  coder->in_color_space = picture->colour;
  jpeg_set_defaults(coder);
  jpeg_set_colorspace(coder, picture->colour);
  for (int i = 0; i < picture->planes; i++) {
    const Plane *plane = &picture->plane[i];
    coder->comp_info[i].component_id = plane->id;
    coder->comp_info[i].h_samp_factor = plane->h;
    coder->comp_info[i].v_samp_factor = plane->v;
    Store *store = store_of(plane, made);
    if (!store) host_fail(FAIL_MISUSE, "nothing to write");
    arrays[i] = (jvirt_barray_ptr)store;
  }
  set_steps(coder, picture, made);
  if (!headers) coder->write_JFIF_header = coder->write_Adobe_marker = FALSE;
  coder->optimize_coding = optimise;
  coder->master->trellis_quant = FALSE;
  coder->master->optimize_scans = FALSE;
  coder->scan_info = NULL;
  coder->num_scans = 0;
  jpeg_write_coefficients(coder, arrays);
  jpeg_finish_compress(coder);
  jpeg_destroy_compress(coder);
}
