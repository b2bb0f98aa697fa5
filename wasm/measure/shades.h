/* Errors that luma figures miss, streamed row by row: areas of another hue, and gradients that become steps.
 * CIE Lab (D65); translucent pictures on black and on white, and steps of their alpha, the worst of them. */
#ifndef SHADES_H
#define SHADES_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Shades Shades;

/* All of the worst window of 15 x 15 pixels. `cast`: the distance in a and b of its mean colour from the
 * original's. `steps`: root mean square of what its nine parts of 5 x 5 are off in mean lightness, beyond what the
 * grain of dithering explains; `bands`: the same of how far lightness rises or falls otherwise across a part, which
 * tells of steps that are nearer to each other than windows are wide (5 to 10 pixels). `specks`: fourth root of the
 * mean fourth power of what single pixels are off, in lightness, and in a and b by half. Parts with texture count
 * less. */
typedef struct {
  double cast, steps, bands, specks;
} ShadesFound;

/* NULL: there is no memory. */
Shades *shades_open(uint32_t width, bool alpha);
void shades_row(Shades *s, const uint32_t *a, const uint32_t *b);
/* Ends a run of neighbouring rows. */
void shades_break(Shades *s);
/* After shades_break. */
ShadesFound shades_result(const Shades *s);
/* Notes windows whose cast or steps are above limits: the first SHADES_MOST of them. */
#define SHADES_MOST 256
typedef struct {
  uint32_t x, y; /* first column, and the row after the last, counted over all runs */
} ShadesWindow;
void shades_watch(Shades *s, float cast, float steps);
const ShadesWindow *shades_watched(const Shades *s, uint32_t *count);
void shades_close(Shades *s);
#endif
