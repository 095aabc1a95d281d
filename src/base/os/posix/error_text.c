#include "base/os/error_text.h"

#include <string.h>

const char *error_text(int number)
{
    return strerror(number);
}
