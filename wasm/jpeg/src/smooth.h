/*
 * Where is a picture smooth? In a sky without its noise, a DC step of 23 is a visible edge between blocks, in luma
 * and in chroma; so planes with smooth areas get finer steps for DC and the lowest frequencies.
 *
 * A place is a square of about 16 pixels. It is quiet in a plane when all of its blocks vary by less than NOISE
 * (sensor noise does, texture does not), and smooth when it and its neighbours are quiet, both in the plane and in
 * luma, which hides what happens to colour under it. Areas of one flat colour are not counted: their blocks are all
 * off by the same.
 */
#ifndef WHITTLE_JPEG_SMOOTH_H
#define WHITTLE_JPEG_SMOOTH_H

#include "picture.h"

#define SMOOTH_UNKNOWN (-1)

typedef struct {
  int told, found; /* planes with smooth areas, as bits: what the host said, what a search found; or SMOOTH_UNKNOWN */
  uint8_t *loud;   /* a bit a place: luma has something there that hides steps; NULL outside of a pass */
} Smooth;

/* Planes with smooth areas worth finer steps, as bits. Searches the rows as read, unless the answer is known. */
int smooth_planes(Smooth *smooth, const Picture *picture);
/* What was found is no longer true. */
void smooth_forget(Smooth *smooth);
/* For rows that are requantised as they come: what the host said, or nothing is smooth. */
void smooth_unseen(Smooth *smooth);

/* 64 times the variance of a block's samples (Parseval). */
float ac_energy(const JCOEF *block, const float *step);
/* Whether a block of that energy has no texture. */
int block_is_quiet(float energy);

/* The step for coefficient k of a smooth plane, where the table has `step`. */
uint16_t smooth_step(int k, uint16_t step);

/* Places where luma hides what happens to colour, as far as its rows have come. */
void loud_places_begin(Smooth *smooth, const Picture *picture);
void loud_places_end(Smooth *smooth);
void note_loud_place(Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row);
int is_loud_place(const Smooth *smooth, const Picture *picture, const Plane *plane, uint32_t x, uint32_t row);

#endif
