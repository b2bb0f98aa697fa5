/*
 * Requantisation, a block row at a time: coefficients as read → coarser steps, by a trellis search, with SSIM and
 * squared error measured between the pixels before and after. The search needs the price of Huffman symbols: it is
 * learnt from the rows that were already coded, so one pass is enough and no row has to be kept.
 */
#ifndef WHITTLE_JPEG_REQUANTISE_H
#define WHITTLE_JPEG_REQUANTISE_H

#include "measure.h"
#include "trellis.h"

typedef struct Jpeg Jpeg;

/* What a pass knows of a plane. */
typedef struct {
  JBLOCKROW out;         /* the row, requantised */
  uint32_t first, width; /* the blocks of a row that are requantised: all, but for a sample of a wide picture */
  uint32_t last_row;
  uint32_t rows; /* done so far */
  int dc;        /* predictor for the symbol counts */
  Counts counts; /* symbols of all rows, for the size estimate */
  Counts recent; /* aged: what prices are made of */
  Counts aged;   /* the part of `counts` that is in `recent` */
  Prices prices;
  int priced;
  double coefficient_error; /* Σ squared difference of dequantised coefficients: Parseval gives the pixels' */
  uint8_t *before, *after;
  Measure *measure;
} RowState;

typedef struct {
  double ssim, mse, bytes;  /* the worst measured plane's; of all; estimated, of the entropy-coded data, sequential */
  double plane_mse[PLANES]; /* of planes that are not measured in pixels */
} RequantiseResult;

typedef struct {
  RowState state[PLANES];
  struct jpeg_compress_struct tables; /* holds quantisation tables; never compresses */
  struct jpeg_error_mgr errors;
  int tables_ready;
  unsigned int base_tables[2][DCTSIZE2]; /* steps at quality 50, for luma and for chroma */
  float chroma_shift;                    /* quality of the chroma tables, relative to luma's */
  float stream_quality;                  /* of rows that are requantised as they come */
  int use_trellis, use_measure, use_store;
  int errors_only;  /* squared errors without SSIM, which takes most of the time */
  uint32_t stretch; /* blocks of the widest plane in a sampled row, 0 for whole rows */
  int step_plane, step_every;
  uint32_t step_row;
  RequantiseResult result;
} Requantiser;

/* Sets the tables that tuning.h has. */
void requantise_init(Requantiser *r);
/* Begins a pass over rows as they come, at `stream_quality`. */
void requantise_ready(Jpeg *jpeg);
/* A row of plane `index`: planes in any order, top to bottom in each. */
void requantise_row(Jpeg *jpeg, int index, uint32_t row, JBLOCKROW in);
/* Ends a pass and makes its result. */
void requantise_end(Jpeg *jpeg);
/*
 * Over stored rows, in steps so that the host can answer others in between: start, then step until it returns 0.
 * `every` > 1: only a sample; `store` keeps the outcome for a file.
 */
void requantise_start(Jpeg *jpeg, float quality, int trellis, int every, int store);
/* Up to `count` block rows. Returns how many are left. */
uint32_t requantise_step(Jpeg *jpeg, uint32_t count);

#endif
