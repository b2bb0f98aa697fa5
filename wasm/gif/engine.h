/* The GIF engine: reads a GIF byte by byte, keeps what a viewer would show, and writes every picture anew against what the
 * result shows so far.  Canvases hold 16-bit colour numbers, so that an animation of any length takes about 9 bytes for
 * each pixel of its canvas.  Trouble calls host_fail, which does not return.
 *
 * "GIF89a" in comments: Graphics Interchange Format Version 89a (CompuServe, 31 July 1990). */
#ifndef GIF_ENGINE_H
#define GIF_ENGINE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/allocate.h"
#include "../common/host.h"
#include "../common/types.h"
#include "../measure/measure.h"

bool same_numbers(const u16 *a, const u16 *b, u32 count);

/* ---- colours.c: colour numbers ---- */
#define CLEAR 0 /* the number of "nothing painted here" */
extern u32 colour_of[65536]; /* r | g << 8 | b << 16 | 255 << 24; 0 for CLEAR */
u16 number_of(u32 rgb);
void colours_forget(void);
/* Squared distance as eye and metrics see it: luma fully, chroma by about half. */
i32 distance(u32 a, u32 b);

/* ---- decode.c: the file that comes in ---- */
typedef struct { int x, y, w, h; } Box; /* empty when h is 0 */
Box box_around(Box a, Box b);
extern int canvas_width, canvas_height;
extern u16 *canvas;           /* what a viewer shows after the frame that was read last */
extern u8 *painted;           /* a bit for each pixel: the frame that was read last painted it, if only as it was */
extern bool painting;        /* whether it is kept */
extern Box dirty;             /* what may differ from the frame before, at frame_read */
extern bool still;            /* a single frame is all there is: nothing comes after it, it is not taken away */
extern u32 frames_read;
extern u64 pixels_read;       /* of all frames */
extern int frame_delay;       /* of that frame, in hundredths of a second */
extern bool frame_transparent; /* it has a transparent index */
extern bool canvas_cleared;  /* part of it was, since the frame before */
extern u8 global_table[768];  /* of the file */
extern int global_size;
extern int background;        /* its background index, -1 without a table */
extern u8 aspect;
void frame_read(void);        /* engine.c: a frame is complete */

/* Extensions that stand in front of the frame that is being read, as they are in the file. */
extern u8 *extensions;
extern u32 extension_bytes;

/* ---- similarity.c: how close two canvases are, when only a part of them has changed since the last time ---- */
void similarity_begin(bool alpha);              /* equal everywhere; alpha: some pixel may be clear */
void similarity_alpha(void);                    /* from now on */
Box similarity_open(Box part, u32 every);       /* measures a part, SSIM from every n-th row; what is to be given: whole blocks, and what windows overlap */
void similarity_row(const u32 *a, const u32 *b); /* a row of that */
Quality similarity_close(void);                 /* of the whole canvas, with the part as measured */
void similarity_keep(void);                     /* the part stays so */

/* ---- seen.c: SSIMULACRA 2.1 of canvases, the same way ---- */
typedef struct { double score, worst_tile; } Seen;
bool seen_begin(bool alpha);                    /* equal everywhere; false: canvases of this size are not scored */
Box seen_open(Box part);                        /* measures a part; what is to be given: its tiles, and those beside them */
void seen_row(const u32 *a, const u32 *b);
Seen seen_close(void);                          /* of the whole canvas, with the part as measured, on the worse background */
void seen_keep(void);                           /* the part that was measured last stays so */

/* ---- lzw.c: the encoder ---- */
/* How the table is cleared when it is full: after `clear_after` codes that compress worse than `clear_ratio` of the average. */
typedef struct { u32 clear_after; double clear_ratio; } LzwStyle;

#define LZW_CODES 4096
#define LZW_SLOT_BITS 13
#define LZW_SLOTS (1 << LZW_SLOT_BITS)
#define LZW_RUNS 4

typedef struct {
  int code_size;         /* LZW minimum code size, GIF89a appendix F */
  int size, next_code;
  int phrase;            /* code of the phrase so far, -1 before the first symbol */
  u32 length, run;       /* of the phrase; and as a run of `last` alone, 0 when it is none */
  u8 last;
  bool writing, filled;  /* filled: the table was full once, so that the style matters */
  LzwStyle style;
  u64 bits;
  u32 at, codes;         /* symbols and codes since the table is full */
  double recent;         /* length of late phrases */
  int runs;              /* symbols with a list of their runs' codes */
  i8 run_of[256];
  u16 run_most[LZW_RUNS], run_codes[LZW_RUNS][LZW_CODES];
  u32 table[LZW_SLOTS];
} Lzw;
void lzw_begin(Lzw *l, int code_size, LzwStyle style, bool writing);
void lzw_row(Lzw *l, const u8 *row, u32 count);
u32 lzw_end(Lzw *l);             /* bytes, sub-block lengths included */

