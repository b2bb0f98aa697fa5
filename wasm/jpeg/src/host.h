/* libjpeg's headers, wasm/common, and libjpeg's errors. */
#ifndef WHITTLE_JPEG_HOST_H
#define WHITTLE_JPEG_HOST_H

#define JPEG_INTERNALS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"
#include "../../common/allocate.h"
#include "../../common/host.h"

/* Makes libjpeg's errors and warnings end the job; `errors` must live as long as the objects that use it. */
struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *errors);

#endif
