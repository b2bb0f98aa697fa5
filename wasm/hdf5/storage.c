/* Chooses filters and chunk shape of a dataset from a sample of its values. */
#include <stdlib.h>
#include <string.h>

#include "libdeflate.h"
#include "storage.h"

enum {
  SAMPLE_BYTES = 512 << 10,
  LARGEST_SAMPLE = 2 << 20,
  SAMPLE_CHUNKS = 256,
  CHUNK_BYTES = 1 << 20,
  VLEN_ON_DISK = 16,
  SAMPLE_LEVEL = 7
};

static void shuffle(char *to, const char *from, size_t values, size_t bytes) {
  for (size_t b = 0; b < bytes; b++)
    for (size_t i = 0; i < values; i++) *to++ = from[i * bytes + b];
}

/* Compresses a sample of the values, plain and shuffled, and stores both sizes in `sizes`. A form that is not wanted gets the
 * size of the other. Returns 0 if this is not possible. */
static size_t try_sample(hid_t set, hid_t type, int rank, const hsize_t *size, const hsize_t *chunk, int had_shuffle,
                         size_t sizes[2]) {
  size_t bytes = H5Tget_size(type);
  /* Limits the number of chunks, because the library holds some kilobytes for each chunk that a read touches. */
  double most = chunk ? (double)SAMPLE_CHUNKS * (double)bytes : SAMPLE_BYTES;
  for (int i = 0; chunk && i < rank; i++) most *= (double)chunk[i];
  expected_chunk_bytes = chunk && most / SAMPLE_CHUNKS < MAX_BUFFER_BYTES ? (size_t)(most / SAMPLE_CHUNKS) : 0;
  boxes b;
  begin_boxes(&b, rank, size, chunk, bytes, most < SAMPLE_BYTES ? (size_t)most : SAMPLE_BYTES);
  for (int i = 0; i < rank; i++) { /* sample from the middle, aligned to a chunk */
    hsize_t steps = size[i] / b.box[i] / 2;
    b.start[i] = steps * b.box[i];
  }
  if (!next_box(&b)) return 0;
  if (b.values * bytes > MAX_BUFFER_BYTES) return fail(OVER_BUDGET, "a chunk too large for memory", NULL), 0;
  /* A large chunk must be read whole; the sample is its middle. */
  size_t some = LARGEST_SAMPLE / bytes;
  if (some < 1) some = 1;
  if (some > b.values) some = b.values;
  char *values = malloc(b.values * bytes), *shuffled = malloc(some * bytes);
  void *room = malloc(some * bytes + 4096);
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(SAMPLE_LEVEL);
  size_t sampled = 0;
  if (values && shuffled && room && compressor && read_box(set, type, &b, values)) {
    const char *middle = values + (b.values - some) / 2 * bytes;
    size_t all = sampled = some * bytes;
    sizes[0] = sizes[1] = 0;
    if (!had_shuffle || bytes == 1) sizes[0] = libdeflate_deflate_compress(compressor, middle, all, room, all + 4096);
    if (bytes > 1) {
      shuffle(shuffled, middle, some, bytes);
      sizes[1] = libdeflate_deflate_compress(compressor, shuffled, all, room, all + 4096);
      if (!sizes[1]) sizes[1] = all;
    }
    if (!sizes[0]) sizes[0] = had_shuffle && bytes > 1 ? sizes[1] : all;
    if (bytes == 1) sizes[1] = sizes[0];
  }
  libdeflate_free_compressor(compressor);
  free(values), free(shuffled), free(room);
  return sampled;
}

/* Size in bytes of a version 1 B-tree node for chunks (format specification III.A.1) with K = 32, used by files without
 * newer features. */
static size_t index_bytes(int rank) { return 24 + 65 * (8 + 8 * ((size_t)rank + 1)) + 64 * 8; }

/* Sets incremental allocation for raw chunks. They are written once at their final length; unwritten chunks stay
 * unwritten. */
