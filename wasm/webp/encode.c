#include "../common/allocate.h"
#include "../common/host.h"
#include "tuning.h"
#include "webp.h"

uint32_t encode_file(Webp *w, int which, Settings settings) {
  WebPConfig config;
  if (!WebPConfigInit(&config)) host_fail(FAIL_MISUSE, "another version of libwebp");
  config.quality = settings.quality;
  config.method = settings.method;
  config.lossless = settings.lossless;
  config.low_memory = settings.frugal;
  config.exact = 1;
  config.alpha_quality = 100;
  WebPMemoryWriterClear(&w->file);
  WebPMemoryWriterInit(&w->file);
  WebPPicture *p = &w->pictures[which];
  if ((uint64_t)p->width * p->height > LARGE_PIXELS) {
    config.segments = 1;
    config.partition_limit = 100;
  }
  p->writer = WebPMemoryWrite;
  p->custom_ptr = &w->file;
  return WebPEncode(&config, p) ? w->file.size : 0;
}
