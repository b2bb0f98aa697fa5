/* What the parts of the rewriter share. */
#ifndef WHITTLE_HDF5_GLUE_H
#define WHITTLE_HDF5_GLUE_H

#include <stddef.h>
#include <stdint.h>

#include "hdf5.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

enum { INPUT = 0, OUTPUT = 1 };
enum verdict { DONE = 0, MALFORMED = 1, UNSUPPORTED = 2, OVER_BUDGET = 3, DIFFERENT = 4 };

/* The two files, by ranges; the host may make the caller wait. 0: done. */
IMPORT(size) double host_size(int file);
IMPORT(read) int host_read(int file, double offset, void *to, int length);
IMPORT(write) int host_write(double offset, const void *from, int length);
IMPORT(resize) void host_resize(double size);
/* Share of the work done; stops the program (by an exception) when nobody waits for it any more. */
IMPORT(tick) void host_tick(double share);

/* vfd.c: a file access property list whose driver speaks to the host. */
hid_t host_access(int file, H5F_libver_t low);
/* Bytes at the head of the output that only metadata may have. 0: they go anywhere. */
extern hsize_t metadata_room;

/* libc.c: what `time` says from now on, so that objects keep their times. */
extern int64_t clock_seconds;
extern int out_of_memory;
/* What a chunk that is read next comes to when it is inflated; 0: unknown. The library would double a buffer until it suffices. */
extern size_t expected_chunk_bytes;

/* The first reason for which a job ended, and its words. */
int fail(int verdict, const char *what, const char *name);
int failed(void);

/* addresses.c: which object of the output stands for which of the input. */
typedef struct {
  haddr_t from, to;
  /* What the input's header counts. */
  unsigned links;
} pair;
void forget_pairs(void);
int add_pair(haddr_t from, haddr_t to, unsigned links);
/* The one after `p`, or the first after NULL; NULL after the last. */
const pair *next_pair(const pair *p);
/* HADDR_UNDEF when there is none. */
haddr_t counterpart(haddr_t from);
haddr_t address_of(hid_t object);

/* values.c */
enum contents { PLAIN = 0, HAS_REFERENCES = 1, HAS_VLEN = 2, HAS_BROKEN = 4 };
int contents_of(hid_t type);
/* Turns references into `input` in `count` values into references into `output`. */
int translate_references(hid_t type, void *values, size_t count, hid_t input, hid_t output);
/* 1 equal, 0 not. References are equal when their targets are counterparts. */
int values_equal(hid_t type, const void *a, const void *b, size_t count, hid_t input, hid_t output);

/* filters.c: filters beside those of the library. */
void register_filters(void);
/* Makes a dataset's filters known by their numbers, so that its chunks can be copied as they stand. 0: done. */
int know_filters(hid_t plist);
/* Whether a dataset has a filter that is known by its number alone. */
int has_foreign_filter(hid_t plist);
/* Whether chunks are copied and compared as they stand: behind such a filter, or too large to be decoded here. */
int has_chunks_to_copy(hid_t plist, hid_t type);
int has_filter(hid_t plist, H5Z_filter_t wanted);
/* LZF, as h5py writes it (The HDF Group's register of filters). */
#define FILTER_LZF 32000

/* Boxes of a dataset that fit in memory, one after the other. */
typedef struct {
  int rank;
  hsize_t size[H5S_MAX_RANK], box[H5S_MAX_RANK], start[H5S_MAX_RANK], count[H5S_MAX_RANK];
  size_t values;
  int ended;
} boxes;
/* `chunk` (or NULL) is what boxes are multiples of. */
void begin_boxes(boxes *b, int rank, const hsize_t *size, const hsize_t *chunk, size_t value_bytes, size_t limit_bytes);
int next_box(boxes *b);

#define MAX_OBJECTS 200000
#define MAX_DEPTH 100
#define MAX_BUFFER_BYTES (24u << 20)
#define BOX_BYTES (4u << 20)
/* Chunks above this are compressed with less memory beside them. */
#define LARGE_CHUNK_BYTES (31u << 19)

#endif
