/*
 * banned - functions that are too easy to use wrongly, and their replacements.
 *
 * Forced into every file of src/ by the build. stdout is the protocol in stdio mode,
 * so nothing may print to it by accident.
 */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#undef strcat
#undef strtok
#undef sprintf
#undef vsprintf
#undef atoi
#undef atol
#undef localtime
#undef gmtime
#undef printf
#pragma GCC poison strcpy strcat strtok sprintf vsprintf atoi atol localtime gmtime gets \
    printf lgamma
