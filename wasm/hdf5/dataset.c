/* Reads, writes and compares the values of datasets, in boxes that fit into memory. */
#include <stdlib.h>
#include <string.h>

#include "storage.h"

/* Largest number of chunk positions in a dataset; checking more would take minutes. */
#define MAX_CHUNKS (1u << 22)

static hid_t box_in_memory(const boxes *b) {
  return b->rank ? H5Screate_simple(b->rank, b->count, NULL) : H5Screate(H5S_SCALAR);
}

static hid_t box_in_file(hid_t set, const boxes *b) {
  hid_t space = H5Dget_space(set);
  if (space >= 0 && b->rank && H5Sselect_hyperslab(space, H5S_SELECT_SET, b->start, NULL, b->count, NULL) < 0) {
    H5Sclose(space);
    return -1;
  }
  return space;
}

int read_box(hid_t set, hid_t type, const boxes *b, void *values) {
  hid_t memory = box_in_memory(b), file = box_in_file(set, b);
  int done = memory >= 0 && file >= 0 && H5Dread(set, type, memory, file, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (file >= 0) H5Sclose(file);
  return done;
}

static int write_box(hid_t set, hid_t type, const boxes *b, const void *values) {
  hid_t memory = box_in_memory(b), file = box_in_file(set, b);
  int done = memory >= 0 && file >= 0 && H5Dwrite(set, type, memory, file, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (file >= 0) H5Sclose(file);
  return done;
}

static void reclaim(hid_t type, const boxes *b, void *values) {
  hid_t memory = box_in_memory(b);
  H5Dvlen_reclaim(type, memory, H5P_DEFAULT, values);
  H5Sclose(memory);
}

/* Divides a box into parts of some rows of its first dimension longer than 1, if two boxes do not fit into memory. */
static void begin_parts(boxes *part, const boxes *whole) {
  *part = *whole;
  part->ended = -1;
}

/* Returns the rows per part, of `*row` bytes each; `*dimension` is the dimension that is divided. */
static hsize_t rows_of_part(const boxes *whole, size_t value, int *dimension, double *row) {
  for (*dimension = 0; *dimension + 1 < whole->rank && whole->count[*dimension] == 1;) ++*dimension;
  *row = (double)value;
  for (int i = *dimension + 1; i < whole->rank; i++) *row *= (double)whole->count[i];
  return *row >= BOX_BYTES ? 1 : (hsize_t)(BOX_BYTES / *row);
}

static int next_part(boxes *part, const boxes *whole, size_t value) {
  int d;
  double row;
  if (whole->rank == 0) {
    int first = part->ended < 0;
    part->ended = 0;
    return first;
  }
  hsize_t rows = rows_of_part(whole, value, &d, &row);
  hsize_t done = part->ended < 0 ? 0 : part->start[d] + part->count[d] - whole->start[d], left = whole->count[d] - done;
  part->ended = 0;
  part->start[d] = whole->start[d] + done;
  part->count[d] = rows < left ? rows : left;
  part->values = whole->count[d] ? whole->values / whole->count[d] * part->count[d] : 0;
  return left > 0;
}

/* Iteration over the values of a dataset. */
typedef struct {
  hid_t type;
  int contents, chunked;
  boxes b;
  size_t bytes;  /* size of the largest box in bytes */
  double places; /* total number of boxes of the dataset */
} visit;

/* Starts iterating over a dataset. `raw`: chunks are not decoded, whatever their decoded size is. */
static int begin_visit(visit *v, hid_t set, hid_t boxes_of, int raw) {
  hid_t space = H5Dget_space(set), plist = H5Dget_create_plist(boxes_of), own = H5Dget_create_plist(set);
  hsize_t size[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_ndims(space);
  int in_chunks = H5Pget_layout(plist) == H5D_CHUNKED;
  v->type = H5Dget_type(set);
  v->contents = contents_of(v->type);
  v->chunked = H5Pget_layout(own) == H5D_CHUNKED;
  if (rank < 0 || v->type < 0) return fail(MALFORMED, "a dataset without space or type", NULL);
  if (rank) H5Sget_simple_extent_dims(space, size, NULL);
  if (in_chunks && H5Pget_chunk(plist, rank, chunk) != rank) return fail(MALFORMED, "a chunk of another rank", NULL);
  size_t value = H5Tget_size(v->type);
  /* A chunked dataset is read chunk by chunk, so that chunks never written stay unwritten. */
  begin_boxes(&v->b, rank, size, in_chunks ? chunk : NULL, value,
              v->chunked               ? 1
              : v->contents & HAS_VLEN ? BOX_BYTES / 8
                                       : BOX_BYTES);
  double bytes = (double)value, places = 1;
  for (int i = 0; i < rank; i++) {
    bytes *= (double)(v->b.box[i] < size[i] ? v->b.box[i] : size[i]);
    places *= (double)((size[i] + v->b.box[i] - 1) / v->b.box[i]);
  }
  H5Pclose(plist), H5Pclose(own), H5Sclose(space);
  if (raw) bytes = 1;
  if (bytes > MAX_BUFFER_BYTES) return fail(OVER_BUDGET, "a chunk too large for memory", NULL);
  if (v->chunked && places > MAX_CHUNKS) return fail(OVER_BUDGET, "too many places for chunks", NULL);
  v->bytes = (size_t)bytes;
  expected_chunk_bytes = v->chunked ? v->bytes : 0;
  v->places = places;
  return 0;
}

/* Checks which chunks of a dataset were ever written. For a single position, the library does not distinguish a missing
 * chunk from an error. Therefore found chunks are counted, and their number must match the index.
 * H5Dget_chunk_info_by_coord could tell, but it scans the whole index for each query. */
typedef struct {
  hid_t set;
  hsize_t chunks, found;
  int dense; /* every chunk position of the dataset has a chunk */
} written_chunks;

static int begin_written(written_chunks *w, hid_t set, const visit *v) {
  w->set = set;
  w->found = w->chunks = 0;
  hid_t space = H5Dget_space(set);
  int known = H5Dget_num_chunks(set, space, &w->chunks) >= 0;
  H5Sclose(space);
  if (!known) return fail(MALFORMED, "a chunk index", NULL);
  w->dense = (double)w->chunks >= v->places;
  return 0;
}

static int is_written(written_chunks *w, const hsize_t *start) {
  hsize_t bytes;
  if (w->dense) return 1;
  int written = H5Dget_chunk_storage_size(w->set, start, &bytes) >= 0;
  w->found += (hsize_t)written;
  return written;
}

/* Checks the number of found chunks. Called after all positions were queried. */
static int end_written(const written_chunks *w) {
  return !failed() && !w->dense && w->found != w->chunks
             ? fail(UNSUPPORTED, "chunks outside of their dataset, or out of reach", NULL)
             : failed();
}

/* Returns a chunk without decoding it; NULL on errors, which are reported by `fail`. */
static void *raw_chunk(hid_t set, const hsize_t *start, hsize_t *bytes, uint32_t *mask) {
  if (H5Dget_chunk_storage_size(set, start, bytes) < 0) return fail(MALFORMED, "a chunk's length", NULL), NULL;
  void *values = *bytes > MAX_BUFFER_BYTES ? NULL : malloc(*bytes ? (size_t)*bytes : 1);
  if (!values) return fail(OVER_BUDGET, "a chunk too large for memory", NULL), NULL;
  if (H5Dread_chunk(set, H5P_DEFAULT, start, mask, values) >= 0) return values;
  free(values);
  return fail(MALFORMED, "a chunk that cannot be read", NULL), NULL;
}

static int copy_raw_chunk(hid_t from, hid_t to, const hsize_t *start) {
  hsize_t bytes;
  uint32_t mask = 0;
  void *values = raw_chunk(from, start, &bytes, &mask);
  if (!values) return failed();
  int done = H5Dwrite_chunk(to, H5P_DEFAULT, mask, start, (size_t)bytes, values) >= 0;
  free(values);
  return done ? 0 : fail(UNSUPPORTED, "a chunk that cannot be written", NULL);
}

static int raw_chunks_differ(hid_t a, hid_t b, const hsize_t *start) {
  hsize_t bytes[2];
  uint32_t mask[2] = {0, 0};
  void *x = raw_chunk(a, start, &bytes[0], &mask[0]);
  void *y = x ? raw_chunk(b, start, &bytes[1], &mask[1]) : NULL;
  if (x && y && (bytes[0] != bytes[1] || mask[0] != mask[1] || memcmp(x, y, (size_t)bytes[0])))
    fail(DIFFERENT, "a chunk", NULL);
  free(x), free(y);
  return failed();
}

int copy_values(const file_pair *files, hid_t from, hid_t to, int raw_chunks) {
  visit v;
  if (H5Dget_storage_size(from) == 0) return 0; /* no value of the dataset was ever written */
  if (begin_visit(&v, from, to, raw_chunks)) return failed();
  written_chunks chunks;
  if (v.chunked && begin_written(&chunks, from, &v)) return failed();
  void *values = malloc(v.bytes ? v.bytes : 1);
  if (!values) return fail(OVER_BUDGET, "values", NULL);
  while (!failed() && next_box(&v.b)) {
    host_tick(-1);
    if (v.chunked && !is_written(&chunks, v.b.start)) continue;
    if (raw_chunks) {
      copy_raw_chunk(from, to, v.b.start);
      continue;
    }
    if (v.contents & HAS_VLEN) memset(values, 0, v.bytes);
    if (!read_box(from, v.type, &v.b, values)) {
      fail(MALFORMED, "values that cannot be read", NULL);
      break;
    }
    if (!translate_references(files, v.type, values, v.b.values) && !write_box(to, v.type, &v.b, values))
      fail(UNSUPPORTED, "values that cannot be written", NULL);
    /* if a filter fails for lack of memory, the library stores the chunk unfiltered */
    if (out_of_memory) fail(OVER_BUDGET, "values", NULL);
    if (v.contents & HAS_VLEN) reclaim(v.type, &v.b, values);
  }
  if (v.chunked) end_written(&chunks);
  free(values);
  H5Tclose(v.type);
  return failed();
}

/* Returns the largest size in bytes of any part of any box. */
static size_t largest_part(const visit *v) {
  size_t value = H5Tget_size(v->type);
  double most = BOX_BYTES;
  /* Boxes at an edge may have a single row in a dimension, and are then divided in the next dimension. */
  double row = (double)v->bytes / 2;
  if (most < row) most = row;
  if (most < (double)value) most = (double)value;
  if (most > (double)v->bytes) most = (double)v->bytes;
  return most >= 1 ? (size_t)most : 1;
}

int compare_values(const file_pair *files, hid_t a, hid_t b) {
  visit v;
  if (H5Dget_storage_size(a) == 0 && H5Dget_storage_size(b) == 0) return 0;
  if (begin_visit(&v, a, b, 0)) return failed();
  written_chunks in_a, in_b;
  if (v.chunked && (begin_written(&in_a, a, &v) || begin_written(&in_b, b, &v))) return failed();
  hid_t type = H5Dget_type(b);
  size_t room = largest_part(&v);
  char *values = malloc(room), *others = malloc(room);
  if (!values || !others) return fail(OVER_BUDGET, "values", NULL);
  while (!failed() && next_box(&v.b)) {
    host_tick(-1);
    if (v.chunked) {
      int written_a = is_written(&in_a, v.b.start), written_b = is_written(&in_b, v.b.start);
      if (!written_a && !written_b) continue;
    }
    boxes part;
    begin_parts(&part, &v.b);
    while (!failed() && next_part(&part, &v.b, H5Tget_size(v.type))) {
      memset(values, 0, room), memset(others, 0, room);
      if (!read_box(a, v.type, &part, values) || !read_box(b, type, &part, others)) {
        fail(DIFFERENT, "values that cannot be read", NULL);
        break;
      }
      if (!values_equal(files, v.type, values, others, part.values)) fail(DIFFERENT, "values", NULL);
      if (v.contents & HAS_VLEN) reclaim(v.type, &part, values), reclaim(type, &part, others);
    }
  }
  if (v.chunked) end_written(&in_a), end_written(&in_b);
  free(values), free(others);
  H5Tclose(v.type), H5Tclose(type);
  return failed();
}

int compare_chunks(hid_t a, hid_t b) {
  visit v;
  if (H5Dget_storage_size(a) == 0 && H5Dget_storage_size(b) == 0) return 0;
  if (begin_visit(&v, a, b, 1)) return failed();
  written_chunks in_a, in_b;
  if (begin_written(&in_a, a, &v) || begin_written(&in_b, b, &v)) return failed();
  while (!failed() && next_box(&v.b)) {
    host_tick(-1);
    int written_a = is_written(&in_a, v.b.start), written_b = is_written(&in_b, v.b.start);
    if (written_a != written_b) fail(DIFFERENT, "which chunks were written", NULL);
    else if (written_a) raw_chunks_differ(a, b, v.b.start);
  }
  end_written(&in_a), end_written(&in_b);
  H5Tclose(v.type);
  return failed();
}
