/* What a point record holds. */
#ifndef LAZ_LAYOUT_H
#define LAZ_LAYOUT_H

#include "../common/types.h"

typedef struct {
  u32 layered;              /* point formats 6 to 10; otherwise 0 to 5 */
  u32 time, rgb, nir, wave; /* 1: the record has that field */
  u32 extra;                /* bytes at its end that the file describes */
  u32 record;               /* bytes in all */
} Layout;

#endif
