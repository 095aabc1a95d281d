/*
 * feed - the answer to what was changed, whoever did it (vault/vault_feed.h).
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/vault_feed.h"

/* Of a struct vault_feed_answer. */
extern const struct answer_shape feed_shape;
