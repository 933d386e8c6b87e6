/* What Go calls: reserve room for an item, decode it, look at the picture. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dav1d/dav1d.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The picture as 32-bit numbers, in the order in which Go reads them. Rows of a
 * plane are stride bytes apart; samples are one byte at a depth of 8, else two. */
static struct {
    uint32_t width, height, depth, layout, full_range, matrix, primaries, transfer;
    const void *plane[3];
    int32_t stride[3];
} result;

static Dav1dContext *context;
static Dav1dPicture picture;

EXPORT("reserve") void *reserve(size_t size) { return malloc(size); }

EXPORT("result") void *get_result(void) { return &result; }

/* Asks Go whether to go on, once for every row of superblocks; when not, it does not
 * return. Loops that are interrupted from outside take three times as long. */
__attribute__((import_module("go"), import_name("proceed"))) void proceed(void);

#define ASKS(name) \
    void __real_##name(void *frame, int row); \
    void __wrap_##name(void *frame, int row) { proceed(); __real_##name(frame, row); }
ASKS(dav1d_filter_sbrow_8bpc)
ASKS(dav1d_filter_sbrow_16bpc)

static void keep(const uint8_t *data, void *cookie) {}

static int first_picture(uint8_t *data, size_t size, unsigned most_pixels) {
    Dav1dSettings settings;
    dav1d_default_settings(&settings);
    settings.n_threads = 1;
    settings.max_frame_delay = 1;
    settings.all_layers = 0;
    settings.frame_size_limit = most_pixels;
    int err = dav1d_open(&context, &settings);
    if (err) return err;

    Dav1dData input = {0};
    err = dav1d_data_wrap(&input, data, size, keep, NULL);
    if (err) return err;
    do {
        err = input.sz ? dav1d_send_data(context, &input) : 0;
        if (err && err != DAV1D_ERR(EAGAIN)) break;
        err = dav1d_get_picture(context, &picture);
    } while (err == DAV1D_ERR(EAGAIN) && input.sz);
    /* the end of the data is told by asking again */
    if (err == DAV1D_ERR(EAGAIN)) err = dav1d_get_picture(context, &picture);
    dav1d_data_unref(&input);
    return err;
}

/* Decodes the first picture of an item, which reserve made room for and which is
 * freed. Returns 0, or minus an errno of WASI. The picture stays until release. */
EXPORT("decode") int decode(uint8_t *data, size_t size, unsigned most_pixels) {
    int err = first_picture(data, size, most_pixels);
    free(data);
    if (err) return err;
    result.width = picture.p.w;
    result.height = picture.p.h;
    result.depth = picture.p.bpc;
    result.layout = picture.p.layout;
    result.full_range = picture.seq_hdr->color_range;
    result.matrix = picture.seq_hdr->mtrx;
    result.primaries = picture.seq_hdr->pri;
    result.transfer = picture.seq_hdr->trc;
    for (int i = 0; i < 3; i++) {
        result.plane[i] = picture.data[i];
        result.stride[i] = picture.stride[i > 0];
    }
    return 0;
}

/* Frees what decode left, so that another item can be decoded. */
EXPORT("release") void release(void) {
    if (picture.data[0]) dav1d_picture_unref(&picture);
    if (context) dav1d_close(&context);
    memset(&result, 0, sizeof result);
}
