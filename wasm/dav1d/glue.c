/* AV1 still pictures with unmodified dav1d, one picture at a time, on one thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>

#include "../common/host.h"
#include "../yuv/picture.h"

/* Largest number of calls in which dav1d takes a part of the data or delivers a picture. Limits hostile data. */
#define MOST_STEPS 1000

DecodedPicture decoded;

static Dav1dPicture picture;

static void keep(const uint8_t *bytes, void *cookie) {
  (void)bytes;
  (void)cookie;
}

static int failure_of(int error) {
  if (error == DAV1D_ERR(ENOMEM)) return FAIL_MEMORY;
  return error == DAV1D_ERR(ERANGE) ? FAIL_LIMIT : FAIL_DAMAGED;
}

/* Sends the data and takes the first picture, or the best layer of it. Returns 0 or a negative dav1d error. */
static int take_picture(Dav1dContext *context, Dav1dData *data) {
  for (int step = 0; step < MOST_STEPS; step++) {
    if (data->sz > 0) {
      const int sent = dav1d_send_data(context, data);
      if (sent < 0 && sent != DAV1D_ERR(EAGAIN)) return sent;
    }
    const int got = dav1d_get_picture(context, &picture);
    if (got != DAV1D_ERR(EAGAIN)) return got;
    if (data->sz == 0) return dav1d_get_picture(context, &picture);
  }
  return DAV1D_ERR(EINVAL);
}

static void describe(void) {
  const Dav1dSequenceHeader *header = picture.seq_hdr;
  const enum Dav1dPixelLayout layout = picture.p.layout;
  decoded.planes = (YuvPlanes){.planes = {picture.data[0], picture.data[1], picture.data[2]},
                               .strides = {(int)picture.stride[0], (int)picture.stride[1], (int)picture.stride[1]},
                               .width = picture.p.w,
                               .height = picture.p.h,
                               .bits = picture.p.bpc,
                               .shift_x = layout == DAV1D_PIXEL_LAYOUT_I420 || layout == DAV1D_PIXEL_LAYOUT_I422,
                               .shift_y = layout == DAV1D_PIXEL_LAYOUT_I420,
                               .has_chroma = layout != DAV1D_PIXEL_LAYOUT_I400};
  decoded.matrix = (int)header->mtrx;
  decoded.full_range = header->color_range;
  decoded.primaries = (int)header->pri;
  decoded.transfer = (int)header->trc;
}

/* Decodes the picture in `bytes`. `most_pixels`: largest frame. `operating_point`: of a layered picture (AV1, 7.18.4).
 * Returns 0 or a Failure. */
EXPORT(open_picture) int export_open_picture(const u8 *bytes, u32 length, u32 most_pixels, int operating_point) {
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.frame_size_limit = most_pixels;
  settings.operating_point = operating_point;
  settings.all_layers = 0;
  settings.strict_std_compliance = 0;
  Dav1dContext *context = NULL;
  int error = dav1d_open(&context, &settings);
  if (error) return failure_of(error);
  Dav1dData data = {0};
  error = dav1d_data_wrap(&data, bytes, length, keep, NULL);
  if (!error) error = take_picture(context, &data);
  dav1d_data_unref(&data);
  /* The picture keeps its own memory. The rest is freed before rows are read. */
  dav1d_close(&context);
  if (error) return failure_of(error);
  describe();
  return 0;
}
