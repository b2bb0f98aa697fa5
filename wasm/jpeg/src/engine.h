/*
 * The JPEG engine: libjpeg (mozjpeg 3.2, unmodified) with everything that is as large as the picture replaced.
 *
 *   JPEG bytes --(suspending source)--> Huffman decoder --+
 *                                                         +--> block rows --> [taker] --> packed rows "read"
 *   pixel rows --(libjpeg's front end, all steps 1) ------+        |
 *                                                                  +--> requantise (trellis) --> packed rows "made"
 *   packed rows --> Huffman coder (progressive or sequential) --> JPEG bytes
 *
 * libjpeg keeps whole images in "virtual block arrays". Both of its objects get ours instead: a window of a few block
 * rows over rows packed to about two bytes a non-zero coefficient (store.c). A row that leaves the window goes to the
 * store's taker, which packs it, samples it, hashes it or requantises it on the spot.
 *
 * One instance does one job; the host throws (and drops the instance) when fail() is called, so nothing jumps.
 */
#ifndef WHITTLE_JPEG_ENGINE_H
#define WHITTLE_JPEG_ENGINE_H

#define JPEG_INTERNALS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"
#include "measure.h"

#define EXPORT(name) __attribute__((export_name(#name))) name
#define PLANES 4 /* components a picture may have */

/* What fail() is called with beside libjpeg's own (positive) message codes. jpeg.ts knows them by number. */
enum { FAIL_MEMORY = -1, FAIL_TRUNCATED = -2, FAIL_DAMAGED = -3, FAIL_UNSUPPORTED = -4, FAIL_LIMIT = -5, FAIL_MISUSE = -6 };

/* ---- host.c: the outside world, errors, memory ---- */
_Noreturn void fail(int code, const char *message);
void host_write(const uint8_t *bytes, uint32_t length);
struct jpeg_error_mgr *error_manager(void);
void *allocate(size_t bytes);         /* fails instead of returning NULL */
void *allocate_cleared(size_t bytes); /* the same, all zero */

/* ---- store.c: block rows, packed ---- */
typedef struct Store Store;
typedef void Taker(Store *store, uint32_t row, JBLOCKROW blocks);
struct Store {
  uint8_t **packed; /* one packed row a block row, NULL where nothing was stored */
  uint32_t *length; /* its bytes */
  uint32_t rows;    /* block rows */
  uint32_t blocks;  /* blocks a row that mean something (the rest of a window row is padding) */
  uint32_t stride;  /* blocks a window row */
  uint32_t window_rows, window_start, window_count;
  int window_valid, window_dirty;
  int whole; /* the window has all rows, and nothing is packed before it is flushed */
  JBLOCKROW *window;      /* row pointers, as libjpeg wants them */
  JBLOCKROW window_blocks;
  Taker *take; /* what happens to a row that was written: packed unless somebody says otherwise */
  int plane;   /* which component it belongs to */
};
Store *store_new(uint32_t blocks, uint32_t stride, uint32_t rows, uint32_t window_rows, int plane);
void store_free(Store *store);
void store_flush(Store *store);                        /* hands a dirty window to the taker */
void store_put(Store *store, uint32_t row, JBLOCKROW blocks); /* the usual taker: packs */
void store_get(const Store *store, uint32_t row, JBLOCKROW blocks);
void store_drop(Store *store, uint32_t row);
void store_discard(Store *store, uint32_t row, JBLOCKROW blocks); /* the taker that forgets */
uint32_t pack_row(JBLOCKROW blocks, uint32_t count, const uint8_t **packed); /* valid until the next call */
uint64_t zigzag_mask(const JCOEF *block); /* bit i: the coefficient at place i of the zigzag is not zero; DC left out */
typedef void StoreMade(Store *store, int request);
void use_packed_arrays(struct jpeg_memory_mgr *memory, j_common_ptr object, StoreMade *made);
uint32_t packed_bytes(void);

/* ---- picture.c: what is being worked on, whoever delivers it ---- */
typedef struct {
  int id, h, v;                    /* component id, sampling factors (ITU-T T.81, B.2.2) */
  uint32_t blocks_wide, blocks_high; /* real blocks */
  uint32_t width, height;          /* samples that belong to the picture */
  uint16_t read_step[DCTSIZE2];    /* quantisation of the coefficients that came in, natural order */
  uint16_t made_step[DCTSIZE2];    /* and of those that go out */
  uint16_t table_step[DCTSIZE2];   /* what they were but for smooth areas */
  int smooth;                      /* has areas where coarse steps show (smooth.c) */
  int chroma;                      /* quantised with the chroma table */
  int measured;                    /* its pixels count for SSIM and PSNR */
  double weight;                   /* of its squared error in the picture's */
  Store *read, *made;
} Plane;
typedef struct {
  uint32_t width, height;
  int planes, h_max, v_max;
  J_COLOR_SPACE colour; /* as stored */
  Plane plane[PLANES];
} Picture;
extern Picture picture;
void picture_from(uint32_t width, uint32_t height, int planes, J_COLOR_SPACE colour, const jpeg_component_info *components);
void picture_clear(void);

/* How block rows are taken in (input.c, rows_in.c, recode.c). */
enum { INTAKE_STORE = 0, INTAKE_SAMPLE = 1, INTAKE_STREAM = 2, INTAKE_HASH = 3, INTAKE_SCRIPT = 4, INTAKE_RECODE = 5 };
void intake_attach(Store *store);
int intake_streams(void);
void intake_must_store(void);
void intake_end(void);
int row_is_sampled(const Plane *plane, uint32_t row, int every);

/* ---- dct.c ---- */
void dct_prepare(void);
void inverse_dct(const JCOEF *block, const uint16_t *step, uint8_t *out, uint32_t stride);
void inverse_dct_float(const JCOEF *block, const uint16_t *step, float *out, uint32_t stride);
void forward_dct_float(const float *pixels, uint32_t stride, float *out);
int overflows_fast_transform(const JCOEF *block, const uint16_t *step); /* whether decoders in a hurry would show it otherwise */
void forward_dct(const float *pixels, uint32_t stride, JCOEF *block);

/* ---- requantise.c ---- */
void tables_for_quality(float quality);
void requantise_begin(int trellis, int measure, int store);
void requantise_row(int plane, uint32_t row, JBLOCKROW blocks);
void requantise_ready(void);
void requantise_end(void);

/* ---- script.c ---- */
void forget_script(int made); /* what was read or made has changed */
int row_is_scripted(const Plane *plane, uint32_t row); /* whether the choice of a script looks at it */

/* ---- recode.c ---- */
Taker recode_sample, recode_take;

#endif
