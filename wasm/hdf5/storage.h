#ifndef WHITTLE_HDF5_STORAGE_H
#define WHITTLE_HDF5_STORAGE_H

#include "glue.h"

enum { RAW_CHUNKS = 1 };

/*
 * Changes a creation property list so that the dataset's values become smaller, never dropping a filter. RAW_CHUNKS: its
 * chunks are to be copied as they stand, because decoding and coding them again may change them.
 * `compact_index`: the file's version has chunk indexes that cost nothing.
 */
int plan_storage(hid_t set, hid_t type, hid_t space, hid_t plist, int compact_index);

/* dataset.c */
/* Values of a box, in the file's own type. 0: they cannot be read. */
int read_box(hid_t set, hid_t type, const boxes *b, void *values);
/* Copies every value that was ever written. */
int copy_values(hid_t from, hid_t to, int raw_chunks, hid_t input, hid_t output);
/* Fails with DIFFERENT when a value differs. */
int compare_values(hid_t a, hid_t b, hid_t input, hid_t output);
/* The same of chunks as they stand in the files. */
int compare_chunks(hid_t a, hid_t b);

#endif
