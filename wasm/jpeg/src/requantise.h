/* Requantises one block row at a time by a trellis search, and measures SSIM and squared error between the pixels
 * before and after. The search needs the cost of Huffman symbols in bits. It is estimated from the rows already coded,
 * so that one pass suffices and no row is stored. */
#ifndef WHITTLE_JPEG_REQUANTISE_H
#define WHITTLE_JPEG_REQUANTISE_H

#include "measure.h"
#include "trellis.h"

typedef struct Jpeg Jpeg;

/* State of a requantisation pass for one plane. */
typedef struct {
  JBLOCKROW out;         /* current block row after requantisation */
  uint32_t first, width; /* blocks of a row that are requantised: all, or a part in a sample of a wide picture */
  uint32_t last_row;
  uint32_t rows; /* rows requantised so far */
  int dc;        /* DC value of the block before, for the symbol counts */
  Counts counts; /* symbols of all rows, for the size estimate */
  Counts recent; /* symbol counts with decay, from which prices are computed */
  Counts aged;   /* part of `counts` that was already added to `recent` */
  Prices prices;
  int priced;
  /* sum of squared differences of dequantised coefficients, equal to the squared pixel error (Parseval) */
  double coefficient_error;
  uint8_t *before, *after;
  Measure *measure;
} RowState;

typedef struct {
  /* SSIM of the worst measured plane, mean squared error of all planes, estimated bytes of sequential coding */
  double ssim, mse, bytes;
  double plane_mse[PLANES]; /* mean squared error of each plane that is not decoded */
} RequantiseResult;

typedef struct {
  RowState state[PLANES];
  struct jpeg_compress_struct tables; /* holds the quantisation tables; is never used to compress */
  struct jpeg_error_mgr errors;
  int tables_ready;
  unsigned int base_tables[2][DCTSIZE2]; /* quantisation steps at quality 50, for luma and for chroma */
  float chroma_shift;                    /* quality of the chroma table minus quality of the luma table */
  float stream_quality;                  /* quality for rows that are requantised as they arrive */
  int use_trellis, use_measure, use_store;
  int errors_only;  /* measure only squared errors, because SSIM takes most of the time */
  uint32_t stretch; /* blocks of the widest plane in a sampled row; 0: whole rows */
  int step_plane, step_every;
  uint32_t step_row;
  RequantiseResult result;
} Requantiser;

/* Sets the default quantisation tables (tuning.h). */
void requantise_init(Requantiser *r);
/* Starts a pass at `stream_quality` over rows as they arrive. */
void requantise_ready(Jpeg *jpeg);
/* Requantises a row of plane `index`. Planes may come in any order; rows of a plane come from top to bottom. */
void requantise_row(Jpeg *jpeg, int index, uint32_t row, JBLOCKROW in);
/* Ends a pass and computes its result. */
void requantise_end(Jpeg *jpeg);
/* Starts a pass over stored rows, done in steps so that the host stays responsive: call requantise_step until it
 * returns 0. `every` > 1: only a sample; `store`: keep the result for writing. */
void requantise_start(Jpeg *jpeg, float quality, int trellis, int every, int store);
/* Requantises up to `count` block rows. Returns the number of rows left. */
uint32_t requantise_step(Jpeg *jpeg, uint32_t count);

#endif
