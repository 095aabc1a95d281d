#include "base/os/error_text.h"

#include <string.h>

const char *error_text(int number)
{
    const char *text =
        strerrordesc_np(number); /* takes no lock: a forked child may ask */
    return text != NULL ? text : "Unknown error";
}
