/* Filters beyond those of the library. LZF (from h5py) is decoded. All other filters are known only by number: their
 * chunks are copied and compared without decoding, and their values are never read. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

#define MAX_FOREIGN 32
#define SHORT_CHUNK_BYTES (1u << 20)

/* Called by H5Zregister for filter numbers that the library reserves for itself, such as szip. */
herr_t H5Z_register(const H5Z_class2_t *class);

/* Filters known only by number. Like the registry of the library, the list belongs to the process and not to a job. */
static struct {
  H5Z_filter_t numbers[MAX_FOREIGN];
  int count;
} foreign;

/* Decodes LZF. A byte below 32 starts a run of byte + 1 literals. Otherwise its upper three bits plus 2 are the length
 * of a repetition; 7 means that the next byte is added. The distance is its lower five bits and the next byte, plus 1.
 * Returns the length; 0: damaged data. `out` NULL: only computes the length. */
static size_t unlzf(const uint8_t *in, size_t bytes, uint8_t *out, size_t room) {
  const uint8_t *end = in + bytes;
  size_t at = 0;
  while (in < end) {
    size_t control = *in++;
    if (control < 32) {
      size_t run = control + 1;
      if (run > (size_t)(end - in) || run > room - at) return 0;
      if (out) memcpy(out + at, in, run);
      in += run, at += run;
      continue;
    }
    size_t length = control >> 5;
    if (length == 7) {
      if (in == end) return 0;
      length += *in++;
    }
    length += 2;
    if (in == end) return 0;
    size_t back = ((control & 31) << 8 | *in++) + 1;
    if (back > at || length > room - at) return 0;
    for (; length > 0; length--, at++)
      if (out) out[at] = out[at - back];
  }
  return at;
}

/* Filter callback for LZF. The third parameter is the decoded chunk size, if known. */
static size_t lzf(unsigned flags, size_t count, const unsigned *parameters, size_t bytes, size_t *room, void **buffer) {
  if (!(flags & H5Z_FLAG_REVERSE)) return 0;
  size_t length = unlzf(*buffer, bytes, NULL, MAX_BUFFER_BYTES), whole = count > 2 ? parameters[2] : 0;
  if (!length || whole > MAX_BUFFER_BYTES) return 0;
  /* A chunk shorter than declared is padded with zeros, so that memory after it is not read. */
  if (whole != length && whole < SHORT_CHUNK_BYTES) whole = SHORT_CHUNK_BYTES;
  if (whole < length) whole = length;
  void *decoded = calloc(1, whole);
  if (!decoded) return 0;
  unlzf(*buffer, bytes, decoded, length);
  free(*buffer);
  *buffer = decoded;
  *room = whole;
  return length;
}

static size_t unknown(unsigned flags, size_t count, const unsigned *parameters, size_t bytes, size_t *room,
                      void **buffer) {
  (void)flags, (void)count, (void)parameters, (void)bytes, (void)room, (void)buffer;
  return 0;
}

void register_filters(void) {
  static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, FILTER_LZF, 1, 1, "lzf", NULL, NULL, lzf};
  H5Zregister(&class);
}

static H5Z_filter_t filter_at(hid_t plist, int index) {
  unsigned flags, config;
  size_t values = 0;
  return H5Pget_filter2(plist, (unsigned)index, &flags, &values, NULL, 0, NULL, &config);
}

int know_filters(hid_t plist) {
  for (int i = 0, n = H5Pget_nfilters(plist); i < n; i++) {
    H5Z_filter_t filter = filter_at(plist, i);
    if (H5Zfilter_avail(filter) > 0) continue;
    H5Z_class2_t class = {H5Z_CLASS_T_VERS, filter, 1, 1, "unknown", NULL, NULL, unknown};
    if (foreign.count == MAX_FOREIGN || H5Z_register(&class) < 0) return -1;
    foreign.numbers[foreign.count++] = filter;
  }
  return 0;
}

int has_filter(hid_t plist, H5Z_filter_t wanted) {
  for (int i = 0, n = H5Pget_nfilters(plist); i < n; i++)
    if (filter_at(plist, i) == wanted) return 1;
  return 0;
}

int has_foreign_filter(hid_t plist) {
  for (int i = 0; i < foreign.count; i++)
    if (has_filter(plist, foreign.numbers[i])) return 1;
  return 0;
}

int has_chunks_to_copy(hid_t plist, hid_t type) {
  if (H5Pget_layout(plist) != H5D_CHUNKED) return 0;
  if (has_foreign_filter(plist)) return 1;
  hsize_t chunk[H5S_MAX_RANK];
  double bytes = (double)H5Tget_size(type);
  for (int i = 0, rank = H5Pget_chunk(plist, H5S_MAX_RANK, chunk); i < rank; i++) bytes *= (double)chunk[i];
  return bytes > MAX_BUFFER_BYTES && contents_of(type) == PLAIN;
}
