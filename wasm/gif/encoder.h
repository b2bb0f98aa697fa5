/* State of the animation that is being written: the next frame to write, and the pixels that the output shows before
 * it. A frame is written only after the following frame is known, because that frame decides the disposal. */
#ifndef GIF_ENCODER_H
#define GIF_ENCODER_H

#include "plan.h"

/* Quality limits that every written frame must meet. gif.ts writes the values in this order. */
typedef struct {
  double ssim, psnr, rgb_psnr;       /* lowest allowed SSIM and PSNR (dB) of a frame */
  double block_psnr, block_rgb_psnr; /* lowest allowed PSNR (dB) of any block of 32 x 32 pixels */
  double cast;                       /* largest allowed distance of a small area's mean colour in CIE Lab a and b */
  double smooth;                     /* largest allowed squared colour distance of a pixel in a smooth area */
  double most;                       /* largest allowed squared colour distance of a pixel elsewhere */
  /* lowest allowed SSIMULACRA 2.1 of a canvas and of a tile, if scored (ssimulacra2_tiles.h) */
  double score, worst_tile;
} QualityFloors;

/* The next frame to write. */
typedef struct {
  u16 *numbers;     /* colour numbers of the canvas that this frame must show */
  u8 *painted;      /* one bit per pixel: the source frame paints it */
  int delay;        /* delay in hundredths of a second */
  bool changes;     /* the canvas differs from the one of the frame before */
  bool transparent; /* the source frame has a transparent index */
  u8 *extensions;   /* extension blocks before the frame, with unchanged bytes */
  u32 extension_bytes, extension_room;
  Box dirty; /* canvas area that may differ from the frame that was written last */
  /* Set just before the frame is written: */
  int disposal;    /* disposal method of the frame (GIF89a 23.c.iv) */
  const u16 *next; /* canvas after the target frame; NULL: the target frame is the last one */
} TargetFrame;

typedef struct {
  bool lossy;
  /* time is short: run fewer trials and measure only changed parts; the written frame is still checked in full */
  bool hurried;
  QualityFloors floors;
  TargetFrame frame;
  u16 *shown;      /* colour numbers that the output shows before this frame */
  u16 common[256]; /* global colour table of the output */
  int common_size;
  u32 frames_written;
} Encoder;

#endif
