/* Streaming GIF decoder: blocks, colour tables, image data, disposal. It paints frames onto the canvas, or passes rows
 * of indices to the recoder. */
#ifndef GIF_DECODE_H
#define GIF_DECODE_H

#include "../common/types.h"
#include "canvas.h"
#include "colours.h"
#include "lzw.h"
#include "recode.h"

/* Parser states in file order. States before CODE_SIZE are outside image data. */
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

/* LZW phrases of the decoder. A phrase is stored as its last one to eight pixels (`tail`) and the code of the pixels
 * before them (`before_tail`). The number of pixels before the tail is a multiple of eight. */
typedef struct {
  u64 tail[LZW_CODES];
  u16 before_tail[LZW_CODES];
  u16 length[LZW_CODES];
  u8 first_pixel[LZW_CODES];
  int code_size, clear_code, next_code, code_bits, old_code;
  u32 bit_buffer, bit_count;
  bool ended; /* the LZW end code was read */
} LzwReader;

typedef struct {
  Canvas *canvas;
  Colours *colours;
  Recoder *recoder;
  void (*frame_read)(void *user); /* called when a frame is complete */
  void *user;
  bool is_still; /* the file has a single frame, and its disposal does not remove it */

  /* Decoder state of the whole file. */
  DecodeState state;
  u8 part[16]; /* header or descriptor while it is being read */
  u32 have;    /* bytes of `part` or of a colour table read so far */
  u32 left;    /* bytes of the current sub-block not read yet */
  bool closed; /* the GIF trailer byte was read */
  u32 frames_read;
  u64 pixels_read; /* pixels of all frames read so far */
  u8 global_table[768], local_table[768];
  int global_size, local_size; /* entries of each colour table; 0: the table is absent */
  int background;              /* background colour index; -1: no global colour table */
  u8 aspect;                   /* pixel aspect ratio byte (GIF89a 18.c.viii) */
  u16 global_numbers[256], local_numbers[256];

  /* State of the extensions before the next frame. */
  int label;
  u8 control[8]; /* sub-block of the graphic control extension (GIF89a 23) */
  int disposal, delay, transparent;
  u8 *extensions; /* all extensions except graphic control, with unchanged bytes */
  u32 extension_bytes, extension_room;

  /* Frame that is being decoded, or that was decoded last. */
  Box frame;
  bool is_interlaced;
  int frame_disposal;
  int frame_delay;        /* delay in hundredths of a second */
  bool frame_transparent; /* the frame has a transparent index */
  u32 pixel_at;           /* pixels of the frame decoded so far */
  int line, pass_step, pass_start;
  const u16 *numbers; /* colour numbers of the frame's colour table */
  u16 *saved;         /* canvas pixels under the frame, saved for disposal "restore to previous" */
  u32 saved_room;     /* capacity of `saved` in pixels */
  Box ambiguous_box;
  /* `ambiguous_box` was cleared by a frame without transparency: viewers show different results there */
  bool ambiguous;

  LzwReader lzw;
  u8 pending[65535 + LZW_CODES + 8]; /* indices of an incomplete row, plus the longest LZW phrase */
  u32 pending_count;
} Decoder;

void decode_begin(Decoder *d);
/* Decodes bytes until a frame is complete, the header was read, or the input ends. Returns the number of bytes read. */
u32 decode(Decoder *d, const u8 *bytes, u32 count);
/* Applies the frame's disposal (GIF89a 23.c.iv) to the canvas. Called after the frame was processed. */
void decode_dispose(Decoder *d);
/* Checks at the end of the input that the file is complete, and fails otherwise. A missing trailer is accepted because
 * it is common. */
void decode_end(Decoder *d);
/* Sets alive[n] for each colour number n that the decoder still uses. */
void decode_numbers_in_use(const Decoder *d, bool *alive);

#endif
