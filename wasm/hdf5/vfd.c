/* Virtual file driver that reads and writes ranges through the host (H5FDpublic.h). Files are smaller than 2^53 bytes,
 * so that offsets fit into a double. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

typedef struct {
  H5FD_t pub;
  int file;
  haddr_t eoa, eof;
  haddr_t metadata_at, metadata_end; /* remaining part of the space reserved for metadata */
} host_file;

hsize_t metadata_room;

static H5FD_t *host_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) {
  (void)fapl, (void)maxaddr;
  host_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->file = name[0] == '1' ? OUTPUT : INPUT;
  f->eof = flags & H5F_ACC_TRUNC ? 0 : (haddr_t)host_size(f->file);
  return &f->pub;
}

static herr_t host_close(H5FD_t *file) {
  free(file);
  return 0;
}

static int host_cmp(const H5FD_t *a, const H5FD_t *b) { return ((const host_file *)a)->file - ((const host_file *)b)->file; }

static herr_t host_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  /* No metadata aggregation, because unused parts of its blocks would stay in the file as gaps. */
  if (flags) *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

static haddr_t host_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const host_file *)file)->eoa;
}

static herr_t host_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((host_file *)file)->eoa = address;
  return 0;
}

/* Allocates file space. The library writes values first and metadata last. With reserved space for metadata at the
 * start, everything after it is written once and in order. Values, and heaps of variable-length values, never use the
 * reserved space. */
static haddr_t host_alloc(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, hsize_t bytes) {
  (void)dxpl;
  host_file *f = (host_file *)file;
  if (f->file == OUTPUT && metadata_room && !f->metadata_end) {
    f->metadata_at = f->eoa;
    f->metadata_end = f->eoa += metadata_room;
  }
  if (type != H5FD_MEM_DRAW && type != H5FD_MEM_GHEAP && f->metadata_end - f->metadata_at >= bytes) {
    f->metadata_at += bytes;
    return f->metadata_at - bytes;
  }
  f->eoa += bytes;
  return f->eoa - bytes;
}

static haddr_t host_get_eof(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const host_file *)file)->eof;
}

static herr_t read_range(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t bytes, void *buffer) {
  (void)type, (void)dxpl;
  host_file *f = (host_file *)file;
  /* Bytes after the end of the file read as zero, as in other drivers. */
  size_t inside = address >= f->eof ? 0 : f->eof - address < bytes ? (size_t)(f->eof - address) : bytes;
  memset((char *)buffer + inside, 0, bytes - inside);
  if (bytes > INT32_MAX || address + bytes < address) return -1;
  return inside == 0 || host_read(f->file, (double)address, buffer, (int)inside) == 0 ? 0 : -1;
}

static herr_t write_range(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t bytes, const void *buffer) {
  (void)type, (void)dxpl;
  host_file *f = (host_file *)file;
  if (f->file != OUTPUT || bytes > INT32_MAX || host_write((double)address, buffer, (int)bytes) != 0) return -1;
  if (address + bytes > f->eof) f->eof = address + bytes;
  return 0;
}

static herr_t host_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing) {
  (void)dxpl, (void)closing;
  host_file *f = (host_file *)file;
  if (f->file == OUTPUT && f->eof != f->eoa) {
    host_resize((double)f->eoa);
    f->eof = f->eoa;
  }
  return 0;
}

/* Any number between H5_VFD_RESERVED and H5_VFD_MAX. */
#define DRIVER_NUMBER 511

static const H5FD_class_t driver_class = {
    .version = H5FD_CLASS_VERSION,
    .value = DRIVER_NUMBER,
    .name = "host",
    .maxaddr = (haddr_t)1 << 52,
    .fc_degree = H5F_CLOSE_STRONG,
    .open = host_open,
    .close = host_close,
    .cmp = host_cmp,
    .query = host_query,
    .alloc = host_alloc,
    .get_eoa = host_get_eoa,
    .set_eoa = host_set_eoa,
    .get_eof = host_get_eof,
    .read = read_range,
    .write = write_range,
    .truncate = host_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t host_access(int file, H5F_libver_t low) {
  static hid_t driver = -1;
  if (driver < 0) driver = H5FDregister(&driver_class);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0 || H5Pset_driver(access, driver, NULL) < 0) return -1;
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST);
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(access, &cache) >= 0) {
    cache.max_size = 6u << 20;
    cache.min_size = 1u << 20;
    cache.initial_size = 2u << 20;
    H5Pset_mdc_config(access, &cache);
  }
  /* No chunk cache: chunks are read once, and a cached chunk for a position that was never written would be reported as
   * written (dataset.c). */
  if (file == INPUT) H5Pset_cache(access, 0, 1, 0, 0);
  return access;
}
