/* Includes libjpeg's headers and wasm/common, and declares libjpeg's error handler. */
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

/* Returns an error manager that ends the job on libjpeg errors and warnings. `errors` must outlive the objects that use
 * it. */
struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *errors);

#endif
