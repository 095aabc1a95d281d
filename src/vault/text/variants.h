/*
 * variants - letters that are written in several ways, so that a word is found however it
 * was typed: Arabic and Persian alef, yeh and kaf, Hebrew final letters, digits of other
 * scripts, traditional and simplified Chinese.
 */
#pragma once

#include "base/str.h"

/* The letter that represents c, which is folded (utf8_fold_char()), among its variants. */
uint32_t variant_of(uint32_t c);

/* The same for Chinese characters (U+4E00 to U+9FFF) only. */
uint32_t variant_of_han(uint32_t c);
