/* Packed rows → JPEG bytes. */
#include "engine.h"

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

/*
 * The progressive script that mozjpeg's search picks most often (its own fixed one announces ten scans, fills eleven and
 * so loses the last): DC of each component, then luma as a low and a high band one bit coarser and its refinement, chroma
 * in one. `fine` (high quality): two refinements for luma, chroma in two bands. `simple` (low bit rates): no refinement.
 */
static jpeg_scan_info script[64];
static int scans;

static void scan(int component, int from, int to, int high, int low) {
  jpeg_scan_info *s = memset(&script[scans++], 0, sizeof *script);
  s->comps_in_scan = 1;
  s->component_index[0] = component;
  s->Ss = from;
  s->Se = to;
  s->Ah = high;
  s->Al = low;
}

static int make_script(int choice) {
  const int fine = choice == 3, simple = choice == 4;
  scans = 0;
  for (int i = 0; i < picture.planes; i++) scan(i, 0, 0, 0, 0);
  for (int i = 0; i < picture.planes; i++) {
    const int full = !picture.plane[i].chroma;
    if (full && simple) {
      scan(i, 1, 2, 0, 0);
      scan(i, 3, 63, 0, 0);
    } else if (full && fine) {
      scan(i, 1, 8, 0, 2);
      scan(i, 9, 63, 0, 2);
      scan(i, 1, 63, 2, 1);
      scan(i, 1, 63, 1, 0);
    } else if (full) {
      scan(i, 1, 2, 0, 1);
      scan(i, 3, 63, 0, 1);
      scan(i, 1, 63, 1, 0);
    } else if (fine) {
      scan(i, 1, 8, 0, 0);
      scan(i, 9, 63, 0, 0);
    } else {
      scan(i, 1, 63, 0, 0);
    }
  }
  return scans;
}

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

/*
 * Writes the rows as read (0) or as made (1). `scan_choice` 0: sequential; 1: progressive; 2: progressive by mozjpeg's
 * search (its memory is the sum of all scans it tries); 3: the finer script; 4: the simple one. `headers`: JFIF and Adobe segments as libjpeg
 * writes them; without, the host brings its own. Returns the number of bytes; `counting` only counts.
 */
double EXPORT(finish)(int made, int scan_choice, int headers, int counting) {
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
  count_only = counting;
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
    arrays[i] = (jvirt_barray_ptr)(made ? plane->made : plane->read);
    if (!arrays[i]) fail(FAIL_MISUSE, "nothing to write");
  }
  set_steps(made);
  if (!headers) coder.write_JFIF_header = coder.write_Adobe_marker = FALSE;
  coder.optimize_coding = TRUE;
  coder.master->trellis_quant = FALSE;
  coder.master->optimize_scans = FALSE;
  coder.scan_info = NULL;
  coder.num_scans = 0;
  if (scan_choice == 2) {
    coder.master->optimize_scans = TRUE;
    jpeg_simple_progression(&coder);
  } else if (scan_choice) {
    coder.num_scans = make_script(scan_choice);
    coder.scan_info = script;
  }
  jpeg_write_coefficients(&coder, arrays);
  jpeg_finish_compress(&coder);
  jpeg_destroy_compress(&coder);
  return written;
}
