/* Interface of libdeflate 1.14 with libdeflate-window.patch. */
#ifndef PNG_DEFLATE_H
#define PNG_DEFLATE_H
#include <stddef.h>

struct libdeflate_compressor;
/* Allocates a compressor. Returns NULL if memory is short. */
struct libdeflate_compressor *libdeflate_alloc_compressor(int level);
void libdeflate_free_compressor(struct libdeflate_compressor *c);
/* Compresses `n` bytes, which may refer to the `window` bytes before them. Returns 0 if the output exceeds `room`.
 * `bits` carries the incomplete last byte (value | count << 8) from call to call. */
size_t libdeflate_segment(struct libdeflate_compressor *c, const void *in, size_t n, size_t window, int is_final,
                          void *out, size_t room, unsigned *bits);
/* Overrides the level's parameters; 0: the level's own value. `sparse`: inside long matches, the parser searches only
 * every n-th position (a power of two). */
void libdeflate_tune(struct libdeflate_compressor *c, int search_depth, int nice_length, int passes, int sparse);
#endif
