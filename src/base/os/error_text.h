/*
 * error_text - what an errno means.
 */
#pragma once

/* In English; never NULL, and valid until this thread asks again. */
const char *error_text(int number);
