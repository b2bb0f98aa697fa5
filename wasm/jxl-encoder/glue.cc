// JPEG to JPEG XL without loss, with the box from which the JPEG is rebuilt byte for byte. One picture an instance.
#include <jxl/encode.h>
#include <stdlib.h>

#include "../jxl/memory.h"

extern "C" {
#include "../common/host.h"
}

namespace {

// Brotli effort of metadata and tables: 9 takes 20 MB more memory than 5 to save a few bytes.
constexpr int kBrotliEffort = 5;
// Efforts 3, 5 and 7 give the same bytes for JPEG, and lean.patch does not support higher ones.
constexpr int kEffort = 7;

unsigned char piece[65536];
JxlEncoder* encoder;

void check(JxlEncoderStatus status) {
  if (status == JXL_ENC_SUCCESS) return;
  const JxlEncoderError error = JxlEncoderGetError(encoder);
  if (error == JXL_ENC_ERR_OOM) host_fail(FAIL_MEMORY, "no memory");
  host_fail(error == JXL_ENC_ERR_API_USAGE ? FAIL_MISUSE : FAIL_UNSUPPORTED, "the encoder cannot hold this JPEG exactly");
}

}  // namespace

// Encodes the JPEG at `jpeg`, which host_alloc has allocated, and frees it. `next` then returns the file.
extern "C" EXPORT(open) void export_open(unsigned char* jpeg, u32 bytes) {
  encoder = JxlEncoderCreate(&kMemory);
  if (!encoder) host_fail(FAIL_MEMORY, "no memory");
  check(JxlEncoderStoreJPEGMetadata(encoder, JXL_TRUE));
  check(JxlEncoderUseContainer(encoder, JXL_TRUE));
  JxlEncoderFrameSettings* settings = JxlEncoderFrameSettingsCreate(encoder, nullptr);
  check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, kEffort));
  check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_BROTLI_EFFORT, kBrotliEffort));
  check(JxlEncoderAddJPEGFrame(settings, jpeg, bytes));
  // libjxl has parsed it completely.
  free(jpeg);
  JxlEncoderCloseInput(encoder);
}

// Number of bytes that are now at `output`. 0: the file is complete.
extern "C" EXPORT(next) u32 export_next(void) {
  unsigned char* end = piece;
  size_t left = sizeof piece;
  const JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &end, &left);
  if (status != JXL_ENC_NEED_MORE_OUTPUT) check(status);
  if (status == JXL_ENC_NEED_MORE_OUTPUT && left == sizeof piece) host_fail(FAIL_MISUSE, "the encoder makes no progress");
  return (u32)(sizeof piece - left);
}

extern "C" EXPORT(output) unsigned char* export_output(void) { return piece; }
