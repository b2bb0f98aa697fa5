/* JPEG 2000 decoding in strips with unmodified OpenJPEG. Each strip opens the codestream again and decodes an area of
 * it, so that memory holds the codestream and one strip instead of the picture. All calls return a negative number if
 * the data are damaged. */
#include <stdlib.h>
#include <string.h>

#include "openjpeg.h"

#define EXPORT(name) __attribute__((export_name(#name)))
/* Bytes that OpenJPEG reads at a time. Set by experiment. */
#define STREAM_BUFFER_BYTES 65536
/* Largest number of components of a picture that can be delivered as rows: CMYK has four. */
#define MAX_COMPONENTS 4

/* Error codes for a strip. */
enum { NO_PICTURE = -1, UNEXPECTED_SHAPE = -2, NO_SAMPLES = -3 };

/* Stub of getenv, which keeps WASI's environment functions out of the binary. */
char *getenv(const char *name) {
  (void)name;
  return 0;
}

/* Source file in the host's buffer; it is not copied. */
typedef struct {
  const unsigned char *bytes;
  OPJ_SIZE_T length, at;
} Source;

/* Facts from the header, in the order of `info`. */
typedef struct {
  int width, height, components;
  int precision; /* bits per sample */
  int plain;     /* 1: the picture can be delivered as rows (is_plain) */
  int tiles;
} Header;

typedef struct {
  Source source;
  Header header;
} Jp2;

/* ---- OpenJPEG stream callbacks that read from the source ---- */

static OPJ_SIZE_T read_source(void *to, OPJ_SIZE_T count, void *user) {
  Source *source = user;
  if (source->at >= source->length) return (OPJ_SIZE_T)-1;
  if (count > source->length - source->at) count = source->length - source->at;
  memcpy(to, source->bytes + source->at, count);
  source->at += count;
  return count;
}

static OPJ_OFF_T skip_source(OPJ_OFF_T count, void *user) {
  Source *source = user;
  if (count < 0) return -1;
  source->at = (OPJ_SIZE_T)count > source->length - source->at ? source->length : source->at + (OPJ_SIZE_T)count;
  return count;
}

static OPJ_BOOL seek_source(OPJ_OFF_T to, void *user) {
  Source *source = user;
  if (to < 0 || (OPJ_SIZE_T)to > source->length) return OPJ_FALSE;
  source->at = (OPJ_SIZE_T)to;
  return OPJ_TRUE;
}

/* ---- decoding pictures ---- */

/* True if the picture can be delivered as rows: samples of one byte, and the same size and sign for all components. */
static int is_plain(const opj_image_t *image) {
  if (image->numcomps < 1 || image->numcomps > MAX_COMPONENTS) return 0;
  for (unsigned i = 0; i < image->numcomps; i++) {
    const opj_image_comp_t *component = &image->comps[i];
    if (component->dx != 1 || component->dy != 1 || component->sgnd) return 0;
    if (component->prec != image->comps[0].prec || component->prec > 16) return 0;
  }
  return 1;
}

static void read_facts(Header *header, opj_codec_t *codec, const opj_image_t *image) {
  header->width = (int)(image->x1 - image->x0);
  header->height = (int)(image->y1 - image->y0);
  header->components = (int)image->numcomps;
  header->precision = header->components > 0 ? (int)image->comps[0].prec : 0;
  header->plain = is_plain(image);
  opj_codestream_info_v2_t *codestream = opj_get_cstr_info(codec);
  if (codestream) {
    header->tiles = (int)(codestream->tw * codestream->th);
    opj_destroy_cstr_info(&codestream);
  }
}

static opj_stream_t *open_stream(Source *source) {
  opj_stream_t *stream = opj_stream_create(STREAM_BUFFER_BYTES, OPJ_TRUE);
  source->at = 0;
  opj_stream_set_user_data(stream, source, 0);
  opj_stream_set_user_data_length(stream, source->length);
  opj_stream_set_read_function(stream, read_source);
  opj_stream_set_skip_function(stream, skip_source);
  opj_stream_set_seek_function(stream, seek_source);
  return stream;
}

