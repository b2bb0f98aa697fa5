/* Reader of GIF files, byte by byte: blocks, colour tables, image data, disposal. Frames go onto the canvas, or row
 * by row to the recoder. */
#ifndef GIF_DECODE_H
#define GIF_DECODE_H

#include "../common/types.h"
#include "canvas.h"
#include "colours.h"
#include "lzw.h"
#include "recode.h"

/* In the order of the file. States before CODE_SIZE are outside of image data. */
typedef enum {
  HEADER,
  GLOBAL_TABLE,
  BLOCK,
  LABEL,
  BLOCK_LENGTH,
  BLOCK_DATA,
  DESCRIPTOR,
  LOCAL_TABLE,
  CODE_SIZE,
  DATA_LENGTH,
  DATA,
  ENDED
} DecodeState;

/* A phrase is its last one to eight pixels, and the code of the pixels before them, whose number is a multiple of
 * eight. */
typedef struct {
  u64 tail[LZW_CODES];
  u16 before_tail[LZW_CODES];
  u16 length[LZW_CODES];
  u8 first_pixel[LZW_CODES];
  int code_size, clear_code, next_code, code_bits, old_code;
  u32 bit_buffer, bit_count;
  bool ended; /* the end code was read */
} LzwReader;

typedef struct {
  Canvas *canvas;
  Colours *colours;
  Recoder *recoder;
  void (*frame_read)(void *user); /* called when a frame is complete */
  void *user;
  bool is_still; /* the file has a single frame, which is never taken away */

  /* of the file */
  DecodeState state;
  u8 part[16]; /* the header or a descriptor, while it is read */
  u32 have;    /* bytes of that, or of a table, so far */
  u32 left;    /* bytes of the sub-block to come */
  bool closed; /* the trailer was read */
  u32 frames_read;
  u64 pixels_read; /* of all frames */
  u8 global_table[768], local_table[768];
  int global_size, local_size; /* entries; 0: there is none */
  int background;              /* background index, -1 without a global table */
  u8 aspect;                   /* pixel aspect ratio as in the file, GIF89a 18.c.viii */
  u16 global_numbers[256], local_numbers[256];

  /* extensions in front of the next frame */
  int label;
  u8 control[8]; /* the sub-block of a graphic control extension, GIF89a 23 */
  int disposal, delay, transparent;
  u8 *extensions; /* all others, as they are in the file */
  u32 extension_bytes, extension_room;

  /* the frame that is being read, or was read last */
  Box frame;
  bool is_interlaced;
  int frame_disposal;
  int frame_delay;        /* hundredths of a second */
  bool frame_transparent; /* it has a transparent index */
  u32 pixel_at;           /* its pixels so far */
  int line, pass_step, pass_start;
  const u16 *numbers; /* of its colour table */
  u16 *saved;         /* what the canvas had there, for "restore to previous" */
  u32 saved_room;     /* pixels */
  Box ambiguous_box;
  bool ambiguous; /* that box was cleared, and not all viewers clear it to transparency */

  LzwReader lzw;
  u8 pending[65535 + LZW_CODES + 8]; /* indices that do not fill a row yet, and a phrase */
  u32 pending_count;
} Decoder;

void decode_begin(Decoder *d);
/* Takes bytes until a frame is complete, the header was read, or they end. Returns how many it took. */
u32 decode(Decoder *d, const u8 *bytes, u32 count);
/* Does what the frame's disposal says (GIF89a 23.c.iv). Called once the frame was shown. */
void decode_dispose(Decoder *d);
/* At the end of the file: fails if it is not whole. A missing trailer is common and harmless. */
void decode_end(Decoder *d);
/* Marks the colour numbers that the decoder needs. */
void decode_numbers_in_use(const Decoder *d, bool *alive);

#endif
