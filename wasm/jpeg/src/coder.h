/* Progressive Huffman coding (ITU-T T.81, annex G) directly from packed rows. A packed row already has the tokens of a
 * scan: a run of zeros and the value after it. Every scan has one component and its own Huffman table. */
#ifndef WHITTLE_JPEG_CODER_H
#define WHITTLE_JPEG_CODER_H

#include "packed.h"
#include "script.h"
#include "tuning.h"

/* Destination of coded bytes. */
typedef struct {
  double written;    /* bytes written so far to all lanes (output streams, one per scan) */
  int only_counting; /* bytes are counted, not passed to the host */
  int lane;          /* number of the lane (output stream of one scan) whose bytes the host receives now */
} Output;

/* Output buffer of one scan, or of the whole file. */
typedef struct {
  Output *output;
  uint8_t buffer[LANE_BYTES];
  uint32_t filled;
  int number;
} Lane;

/* Recorded symbol: the symbol, the number of bits that follow it, and these bits; or bits without a symbol. */
#define NOTE_ALONE (1u << 31)
#define NOTE(symbol, count, bits) ((uint32_t)(symbol) << 21 | (uint32_t)(count) << 16 | (bits))

/* Huffman coder of one scan. */
typedef struct {
  Lane *lane;
  int emitting;    /* 0: symbols are counted; 1: they are written */
  long count[257]; /* frequency of each symbol */
  uint8_t length[256];
  uint16_t code[256];
  uint64_t bits; /* bits not written yet, right-aligned */
  int pending;   /* number of bits waiting in `bits` */
  uint32_t run;  /* length of the current end-of-band run in blocks */
  int waiting;   /* number of correction bits of the end-of-band run */
  uint8_t correction[WAITING_MAX + DCTSIZE2];
  uint32_t *notes;
  uint32_t noted, room; /* number of recorded symbols that still fit into `notes`; 0 after a row did not fit */
  int previous;         /* DC value of the block before, as predictor */
} Coder;

void flush(Lane *lane);
void put_byte(Lane *lane, int byte);
void put_word(Lane *lane, int word);
/* Writes SOI, quantisation tables and the progressive frame header (T.81, B.2.2). `headers`: also JFIF and Adobe
 * segments as the colour space needs them. */
void put_head(Lane *lane, const Picture *picture, int made, int headers);
void put_scan_header(Lane *lane, const Picture *picture, const Scan *scan);

/* Appends up to 32 bits to the coded data. */
void put_bits(Coder *c, uint32_t value, int count);
/* Pads the last byte of the coded data. */
void end_bits(Coder *c);
/* Counts or writes the symbols of a packed row of blocks. */
void code_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks);
void end_run(Coder *c);
/* Computes the optimal Huffman table of the counted symbols and writes its DHT segment. */
void put_table(Coder *c, int is_ac);

#endif
