/* Fields of a point record. */
#ifndef LAZ_LAYOUT_H
#define LAZ_LAYOUT_H

#include "../common/types.h"

typedef struct {
  u32 layered;              /* 1: point formats 6 to 10 (layered); 0: formats 0 to 5 */
  u32 time, rgb, nir, wave; /* 1: the record has GPS time, RGB, near infrared, wave packet */
  u32 extra;                /* number of extra bytes at the end of a record */
  u32 record;               /* record size in bytes */
} Layout;

#endif
