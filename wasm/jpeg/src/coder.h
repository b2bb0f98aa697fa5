/*
 * Progressive coding (ITU-T T.81, annex G) straight from packed rows, whose tokens are what a scan is made of: zeros
 * before a value, and the value. Every scan has one component and a Huffman table of its own.
 */
#ifndef WHITTLE_JPEG_CODER_H
#define WHITTLE_JPEG_CODER_H

#include "packed.h"
#include "script.h"
#include "tuning.h"

/* Where bytes go. */
typedef struct {
  double written;    /* bytes of all lanes */
  int only_counting; /* bytes are not handed to the host */
  int lane;          /* number of the lane whose bytes the host is given */
} Output;

/* Bytes of one scan, or of everything, on their way out. */
typedef struct {
  Output *output;
  uint8_t buffer[LANE_BYTES];
  uint32_t filled;
  int number;
} Lane;

/* A note: the symbol, how many bits follow it, and these; or bits alone. */
#define NOTE_ALONE (1u << 31)
#define NOTE(symbol, count, bits) ((uint32_t)(symbol) << 21 | (uint32_t)(count) << 16 | (bits))

/* The coder of one scan. */
typedef struct {
  Lane *lane;
  int emitting;    /* 0: symbols are counted */
  long count[257]; /* symbols, when counting */
  uint8_t length[256];
  uint16_t code[256];
  uint64_t bits; /* not yet written, right-aligned */
  int pending;   /* how many */
  uint32_t run;  /* blocks of an end-of-band run */
  int waiting;   /* correction bits of those blocks */
  uint8_t correction[WAITING_MAX + DCTSIZE2];
  uint32_t *notes;
  uint32_t noted, room; /* room: what may still be noted; 0 once a row did not fit */
  int previous;         /* DC of the block before */
} Coder;

void flush(Lane *lane);
void put_byte(Lane *lane, int byte);
void put_word(Lane *lane, int word);
/* Start, tables of steps, progressive frame (B.2.2). `headers`: JFIF and Adobe segments as the colour needs them. */
void put_head(Lane *lane, const Picture *picture, int made, int headers);
void put_scan_header(Lane *lane, const Picture *picture, const Scan *scan);

/* Up to 32 bits. */
void put_bits(Coder *c, uint32_t value, int count);
/* Fills the last byte. */
void end_bits(Coder *c);
/* Counts, or writes, a packed row of blocks. */
void code_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks);
void end_run(Coder *c);
/* Makes the optimal table of what was counted, and writes its segment. */
void put_table(Coder *c, int is_ac);

#endif
