/* Orders of palette entries. Deflate compresses better if neighbouring pixels have close indices. */
#ifndef PNG_PALETTE_ORDER_H
#define PNG_PALETTE_ORDER_H
#include "analyse.h"

enum { BY_LUMA, BY_USE, BY_ARRIVAL, BY_NEIGHBOURS };

/* Writes the indices of the analysed colours to `indices`, in palette order `order`. */
void order_analysed(const Analysis *a, int order, u8 *indices);
/* Sorts up to 256 colours by luma. */
void palette_by_luma(u32 *colours, int count);
#endif
