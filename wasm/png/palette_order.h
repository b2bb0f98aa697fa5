/* Orders of a palette's entries: Deflate finds more where indices that stand side by side are close. */
#ifndef PNG_PALETTE_ORDER_H
#define PNG_PALETTE_ORDER_H
#include "analyse.h"

enum { BY_LUMA, BY_USE, BY_ARRIVAL, BY_NEIGHBOURS };

/* Writes the indices of the analysed colours to `indices`, in an order of the enumeration above. */
void order_analysed(const Analysis *a, int order, u8 *indices);
/* Sorts up to 256 colours by luma. */
void palette_by_luma(u32 *colours, int count);
#endif
