// The JPEG that a JPEG XL was made from, rebuilt byte for byte. One file an instance.
#include <jxl/decode.h>

#include "../jxl/memory.h"

extern "C" {
#include "../common/host.h"
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
      if ((u64)info.xsize * info.ysize > most_pixels) host_fail(FAIL_LIMIT, "too many pixels");
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
