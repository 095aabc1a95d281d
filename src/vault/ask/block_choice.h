/*
 * block_choice - which code blocks of a note are meant by what follows its name: all, those
 * below a heading ("Dashboard#Reading"), or one by its number ("Dashboard#2").
 */
#pragma once

#include "base/err.h"
#include "vault/index/file.h"

struct block_choice {
    struct span section;
    int64_t number; /* from 1; 0: any */
};

/* sub is what follows '#'; empty: all. Fails with HEADING_NOT_FOUND. */
MUST_CHECK bool block_choose(const struct file *f, struct arena *a, str sub,
                             struct block_choice *out, struct err *err);

/* Whether block number n, from 1, is among them. */
bool block_is_chosen(const struct block_choice *c, struct span block, size_t n);