/* ---- flat.c ---- */
bool is_flat(size_t pixel);   /* of the canvas: it must be as it is */
bool is_smooth_at(size_t pixel);

/* ---- near.c: symbols that may be others ---- */
static inline bool may_stay(const u8 *bits, u32 pixel) { return bits[pixel >> 3] >> (pixel & 7) & 1; }
typedef struct {
  u8 *symbols;           /* index of each pixel's colour; `clear_index` where only that will do. What was settled on, afterwards. */
  const u8 *may_repeat;  /* a bit: the pixel may stay as it is shown; NULL: that is settled */
  u32 count;
  int clear_index;       /* transparent index, -1 for none */
  int code_size;
  i32 tolerance;         /* squared distance a pixel may be off */
  i32 smooth_tolerance;  /* and where it is smooth */
  Box box;               /* of the canvas, where the pixels are */
  const u16 *distances;  /* 256 x 256, between palette entries */
} Pixels;
/* Bytes of codes after every sixteenth of the pixels. */
#define NEAR_MARKS 16
typedef struct { u32 bytes[NEAR_MARKS]; } NearMarks;
extern NearMarks near_marks; /* of the last near_settle */
/* Bytes, sub-block lengths included; UINT32_MAX where that is no better than a byte for each pixel, or clearly behind `rival`
 * (may be NULL) on the way. */
u32 near_settle(const Pixels *pixels, LzwStyle style, bool *filled, const NearMarks *rival);
void near_write(void); /* the codes of the last near_settle */

/* ---- recode.c: frames as they are, better coded, without a canvas ---- */
enum { BY_FRAME_COUNT = 1, BY_FRAME_WRITE = 2, BY_FRAME_LOOK = 3 };
extern int by_frame;          /* 0: frames go onto the canvas */
void by_frame_begin(int how);
void by_frame_byte(u8 byte);  /* outside of image data */
typedef struct {
  const u8 *local, *global;
  int local_size, global_size; /* entries; 0: there is none */
  int clear;                   /* the transparent index, or -1 */
} Tables;
void by_frame_block(void);            /* an extension or a frame begins, with the next byte */
void by_frame_label(u8 label, const u8 *global, int size); /* of an extension */
void by_frame_screen(u8 byte, bool background); /* of the logical screen descriptor: flags, or the index of the background */
void by_frame_global(u8 byte, u32 at, int size, int background);
void by_frame_clear_index(u8 index);  /* of the graphic control extension, where it says that there is one */
void by_frame_packed(u8 packed);      /* of a descriptor */
void by_frame_table(u8 byte, u32 at, u32 bytes);
void by_frame_open(int code_size, Tables tables);
void by_frame_data(const u8 *bytes, u32 count);
void by_frame_row(const u8 *row, u32 width);
void by_frame_close(void);
void by_frame_end(bool closed);
u64 by_frame_digest(void);

/* ---- frames.c: frames that go out ---- */
void frames_begin(bool exact);
void frame_write(int disposal, const u16 *next);
void emit(const void *bytes, u32 count);
extern u64 written_bytes;
extern Box wanted_dirty;      /* where `wanted` may differ from the frame that was written last */
extern u8 *row_differs;       /* rows where `shown` may differ from `wanted` */
extern u8 *wanted_painted;    /* `painted` of the frame that waits */
extern u16 *shown, *wanted;   /* what the result shows; the frame that waits to be written */
extern int wanted_delay;
extern bool wanted_changes; /* the frame that waits differs from the frame before it */
extern bool wanted_transparent; /* frame_transparent of the frame that waits */

/* What a frame must keep. */
/* `cast`: distance of the mean colour of small areas; `smooth`: squared distance of a pixel in smooth areas; `most`: in others.
 * `score`, `worst_tile`: of canvases that are scored (seen.c). */
typedef struct {
  double ssim, psnr, block_psnr, block_rgb_psnr, rgb_psnr, cast, smooth, most, score, worst_tile;
} Target;
extern Target target;
extern bool lossy, muted, hurried; /* hurried: fewer trials, measured on what changes; every frame still holds the target */
extern double worst_ssim, worst_luma_mse, worst_rgb_mse;
extern Seen worst_seen; /* 100 where frames are not scored */
#endif
