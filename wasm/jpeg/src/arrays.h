/* Implements libjpeg's virtual block arrays on top of stores: a window of a few block rows over packed rows. */
#ifndef WHITTLE_JPEG_ARRAYS_H
#define WHITTLE_JPEG_ARRAYS_H

#include "store.h"

/* Callback for each store that libjpeg requests. `request`: number of earlier requests. */
typedef void StoreMade(void *context, Store *store, int request);

/* client_data of a libjpeg object whose arrays are packed. */
typedef struct {
  Packing *packing;
  StoreMade *made; /* called for each store; NULL: no callback */
  void *context;
  int requests;
} PackedArrays;

/* Makes a libjpeg object keep its coefficients in packed stores. */
void use_packed_arrays(j_common_ptr object, PackedArrays *arrays);
/* Returns the context of an object's packed arrays, for the object's other callbacks. */
static inline void *context_of(j_common_ptr object) { return ((PackedArrays *)object->client_data)->context; }

#endif
