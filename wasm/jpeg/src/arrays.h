/* libjpeg's virtual block arrays, made of stores: a window of a few block rows over packed rows. */
#ifndef WHITTLE_JPEG_ARRAYS_H
#define WHITTLE_JPEG_ARRAYS_H

#include "store.h"

/* Receives a store that libjpeg asked for, and how many it asked for before. */
typedef void StoreMade(void *context, Store *store, int request);

/* What a libjpeg object has as its client_data. */
typedef struct {
  Packing *packing;
  StoreMade *made; /* NULL: nobody asks */
  void *context;
  int requests;
} PackedArrays;

/* Makes a libjpeg object keep its coefficients in stores. */
void use_packed_arrays(j_common_ptr object, PackedArrays *arrays);
/* The context of an object's arrays, for its other callbacks. */
static inline void *context_of(j_common_ptr object) { return ((PackedArrays *)object->client_data)->context; }

#endif
