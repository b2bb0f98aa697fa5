/* The coder of scans (coder.c), for rows that are held (scans.c) and for rows as they come (recode.c). */
#ifndef WHITTLE_JPEG_CODER_H
#define WHITTLE_JPEG_CODER_H

#include "packed.h"
#include "scans.h"

/* Bytes of one scan, or of everything, on their way out. */
typedef struct {
  uint8_t buffer[65536];
  uint32_t filled;
  int number; /* by which the host tells whose bytes it is given */
} Lane;

/* A note: the symbol, how many bits follow it, and these; or bits alone. */
#define NOTE_ALONE (1u << 31)
#define NOTE(symbol, count, bits) ((uint32_t)(symbol) << 21 | (uint32_t)(count) << 16 | (bits))

typedef struct {
  int emitting;
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

extern Lane *lane;     /* that is written to */
extern double written; /* bytes of all lanes */
extern int only_counting;
void flush(void);
void put_byte(int byte);
void put_word(int word);
void put_bits(Coder *c, uint32_t value, int count);
void end_bits(Coder *c);
void code_row(Coder *c, const Scan *scan, const uint8_t *in, uint32_t blocks); /* counted, or written */
void end_run(Coder *c);
void put_table(Coder *c, int is_ac);
void put_scan_header(const Scan *scan);
void put_head(int made, int headers);

#endif
