/*
 * embeddings - embeddings of texts, from a server with OpenAI's interface (POST
 * URL/embeddings): Ollama, llama-server, LM Studio, OpenAI, Voyage and others.
 *
 * The operator named the server; texts go there and nowhere else: no redirects, https, or
 * http on the own network. Whatever it answers, the caller gets as many vectors as it
 * sent texts, all of one length and normalised, or an error that contains neither the key
 * nor a text. Safe for several threads except the loop's.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    EMBEDDINGS_TEXTS = 32,        /* of a request */
    EMBEDDINGS_BYTES = 64 << 10,  /* of its texts together */
    EMBEDDINGS_NUMBERS = 4096,    /* of a vector */
    EMBEDDINGS_ANSWER = 8 << 20,  /* bytes */
    EMBEDDINGS_MS = 60000,        /* at most, for a request */
    EMBEDDINGS_REST_MS = 10000,   /* no questions after one that was not answered */
    EMBEDDINGS_RETRY_S = 60 * 60, /* the longest Retry-After that is respected */
};

struct embeddings_options {
    str url;             /* without /embeddings: "http://127.0.0.1:11434/v1" */
    str model;           /* or empty, if the server has only one */
    str key;             /* or empty */
    unsigned dimensions; /* to ask for; 0: as many as the model has */
};

struct embeddings;

/* Whether the URL can be used; http to a public address is only detected by asking. Fails
 * with ERR_INVALID. */
MUST_CHECK bool embeddings_check_url(str url, struct err *err);

/* Copies what it needs and asks nothing yet. The URL was checked. */
struct embeddings *embeddings_create(const struct embeddings_options *o);
void embeddings_free(struct embeddings *e); /* no request may be running; NULL is fine */

struct embeddings_request {
    str prefix; /* before each text */
    const str *texts;
    size_t n;
    unsigned ms;   /* EMBEDDINGS_MS at most */
    bool question; /* a caller waits for it: never after other requests, and not at all
                      while the server rests. Other requests take turns. */
};

/*
 * out: n vectors of *numbers each, in the arena. The codes of errors:
 *   ERR_INVALID  one of the texts was refused; fewer texts show which
 *   ERR_DENIED   everything is refused until the settings change
 *   ERR_BUSY     everything else: ask again, not before embeddings_rest_ms(); E_TIMEOUT if
 *                there was no answer in time
 *   ERR_LIMIT    too many texts, or too long ones: nothing was sent
 */
MUST_CHECK bool embeddings_ask(struct embeddings *e, struct arena *a,
                               const struct embeddings_request *r, float **out,
                               unsigned *numbers, struct err *err);

/* How long to leave the server alone: it said so (Retry-After), or did not answer a
 * question. 0: not at all. */
unsigned embeddings_rest_ms(const struct embeddings *e);
