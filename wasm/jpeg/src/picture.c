#include "picture.h"

#include "tuning.h"

static uint32_t share(uint32_t samples, int factor, int max) { return ((uint64_t)samples * factor + max - 1) / max; }

void picture_from(Picture *picture, Frame frame) {
  if (frame.planes < 1 || frame.planes > PLANES) host_fail(FAIL_UNSUPPORTED, "more than four components");
  memset(picture, 0, sizeof *picture);
  picture->width = frame.width;
  picture->height = frame.height;
  picture->planes = frame.planes;
  picture->colour = frame.colour;
  for (int i = 0; i < frame.planes; i++) {
    const jpeg_component_info *component = &frame.components[i];
    if (component->h_samp_factor > picture->h_max) picture->h_max = component->h_samp_factor;
    if (component->v_samp_factor > picture->v_max) picture->v_max = component->v_samp_factor;
  }
  static const double rgb_weight[3] = {0.299, 0.587, 0.114};
  const int has_chroma = frame.colour == JCS_YCbCr || frame.colour == JCS_YCCK;
  for (int i = 0; i < frame.planes; i++) {
    Plane *plane = &picture->plane[i];
    plane->id = frame.components[i].component_id;
    plane->h = frame.components[i].h_samp_factor;
    plane->v = frame.components[i].v_samp_factor;
    plane->width = share(frame.width, plane->h, picture->h_max);
    plane->height = share(frame.height, plane->v, picture->v_max);
    plane->blocks_wide = (plane->width + 7) / 8;
    plane->blocks_high = (plane->height + 7) / 8;
    plane->chroma = has_chroma && (i == 1 || i == 2);
    plane->measured = !plane->chroma;
    plane->weight = (frame.colour == JCS_RGB || frame.colour == JCS_CMYK) && i < 3 ? rgb_weight[i] : 1;
  }
}

void picture_clear(Picture *picture) {
  for (int i = 0; i < picture->planes; i++) {
    store_free(picture->plane[i].read);
    store_free(picture->plane[i].made);
  }
  memset(picture, 0, sizeof *picture);
}

int row_is_sampled(const Plane *plane, uint32_t row, int every) {
  const uint32_t pair = row / (plane->v * 2);
  return every <= 1 || plane->blocks_high <= WHOLE_BLOCK_ROWS || pair % every == (uint32_t)every / 2;
}
