// The JPEG that a JPEG XL was made from, rebuilt byte for byte, or the pixels of any still picture. One file an instance.
#include <jxl/cms.h>
#include <jxl/decode.h>

#include "../jxl/memory.h"

extern "C" {
#include "../common/host.h"
}

namespace {

// A file of few bytes can have thousands of layers, and each costs as much time as the whole picture. Results have one or two frames.
constexpr u32 kMostLayers = 8;
// Pixels that a frame costs at least, because of its tables.
constexpr u64 kLeastPixels = 65536;

u64 picture_pixels, frame_pixels, most_frame_pixels;

// Refuses a picture of more than `most_pixels`, and sets the limit for its frames.
void limit_pixels(const JxlBasicInfo& info, u32 most_pixels) {
  picture_pixels = (u64)info.xsize * info.ysize;
  if (picture_pixels > most_pixels) host_fail(FAIL_LIMIT, "too many pixels");
  most_frame_pixels = kMostLayers * (most_pixels > kLeastPixels ? most_pixels : kLeastPixels);
}

}  // namespace

// libjxl calls it for the header of each frame: layers, hidden frames and previews (lean.patch). A small layer is blended into the
// whole picture.
extern "C" void frame_begins(size_t width, size_t height) {
  const u64 own_pixels = (u64)width * height;
  const u64 blended_pixels = own_pixels > picture_pixels ? own_pixels : picture_pixels;
  frame_pixels += blended_pixels > kLeastPixels ? blended_pixels : kLeastPixels;
  if (frame_pixels > most_frame_pixels) host_fail(FAIL_LIMIT, "too many layers");
}

// Rebuilds the JPEG from the file at `jxl` and passes it to host_write in pieces (lean.patch). Refuses a picture of more
// than `most_pixels` before it is decoded.
extern "C" EXPORT(rebuild) void export_rebuild(const unsigned char* jxl, u32 bytes, u32 most_pixels) {
  static unsigned char unused[64];
  JxlDecoder* decoder = JxlDecoderCreate(&kMemory);
  if (!decoder) host_fail(FAIL_MEMORY, "no memory");
  const int events = JXL_DEC_BASIC_INFO | JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE;
  if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS) host_fail(FAIL_MISUSE, "events");
  if (JxlDecoderSetInput(decoder, jxl, bytes) != JXL_DEC_SUCCESS) host_fail(FAIL_MISUSE, "input");
  JxlDecoderCloseInput(decoder);
  bool has_jpeg = false;
  for (;;) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_BASIC_INFO) {
      JxlBasicInfo info;
      if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) host_fail(FAIL_DAMAGED, "no basic info");
      limit_pixels(info, most_pixels);
    } else if (status == JXL_DEC_JPEG_RECONSTRUCTION) {
      has_jpeg = true;
      JxlDecoderSetJPEGBuffer(decoder, unused, sizeof unused);
    } else if (status == JXL_DEC_FULL_IMAGE && has_jpeg) {
      break;
    } else if (status == JXL_DEC_NEED_MORE_INPUT) {
      host_fail(FAIL_TRUNCATED, "the file ends early");
    } else {
      // Without the box of the JPEG, libjxl asks for a buffer of pixels.
      host_fail(status == JXL_DEC_ERROR ? FAIL_DAMAGED : FAIL_UNSUPPORTED, "the file holds no JPEG that can be rebuilt");
    }
  }
  JxlDecoderDestroy(decoder);
}

