// Pixels to JPEG XL: VarDCT at a distance, or Modular without loss. One picture an instance.
#include <jxl/encode.h>
#include <stdlib.h>
#include <string.h>

#include "../jxl/memory.h"

extern "C" {
#include "../common/host.h"
}

namespace {

// Side of the modular groups is 128, so that an exact picture is encoded by 1024 x 1024 pixels.
constexpr int kSmallGroups = 0;

struct Picture {
  unsigned char* colours;
  unsigned char* alpha;  // nullptr: opaque
  size_t width;
  u32 colour_channels;  // 1 or 3
  u32 sample_bytes;     // 1 or 2
};

struct Box {
  const unsigned char* data;
  size_t bytes;
};

unsigned char piece[65536];
JxlEncoder* encoder;
Picture picture;
Box icc, exif, xmp;

void check(JxlEncoderStatus status) {
  if (status == JXL_ENC_SUCCESS) return;
  const JxlEncoderError error = JxlEncoderGetError(encoder);
  if (error == JXL_ENC_ERR_OOM) host_fail(FAIL_MEMORY, "no memory");
  host_fail(error == JXL_ENC_ERR_API_USAGE ? FAIL_MISUSE : FAIL_UNSUPPORTED, "the encoder cannot hold this picture");
}

JxlDataType data_type() { return picture.sample_bytes == 2 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8; }

void colour_format(void*, JxlPixelFormat* format) { *format = {picture.colour_channels, data_type(), JXL_LITTLE_ENDIAN, 0}; }
void alpha_format(void*, size_t, JxlPixelFormat* format) { *format = {1, data_type(), JXL_LITTLE_ENDIAN, 0}; }

const void* colours_at(void*, size_t x, size_t y, size_t, size_t, size_t* row_offset) {
  const size_t pixel_bytes = picture.colour_channels * picture.sample_bytes;
  *row_offset = picture.width * pixel_bytes;
  return picture.colours + (y * picture.width + x) * pixel_bytes;
}

const void* alpha_at(void*, size_t, size_t x, size_t y, size_t, size_t, size_t* row_offset) {
  *row_offset = picture.width * picture.sample_bytes;
  return picture.alpha + (y * picture.width + x) * picture.sample_bytes;
}

void release(void*, const void*) {}

// libjxl reads rows where they are only if it has an output processor. Otherwise it copies the whole picture.
void* piece_buffer(void*, size_t* size) {
  *size = sizeof piece;
  return piece;
}
void piece_written(void*, size_t bytes) { host_write(piece, (u32)bytes); }
void finalized(void*, uint64_t) {}

// Moves alpha into a plane of its own, and the colours together.
void split_alpha(size_t pixels, u32 channels) {
  const size_t sample = picture.sample_bytes;
  const size_t colours = (channels - 1) * sample;
  picture.alpha = static_cast<unsigned char*>(malloc(pixels * sample));
  if (!picture.alpha) host_fail(FAIL_MEMORY, "no memory");
  for (size_t i = 0; i < pixels; i++) {
    const unsigned char* from = picture.colours + i * (colours + sample);
    memcpy(picture.alpha + i * sample, from + colours, sample);
    memmove(picture.colours + i * colours, from, colours);
  }
}

void set_basic_info(u32 width, u32 height, bool exact) {
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = width;
  info.ysize = height;
  info.bits_per_sample = picture.sample_bytes * 8;
  info.num_color_channels = picture.colour_channels;
  info.uses_original_profile = exact ? JXL_TRUE : JXL_FALSE;
  if (picture.alpha) {
    info.num_extra_channels = 1;
    info.alpha_bits = picture.sample_bytes * 8;
  }
  check(JxlEncoderSetBasicInfo(encoder, &info));
}

void set_profile() {
  if (icc.bytes) return check(JxlEncoderSetICCProfile(encoder, icc.data, icc.bytes));
  JxlColorEncoding srgb;
  JxlColorEncodingSetToSRGB(&srgb, picture.colour_channels == 1 ? JXL_TRUE : JXL_FALSE);
  check(JxlEncoderSetColorEncoding(encoder, &srgb));
}

void add_boxes() {
  if (!exif.bytes && !xmp.bytes) return;
  check(JxlEncoderUseBoxes(encoder));
  if (exif.bytes) check(JxlEncoderAddBox(encoder, "Exif", exif.data, exif.bytes, JXL_FALSE));
  if (xmp.bytes) check(JxlEncoderAddBox(encoder, "xml ", xmp.data, xmp.bytes, JXL_FALSE));
  JxlEncoderCloseBoxes(encoder);
}

}  // namespace

// Metadata for `encode`: 0 the ICC profile, 1 the body of the Exif box, 2 XMP. The memory comes from host_alloc.
extern "C" EXPORT(metadata) void export_metadata(u32 kind, const unsigned char* data, u32 bytes) {
  (kind == 0 ? icc : kind == 1 ? exif : xmp) = {data, bytes};
}

// Takes the picture at `pixels`, which host_alloc has allocated: grey or RGB, with alpha if `channels` is even, samples of
// `sample_bytes` bytes, little-endian. `distance`: Butteraugli distance in thousandths; 0: without loss. `effort`: libjxl's, up
// to 7, because lean.patch does not support higher ones. Passes the file to host_write in pieces.
extern "C" EXPORT(encode) void export_encode(unsigned char* pixels, u32 width, u32 height, u32 channels, u32 sample_bytes,
                                         u32 distance, u32 effort) {
  const bool exact = distance == 0;
  picture = {pixels, nullptr, width, channels < 3 ? 1u : 3u, sample_bytes};
  if (channels % 2 == 0) split_alpha((size_t)width * height, channels);
  encoder = JxlEncoderCreate(&kMemory);
  if (!encoder) host_fail(FAIL_MEMORY, "no memory");
  check(JxlEncoderSetOutputProcessor(encoder, {nullptr, piece_buffer, piece_written, nullptr, finalized}));
  check(JxlEncoderUseContainer(encoder, JXL_TRUE));
  set_basic_info(width, height, exact);
  set_profile();
  add_boxes();
  JxlEncoderFrameSettings* settings = JxlEncoderFrameSettingsCreate(encoder, nullptr);
  const auto set = [&](JxlEncoderFrameSettingId id, int value) {
    check(JxlEncoderFrameSettingsSetOption(settings, id, value));
  };
  set(JXL_ENC_FRAME_SETTING_EFFORT, (int)effort);
  set(JXL_ENC_FRAME_SETTING_BUFFERING, 2);
  set(JXL_ENC_FRAME_SETTING_RESPONSIVE, 0);
  if (exact) {
    check(JxlEncoderSetFrameLossless(settings, JXL_TRUE));
    set(JXL_ENC_FRAME_SETTING_MODULAR_GROUP_SIZE, kSmallGroups);
    set(JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1);
  } else {
    check(JxlEncoderSetFrameDistance(settings, (float)distance / 1000.0f));
    if (picture.alpha) check(JxlEncoderSetExtraChannelDistance(settings, 0, 0.0f));
  }
  check(JxlEncoderAddChunkedFrame(settings, JXL_TRUE,
                                  {nullptr, colour_format, colours_at, alpha_format, alpha_at, release}));
  JxlEncoderCloseInput(encoder);
  check(JxlEncoderFlushInput(encoder));
}