static int raw_chunks(hid_t plist) {
  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_INCR);
  return RAW_CHUNKS;
}

int plan_storage(hid_t set, hid_t type, hid_t space, hid_t plist, int compact_index) {
  int rank = H5Sget_simple_extent_ndims(space), contents = contents_of(type);
  hsize_t size[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
  H5D_layout_t layout = H5Pget_layout(plist);
  host_dataset(-1);
  size_t on_disk = contents & HAS_VLEN ? VLEN_ON_DISK : H5Tget_size(type);
  if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || rank < 1 || (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED))
    return 0;
  if (H5Dget_storage_size(set) == 0 && layout == H5D_CONTIGUOUS) return 0;
  H5Sget_simple_extent_dims(space, size, NULL);
  /* variable-length values inside compounds stay unchanged */
  if (H5Tdetect_class(type, H5T_VLEN) > 0 && H5Tget_class(type) != H5T_VLEN) return 0;

  if (has_chunks_to_copy(plist, type)) return raw_chunks(plist);
  if (has_filter(plist, H5Z_FILTER_NBIT) || has_filter(plist, H5Z_FILTER_SCALEOFFSET)) return RAW_CHUNKS;
  int had_shuffle = has_filter(plist, H5Z_FILTER_SHUFFLE), had_checksum = has_filter(plist, H5Z_FILTER_FLETCHER32);
  int shuffled = had_shuffle || (contents & HAS_VLEN) != 0;

  if (layout == H5D_CHUNKED) {
    if (H5Pget_chunk(plist, rank, chunk) != rank) return fail(MALFORMED, "a chunk of another rank", NULL), 0;
  } else {
    double total = (double)on_disk;
    for (int i = 0; i < rank; i++) total *= (double)(chunk[i] = size[i]);
    if (total < 256) return 0;
    for (int i = 0; i < rank && total > CHUNK_BYTES; i++) {
      double slice = total / (double)chunk[i];
      hsize_t fits = slice >= CHUNK_BYTES ? 1 : (hsize_t)(CHUNK_BYTES / slice);
      /* Divides a dimension into equal parts: 1000 rows of which 600 fit become 2 × 500. */
      hsize_t parts = (chunk[i] + fits - 1) / fits;
      chunk[i] = (size[i] + parts - 1) / parts;
      total = slice * (double)chunk[i];
    }
  }
  for (int i = 0; i < rank; i++)
    if (size[i] == 0) return 0; /* empty dataset: no values to sample and nothing to gain */
  if (contents == PLAIN) {
    size_t sizes[2],
        sampled = try_sample(set, type, rank, size, layout == H5D_CHUNKED ? chunk : NULL, had_shuffle, sizes);
    if (!sampled) return fail(MALFORMED, "values that cannot be read", NULL), 0;
    if (!had_shuffle) shuffled = H5Tget_size(type) > 1 && sizes[1] < sizes[0];
    size_t best = shuffled ? sizes[1] : sizes[0];
    host_dataset((double)best / (double)sampled);
    if (layout == H5D_CONTIGUOUS) {
      double total = (double)H5Dget_storage_size(set);
      if (total * (double)best / (double)sampled + (compact_index ? 64 : (double)index_bytes(rank) + 64) >= total)
        return 0;
    }
  } else if (layout == H5D_CONTIGUOUS && (double)H5Dget_storage_size(set) < 3.0 * (double)index_bytes(rank)) {
    return 0;
  }
  if (layout == H5D_CONTIGUOUS && H5Pset_chunk(plist, rank, chunk) < 0)
    return fail(UNSUPPORTED, "chunks cannot be set", NULL), 0;
  while (H5Pget_nfilters(plist) > 0)
    if (H5Premove_filter(plist, H5Z_FILTER_ALL) < 0) break;
  if (shuffled) H5Pset_shuffle(plist);
  H5Pset_deflate(plist, 9);
  if (had_checksum) H5Pset_fletcher32(plist);
  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_INCR); /* chunks are written once, at their final length */
  return 0;
}