namespace {

// Properties of the decoded picture, in the order in which the host reads them.
struct Decoded {
  u32 width, height;
  u32 channels;           // 1 or 3 colours, and alpha if even
  u32 bits;               // bits of a colour sample in the file
  u32 exponent_bits;      // 0: integers
  unsigned char* icc;     // profile of the samples
  u32 icc_bytes;
  unsigned char* pixels;  // interleaved, 8 bits, or 16 bits little-endian
} decoded;

// Most extra channels: alpha and a few others, which are decoded with the picture and take its memory.
constexpr u32 kMostExtraChannels = 4;

void read_basic_info(JxlDecoder* decoder, u32 most_pixels) {
  JxlBasicInfo info;
  if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) host_fail(FAIL_DAMAGED, "no basic info");
  limit_pixels(info, most_pixels);
  if (info.have_animation) host_fail(FAIL_UNSUPPORTED, "an animation");
  if (info.num_extra_channels > kMostExtraChannels) host_fail(FAIL_LIMIT, "too many extra channels");
  decoded.width = info.xsize;
  decoded.height = info.ysize;
  decoded.channels = info.num_color_channels + (info.alpha_bits ? 1 : 0);
  decoded.bits = info.bits_per_sample;
  decoded.exponent_bits = info.exponent_bits_per_sample;
}

// Asks for samples in the profile of the file, and copies the profile.
void read_profile(JxlDecoder* decoder) {
  size_t bytes = 0;
  if (JxlDecoderGetICCProfileSize(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &bytes) != JXL_DEC_SUCCESS)
    host_fail(FAIL_UNSUPPORTED, "no colour profile");
  decoded.icc = (unsigned char*)kMemory.alloc(nullptr, bytes);
  decoded.icc_bytes = (u32)bytes;
  if (JxlDecoderGetColorAsICCProfile(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, decoded.icc, bytes) != JXL_DEC_SUCCESS)
    host_fail(FAIL_DAMAGED, "the colour profile");
  JxlDecoderSetCms(decoder, *JxlGetDefaultCms());
  JxlColorEncoding encoding;
  const bool is_named =
      JxlDecoderGetColorAsEncodedProfile(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding) == JXL_DEC_SUCCESS;
  const JxlDecoderStatus status = is_named ? JxlDecoderSetOutputColorProfile(decoder, &encoding, nullptr, 0)
                                           : JxlDecoderSetOutputColorProfile(decoder, nullptr, decoded.icc, bytes);
  if (status != JXL_DEC_SUCCESS) host_fail(FAIL_UNSUPPORTED, "the colour profile");
}

void set_buffer(JxlDecoder* decoder, bool is_deep) {
  const JxlPixelFormat format = {decoded.channels, is_deep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_LITTLE_ENDIAN, 0};
  size_t bytes = 0;
  if (JxlDecoderImageOutBufferSize(decoder, &format, &bytes) != JXL_DEC_SUCCESS) host_fail(FAIL_UNSUPPORTED, "pixels");
  decoded.pixels = (unsigned char*)kMemory.alloc(nullptr, bytes);
  if (JxlDecoderSetImageOutBuffer(decoder, &format, decoded.pixels, bytes) != JXL_DEC_SUCCESS)
    host_fail(FAIL_UNSUPPORTED, "pixels");
}

}  // namespace

// Decodes the still picture of the file at `jxl`, upright, to 8 bits a sample, or 16 if `is_deep`. Refuses a picture of more
// than `most_pixels` before it is decoded.
extern "C" EXPORT(decode) const void* export_decode(const unsigned char* jxl, u32 bytes, u32 most_pixels, u32 is_deep) {
  JxlDecoder* decoder = JxlDecoderCreate(&kMemory);
  if (!decoder) host_fail(FAIL_MEMORY, "no memory");
  const int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE;
  if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS) host_fail(FAIL_MISUSE, "events");
  JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE);
  if (JxlDecoderSetInput(decoder, jxl, bytes) != JXL_DEC_SUCCESS) host_fail(FAIL_MISUSE, "input");
  JxlDecoderCloseInput(decoder);
  for (;;) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_BASIC_INFO) {
      read_basic_info(decoder, most_pixels);
    } else if (status == JXL_DEC_COLOR_ENCODING) {
      read_profile(decoder);
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      set_buffer(decoder, is_deep != 0);
    } else if (status == JXL_DEC_FULL_IMAGE) {
      break;
    } else {
      host_fail(status == JXL_DEC_NEED_MORE_INPUT ? FAIL_TRUNCATED : FAIL_DAMAGED, "the file cannot be decoded");
    }
  }
  JxlDecoderDestroy(decoder);
  return &decoded;
}
