/* The animation that is written: the frame that waits to be written, and what the result shows before it. A frame
 * waits until the next one is known, because that decides its disposal. */
#ifndef GIF_ENCODER_H
#define GIF_ENCODER_H

#include "plan.h"

/* What every frame must keep. gif.ts writes the values in this order. */
typedef struct {
  double ssim, psnr, rgb_psnr;       /* of the frame; PSNR in dB */
  double block_psnr, block_rgb_psnr; /* of the worst block of 32 x 32 pixels */
  double cast;                       /* distance in CIE Lab a and b of the mean colour of small areas, at most */
  double smooth;                     /* squared distance of a pixel where the frame is smooth, at most */
  double most;                       /* the same elsewhere */
  double score, worst_tile;          /* SSIMULACRA 2.1, of canvases that are scored (ssimulacra2_tiles.h) */
} QualityFloors;

/* The frame that waits to be written. */
typedef struct {
  u16 *numbers;     /* the canvas it must show */
  u8 *painted;      /* a bit for each pixel that the source painted */
  int delay;        /* hundredths of a second */
  bool changes;     /* it differs from the frame before */
  bool transparent; /* the source has a transparent index for it */
  u8 *extensions;   /* in front of it, as they are in the file */
  u32 extension_bytes, extension_room;
  Box dirty; /* where it may differ from the frame that was written last */
  /* Known when it is written: */
  int disposal;    /* GIF89a 23.c.iv */
  const u16 *next; /* the canvas after it; NULL: it is the last */
} TargetFrame;

typedef struct {
  bool lossy;
  bool hurried; /* fewer trials, measured on what changes; every frame still holds the floors */
  QualityFloors floors;
  TargetFrame frame;
  u16 *shown;      /* colour numbers that the result shows before the frame */
  u16 common[256]; /* the colour table of the file */
  int common_size;
  u32 frames_written;
} Encoder;

#endif
