/* Packed rows → JPEG bytes. */
#include "scans.h"

static struct jpeg_compress_struct coder;
static struct jpeg_destination_mgr destination;
static uint8_t buffer[65536];
static double written;
static int count_only;

static void destination_init(j_compress_ptr object) {
  (void)object;
  destination.next_output_byte = buffer;
  destination.free_in_buffer = sizeof buffer;
}

static void emit(uint32_t length) {
  if (length && !count_only) host_write(buffer, length);
  written += length;
}

static boolean destination_empty(j_compress_ptr object) {
  emit(sizeof buffer);
  destination_init(object);
  return TRUE;
}

static void destination_term(j_compress_ptr object) { (void)object; emit(sizeof buffer - destination.free_in_buffer); }

/* Planes with equal steps share a table; there are four. */
static void set_steps(int made) {
  int slots = 0;
  const uint16_t *used[NUM_QUANT_TBLS];
  for (int i = 0; i < NUM_QUANT_TBLS; i++) coder.quant_tbl_ptrs[i] = NULL;
  for (int i = 0; i < picture.planes; i++) {
    const uint16_t *steps = made ? picture.plane[i].made_step : picture.plane[i].read_step;
    int slot = 0;
    while (slot < slots && memcmp(used[slot], steps, DCTSIZE2 * sizeof *steps)) slot++;
    if (slot == slots) {
      used[slots++] = steps;
      coder.quant_tbl_ptrs[slot] = jpeg_alloc_quant_table((j_common_ptr)&coder);
      memcpy(coder.quant_tbl_ptrs[slot]->quantval, steps, DCTSIZE2 * sizeof *steps);
    }
    coder.comp_info[i].quant_tbl_no = slot;
  }
}

static Store *store_of(const Plane *plane, int made) {
  Store *store = made ? plane->made : plane->read;
  if (!store) fail(FAIL_MISUSE, "nothing to write");
  return store;
}

/* By libjpeg, with tables of the picture's own or without. */
static void write_sequential(int made, int headers, int optimise) {
  jvirt_barray_ptr arrays[PLANES];
  memset(&coder, 0, sizeof coder);
  coder.err = error_manager();
  jpeg_create_compress(&coder);
  use_packed_arrays(coder.mem, (j_common_ptr)&coder, NULL);
  coder.dest = &destination;
  destination.init_destination = destination_init;
  destination.empty_output_buffer = destination_empty;
  destination.term_destination = destination_term;
  written = 0;
  coder.image_width = picture.width;
  coder.image_height = picture.height;
  coder.input_components = picture.planes;
  coder.in_color_space = picture.colour;
  jpeg_set_defaults(&coder);
  jpeg_set_colorspace(&coder, picture.colour);
  for (int i = 0; i < picture.planes; i++) {
    const Plane *plane = &picture.plane[i];
    coder.comp_info[i].component_id = plane->id;
    coder.comp_info[i].h_samp_factor = plane->h;
    coder.comp_info[i].v_samp_factor = plane->v;
    arrays[i] = (jvirt_barray_ptr)store_of(plane, made);
  }
  set_steps(made);
  if (!headers) coder.write_JFIF_header = coder.write_Adobe_marker = FALSE;
  coder.optimize_coding = optimise;
  coder.master->trellis_quant = FALSE;
  coder.master->optimize_scans = FALSE;
  coder.scan_info = NULL;
  coder.num_scans = 0;
  jpeg_write_coefficients(&coder, arrays);
  jpeg_finish_compress(&coder);
  jpeg_destroy_compress(&coder);
}

/*
 * Writes the rows as read (0) or as made (1): sequential by libjpeg, or progressive by the script that suits them.
 * `headers`: JFIF and Adobe segments as the colour needs them; without, the host brings its own. Returns the number of
 * bytes; `counting` only counts.
 */
double EXPORT(finish)(int made, int progressive, int headers, int counting) {
  for (int i = 0; i < picture.planes; i++) store_of(&picture.plane[i], made);
  if (progressive) return write_scans(script_of(made), made, headers, counting);
  count_only = counting;
  write_sequential(made, headers, TRUE);
  return written;
}

/* The rows as made, to be decoded at once and forgotten: sequential, with the tables of annex K.3, which saves a pass. */
void EXPORT(show)(void) {
  count_only = 0;
  write_sequential(1, 1, FALSE);
}
