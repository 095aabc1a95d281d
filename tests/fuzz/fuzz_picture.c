/* The header of a picture is read without leaving its bytes. */
#include "picture/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct picture p;
    if (!picture_read((str){(const char *)data, size}, &p))
        return 0;
    if (p.width == 0 || p.height == 0 || p.kind > PICTURE_WEBP)
        BUG("a picture without size or kind");
    if (p.orientation < 1 || p.orientation > 8)
        BUG("orientation %d", p.orientation);
    return 0;
}
