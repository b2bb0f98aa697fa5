/* libdeflate 1.14 with libdeflate-window.patch. */
#ifndef PNG_DEFLATE_H
#define PNG_DEFLATE_H
#include <stddef.h>

struct libdeflate_compressor;
/* NULL when memory is short. */
struct libdeflate_compressor *libdeflate_alloc_compressor(int level);
void libdeflate_free_compressor(struct libdeflate_compressor *c);
/* Compresses `n` bytes that may refer to the `window` bytes before them; 0 when they do not fit into `room`. `bits`
 * carries value | count << 8 of the last byte from call to call. */
size_t libdeflate_segment(struct libdeflate_compressor *c, const void *in, size_t n, size_t window, int is_final,
                          void *out, size_t room, unsigned *bits);
/* 0 for the level's own. `sparse`: positions inside long matches, but for one in so many (a power of two), are not
 * searched. */
void libdeflate_tune(struct libdeflate_compressor *c, int search_depth, int nice_length, int passes, int sparse);
#endif
