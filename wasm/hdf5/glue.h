/* Declarations shared by the modules of the HDF5 rewriter. */
#ifndef WHITTLE_HDF5_GLUE_H
#define WHITTLE_HDF5_GLUE_H

#include <stddef.h>
#include <stdint.h>

#include "hdf5.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

enum { INPUT = 0, OUTPUT = 1 };
enum verdict { DONE = 0, MALFORMED = 1, UNSUPPORTED = 2, OVER_BUDGET = 3, DIFFERENT = 4 };

/* Host functions for ranges of the input and output file. They may block the caller. Return 0 on success. */
IMPORT(size) double host_size(int file);
IMPORT(read) int host_read(int file, double offset, void *to, int length);
IMPORT(write) int host_write(double offset, const void *from, int length);
IMPORT(resize) void host_resize(double size);
/* Reports the share of work done (0 to 1). The host may stop the program with an exception if the job was cancelled. */
IMPORT(tick) void host_tick(double share);
/* Begins the chunks of a dataset. `share`: share of bytes that Deflate left of a sample; below 0: unknown. */
IMPORT(dataset) void host_dataset(double share);
/* Returns the Deflate level for a chunk of `bytes`. After `level` made it `size` bytes: a slower level; 0: the result stays. */
IMPORT(level) int host_level(double bytes, int level, double size);

/* vfd.c: creates a file access property list whose driver calls the host. */
hid_t host_access(int file, H5F_libver_t low);
/* Bytes at the start of the output that are reserved for metadata. 0: metadata may be anywhere. */
extern hsize_t metadata_room;

/* libc.c: time in seconds that `time` returns, so that objects keep their original times. */
extern int64_t clock_seconds;
extern int out_of_memory;
/* Decoded size in bytes of the chunk that is read next; 0: unknown. Without it, the library doubles a buffer until it
 * suffices. */
extern size_t expected_chunk_bytes;

#define LATER_TYPE "a type of a later version of HDF5"
/* verdict.c: `fail` records the first error of a job (verdict and message); `failed` returns its verdict, 0 if there was none. */
int fail(int verdict, const char *what, const char *name);
int failed(void);

/* Pair of an object in the input and its counterpart in the output. */
typedef struct {
  haddr_t from, to;
  /* number of links that the input object's header counts */
  unsigned links;
} pair;

/* Both files of a job, and the pairs of their objects. */
typedef struct {
  hid_t input, output;
  pair *pairs; /* open addressing hash table; its length is a power of two */
  size_t pair_room, pair_count;
} file_pair;

/* pairs.c */
void forget_pairs(file_pair *files);
int add_pair(file_pair *files, haddr_t from, haddr_t to, unsigned links);
/* Returns the pair after `p`; `p` NULL: the first pair. Returns NULL after the last. */
const pair *next_pair(const file_pair *files, const pair *p);
/* Returns the output address of an input object; HADDR_UNDEF: none. */
haddr_t counterpart(const file_pair *files, haddr_t from);
haddr_t address_of(hid_t object);

/* Functions of values.c. */
enum contents { PLAIN = 0, HAS_REFERENCES = 1, HAS_VLEN = 2, HAS_BROKEN = 4, HAS_LATER = 8 };
int contents_of(hid_t type);
/* Converts references in `count` values from objects of the input to their counterparts in the output. */
int translate_references(const file_pair *files, hid_t type, void *values, size_t count);
/* Returns 1 if the values are equal, otherwise 0. References are equal if their targets are counterparts. */
int values_equal(const file_pair *files, hid_t type, const void *a, const void *b, size_t count);

/* filters.c: registers the filters beyond those of the library. */
void register_filters(void);
/* Registers a dataset's unknown filters by number, so that its chunks can be copied without decoding. Returns 0 on
 * success. */
int know_filters(hid_t plist);
/* True if a dataset has a filter that is known only by its number. */
int has_foreign_filter(hid_t plist);
/* True if chunks are copied and compared without decoding: unknown filter, or chunk too large for memory. */
int has_chunks_to_copy(hid_t plist, hid_t type);
int has_filter(hid_t plist, H5Z_filter_t wanted);
/* Filter number of LZF as used by h5py (The HDF Group's filter registry). */
#define FILTER_LZF 32000

/* Iteration over the boxes of a dataset, each small enough for memory. */
typedef struct {
  int rank;
  hsize_t size[H5S_MAX_RANK], box[H5S_MAX_RANK], start[H5S_MAX_RANK], count[H5S_MAX_RANK];
  size_t values;
  int ended;
} boxes;
/* Starts the iteration. `chunk`: box sizes are multiples of it; NULL: any size. */
void begin_boxes(boxes *b, int rank, const hsize_t *size, const hsize_t *chunk, size_t value_bytes, size_t limit_bytes);
int next_box(boxes *b);

#define MAX_OBJECTS 200000
#define MAX_DEPTH 100
#define MAX_BUFFER_BYTES (24u << 20)
#define BOX_BYTES (4u << 20)
/* Chunk size in bytes above which a compression level with less memory is used. */
#define LARGE_CHUNK_BYTES (31u << 19)

#endif
