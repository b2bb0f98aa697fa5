/* SSIM and squared error between two planes that arrive row by row (metrics.c). */
#ifndef WHITTLE_METRICS_H
#define WHITTLE_METRICS_H

#include <stddef.h>
#include <stdint.h>

/* The engine that links this brings them. */
void *allocate(size_t bytes);         /* fails instead of returning NULL */
void *allocate_cleared(size_t bytes); /* the same, all zero */

typedef struct Metrics Metrics;
uint32_t metrics_every(uint32_t width, uint32_t height); /* what suits a picture of this size */
Metrics *metrics_new(uint32_t width, uint32_t every); /* SSIM of one row of windows in `every`, none for 0 */
void metrics_row(Metrics *metrics, const uint8_t *a, const uint8_t *b);
void metrics_gap(Metrics *metrics); /* the next row does not follow the last one */
double metrics_ssim(const Metrics *metrics);
double metrics_mse(const Metrics *metrics);
void metrics_free(Metrics *metrics);

#endif
