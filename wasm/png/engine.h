/* The PNG engine: one picture per instance, rows streamed, memory independent of the height.
 *
 * The host (png.ts) reads and writes the chunks of the file; the engine sees the zlib streams inside.  A pass is
 * begin(mode), then for each frame frame(width, height) and either the compressed bytes (feed) or plain rows (take_row),
 * and finish().  Everything the host says or a file holds is checked; trouble calls host_fail, which does not return, and
 * the host throws the instance away.
 *
 * "W3C PNG" in comments: Portable Network Graphics (PNG) Specification (Third Edition). */
#ifndef PNG_ENGINE_H
#define PNG_ENGINE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/measure.h"
#include "../measure/shades.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

/* Why a picture cannot go on; png.ts knows the same numbers. */
enum { FAIL_MEMORY = 1, FAIL_TRUNCATED = 2, FAIL_DAMAGED = 3, FAIL_MISUSE = 4 };

IMPORT(write) void host_write(const u8 *bytes, u32 count);    /* compressed bytes, in order */
IMPORT(row) void host_row(const u8 *bytes, u32 count, u32 y); /* a decoded row, or a row of palette indices */
IMPORT(fail) _Noreturn void host_fail(int code, const char *what);

/* malloc that fails through host_fail; `zeroed` for calloc. */
void *allocate(size_t bytes);
void *zeroed(size_t bytes);
Measure *new_measure(bool alpha); /* of RGBA rows as wide as the source; to be freed */

/* ---- checksum.c ---- */
u32 crc32_of(u32 crc, const u8 *bytes, size_t count);     /* W3C PNG, annex D; start with 0 */
u32 adler32_of(u32 adler, const u8 *bytes, size_t count); /* RFC 1950; start with 1 */

/* ---- inflate.c: RFC 1950/1951, output handed to source_bytes() ---- */
void inflate_begin(void);
void inflate_push(const u8 *bytes, u32 count);
void inflate_end(void); /* fails unless the stream was whole */

/* ---- source.c: the picture that comes in ---- */
enum { GRAY = 0, RGB = 2, INDEXED = 3, GRAY_ALPHA = 4, RGB_ALPHA = 6 }; /* W3C PNG, 11.2.1: colour types */
enum { INTERLACE_NONE = 0, INTERLACE_PASSES = 1, INTERLACE_GATHER = 2 };

typedef struct {
  u32 width, height; /* of the picture (IHDR) */
  int colour_type, depth, channels, pixel_bits, filter_bytes;
  int interlace;    /* how Adam7 rows are delivered: pass by pass, or gathered in memory and in order */
  u32 palette[256]; /* r | g << 8 | b << 16 | a << 24 */
  int palette_size;
  bool has_key; /* tRNS of a grey or RGB picture */
  u16 key[3];
} Source;
extern Source source;

/* The rows that are being delivered: a frame, or one Adam7 pass of it. x = x0 + i * dx, y = y0 + row * dy. */
typedef struct {
  u32 width, height, x0, y0, dx, dy, row_bytes;
} Rows;
extern Rows rows;

u32 row_bytes_of(u32 width, int bits);
void source_bytes(const u8 *bytes, u32 count); /* unfiltered scanlines from inflate */
u8 paeth(int left, int up, int corner);

/* ---- samples.c: rows in common forms ---- */
void to_rgba8(const u8 *row, u32 width, u32 *out);
void to_rgba16(const u8 *row, u32 width, u16 *out); /* four samples a pixel, 0..65535 */
extern u32 *rgba_row;                               /* room for one row of the picture */

/* ---- analyse.c: what the picture really needs ---- */
typedef struct {
  bool opaque, gray; /* at eight bits */
  bool bytes_equal;  /* sixteen-bit samples hold eight bits */
  bool opaque16, gray16;
  int gray_depths; /* bit 0, 1, 2: fits into one, two, four bits */
  int colours;     /* distinct RGBA8, 257 for "more than 256" */
  u32 colour[256];
  u64 count[256];
  bool key_possible, key_seen; /* the transparent pixels have one colour, and it is this */
  u32 key;
} Facts;
extern Facts facts;
void analyse_begin(void);
void analyse_row(const u8 *row);
int colour_index(u32 colour); /* into facts.colour, -1 when it is not there */
bool key_is_free(void);       /* no opaque pixel has the key colour */
u32 neighbours(int a, int b); /* how often the colours stand side by side */

/* ---- layout.c: the form of the result ---- */
typedef struct {
  int colour_type, depth, pixel_bits, filter_bytes;
  bool verbatim; /* source rows are taken as they are */
  int palette_size;
  u32 palette[256];
  bool has_key;
  u16 key[3];
} Layout;
extern Layout layout;
void layout_set(int colour_type, int depth);
void pack_row(const u8 *row, u32 width, u8 *out);         /* source row to layout */
bool pack_direct(const u32 *px, u32 width, u8 *out);      /* RGBA to layout, where that has no indices */
void pack_indices(const u8 *indices, u32 width, u8 *out); /* eight-bit indices to layout.depth */
void palette_by_luma(u32 *colours, int count);

/* ---- encode.c: filters and deflate ---- */
void encode_begin(bool mute);
void encode_frame(u32 width, u32 height);
void encode_rows_begin(u32 width); /* a new frame or pass: no row above */
void encode_row(const u8 *packed);
void encode_filtered(const u8 *line); /* the same with its filter chosen */
void encode_frame_end(void);
extern u64 encoded_bytes;

/* ---- look.c ---- */
enum { LOOK_SHADES = 1, LOOK_SCORE = 2 };
typedef struct {
  ShadesFound shades;
  double score, worst_tile; /* of 64 x 64 pixels */
} Seen;
void look_begin(u32 height, bool alpha, int at); /* of rows as wide as the picture */
void look_row(const u32 *a, const u32 *b);
void look_break(void);                    /* the next row is no neighbour */
Seen look_result(void);                   /* after all rows */
void look_watch(float cast, float steps); /* remember windows with larger ones */
const ShadesWindow *look_watched(u32 *count);
void look_end(void);
/* 6 SSIMULACRA 2.1, 7 colour cast, 8 steps, 9 bands, 10 specks, 11 SSIMULACRA 2.1 of the worst tile. */
static inline double seen_fact(const Seen *found, int what) {
  switch (what) {
    case 6: return found->score;
    case 7: return found->shades.cast;
    case 8: return found->shades.steps;
    case 9: return found->shades.bands;
    case 10: return found->shades.specks;
    default: return found->worst_tile;
  }
}

/* ---- quantise.c, remap.c ---- */
#define COORDINATES 4
extern float palette_xyz[COORDINATES][256] __attribute__((aligned(16)));
extern int palette_used;
void to_coordinates(float r, float g, float b, float a, float *out);
int nearest_colour(const float *point, float *distance);
void histogram_begin(void);
void histogram_row(const u32 *rgba, u32 width, u32 y);
void weigh_up(u32 colour); /* the next palette is to come closer to it */
void remap_begin(void);
void remap_row(const u32 *rgba, u32 width, u8 *indices);
extern double predicted_mse; /* of the palette, per sample, before rows are mapped */

/* ---- near.c ---- */
void near_begin(void);
const u8 *near_row(const u32 *px, u32 width, u32 *shown);
#endif
