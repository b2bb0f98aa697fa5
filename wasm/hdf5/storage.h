#ifndef WHITTLE_HDF5_STORAGE_H
#define WHITTLE_HDF5_STORAGE_H

#include "glue.h"

enum { RAW_CHUNKS = 1 };

/* Changes a creation property list so that the dataset's values are stored in fewer bytes. Never drops a filter.
 * Returns RAW_CHUNKS if chunks must be copied without decoding, because re-encoding could change them. `compact_index`:
 * the file version supports chunk indexes without extra size. */
int plan_storage(hid_t set, hid_t type, hid_t space, hid_t plist, int compact_index);

/* Functions of dataset.c. */
/* Reads the values of a box in the file's own type. Returns 0 if they cannot be read. */
int read_box(hid_t set, hid_t type, const boxes *b, void *values);
/* Copies all values that were ever written. */
int copy_values(const file_pair *files, hid_t from, hid_t to, int raw_chunks);
/* Compares the values of two datasets. Fails with DIFFERENT if one differs. */
int compare_values(const file_pair *files, hid_t a, hid_t b);
/* Compares the chunks of two datasets without decoding them. Fails with DIFFERENT if one differs. */
int compare_chunks(hid_t a, hid_t b);

#endif
