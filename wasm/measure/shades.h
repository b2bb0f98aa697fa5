/* Errors that luma metrics miss, streamed row by row: colour casts in areas, and banding of gradients. Uses CIE Lab
 * (D65). Translucent pictures are measured on black, on white and by their alpha channel; the worst result counts. */
#ifndef SHADES_H
#define SHADES_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Shades Shades;

/* Results for the worst window of 15 x 15 pixels. `cast`: distance in CIE Lab a and b between its mean colour in both
 * pictures. `steps`: root mean square of the mean lightness errors of its nine cells of 5 x 5 pixels, beyond what
 * dithering grain explains. `bands`: root mean square error of the lightness slope across a cell, for narrow bands of 5
 * to 10 pixels. `specks`: fourth root of the mean fourth power of single pixel errors in lightness, and in a and b with
 * half weight. Textured cells count less. */
typedef struct {
  double cast, steps, bands, specks;
} ShadesFound;

/* Creates a meter for rows of `width` pixels. NULL: out of memory. */
Shades *shades_open(uint32_t width, bool alpha);
void shades_row(Shades *s, const uint32_t *a, const uint32_t *b);
/* Ends a run of adjacent rows. */
void shades_break(Shades *s);
/* Returns the results. Called after shades_break. */
ShadesFound shades_result(const Shades *s);
/* Records windows whose cast or steps exceed limits, at most SHADES_MOST of them. */
#define SHADES_MOST 256
typedef struct {
  uint32_t x, y; /* first column, and the row after the last one, counted over all runs of rows */
} ShadesWindow;
void shades_watch(Shades *s, float cast, float steps);
const ShadesWindow *shades_watched(const Shades *s, uint32_t *count);
void shades_close(Shades *s);
#endif