/* Decodes rows `first` to `last`, or only the header (`last` 0). Returns NULL if the file is damaged. */
static opj_image_t *decode(Jp2 *jp2, int first, int last) {
  Source *source = &jp2->source;
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  /* Palettes and channel definitions are ignored, because the document that contains the picture defines its
   * colours. */
  parameters.flags |= OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG;
  /* A raw codestream starts with the marker SOC (ISO/IEC 15444-1, annex A). */
  int bare = source->length > 4 && source->bytes[0] == 0xFF && source->bytes[1] == 0x4F;
  opj_codec_t *codec = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  opj_stream_t *stream = open_stream(source);
  opj_image_t *image = 0;
  int good = 0;
  opj_setup_decoder(codec, &parameters);
  /* Strict mode: damage is an error instead of a guess. */
  opj_decoder_set_strict_mode(codec, OPJ_TRUE);
  if (opj_read_header(stream, codec, &image)) {
    read_facts(&jp2->header, codec, image);
    good = last == 0 || (opj_set_decode_area(codec, image, image->x0, image->y0 + first, image->x1, image->y0 + last) &&
                         opj_decode(codec, stream, image));
  }
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  if (!good && image) {
    opj_image_destroy(image);
    image = 0;
  }
  return image;
}

/* Writes interleaved samples of 8 bits. Returns 0 if a component has no samples. */
static int interleave(const opj_image_t *image, unsigned long long pixels, unsigned char *to) {
  const unsigned count = image->numcomps;
  const int shift = (int)image->comps[0].prec - 8;
  for (unsigned c = 0; c < count; c++) {
    const int *from = image->comps[c].data;
    if (!from) return 0;
    unsigned char *out = to + c;
    for (unsigned long long i = 0; i < pixels; i++, out += count) {
      int value = shift > 0 ? from[i] >> shift : from[i] << -shift;
      *out = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
  return 1;
}

static int read_rows(Jp2 *jp2, int first, int last, unsigned char *to, unsigned room) {
  opj_image_t *image = decode(jp2, first, last);
  if (!image) return NO_PICTURE;
  const int width = (int)image->comps[0].w, height = (int)image->comps[0].h;
  const unsigned long long pixels = (unsigned long long)width * (unsigned)height, bytes = pixels * image->numcomps;
  int result = UNEXPECTED_SHAPE;
  if (jp2->header.plain && width == jp2->header.width && height == last - first && bytes <= room)
    result = interleave(image, pixels, to) ? (int)bytes : NO_SAMPLES;
  opj_image_destroy(image);
  return result;
}

/* ---- functions that the host calls ---- */

static Jp2 jp2;

EXPORT(allocate) void *export_allocate(unsigned bytes) { return malloc(bytes); }

/* Opens a file in the host's buffer, which must stay in place. Returns 0; -1: not a JPEG 2000 file. */
EXPORT(open_picture) int export_open_picture(const unsigned char *bytes, unsigned length) {
  jp2.source = (Source){.bytes = bytes, .length = length};
  opj_image_t *image = decode(&jp2, 0, 0);
  if (!image) return NO_PICTURE;
  opj_image_destroy(image);
  return 0;
}

/* Returns 0 width, 1 height, 2 components, 3 bits per sample, 4 whether rows can be read, 5 tiles. */
EXPORT(info) int export_info(int what) {
  const Header *h = &jp2.header;
  const int facts[] = {h->width, h->height, h->components, h->precision, h->plain, h->tiles};
  return what >= 0 && what < (int)(sizeof facts / sizeof *facts) ? facts[what] : -1;
}

/* Decodes rows `first` to `last` as interleaved 8-bit samples. Returns the number of bytes, or a negative error
 * code. */
EXPORT(read_strip) int export_read_strip(int first, int last, unsigned char *to, unsigned room) {
  return read_rows(&jp2, first, last, to, room);
}
