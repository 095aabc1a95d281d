/*
 * meaning_settings - the embedding provider, for search by meaning.
 */
#pragma once

#include "base/options.h"

struct settings_embeddings {
    str where; /* "off", "auto" or a URL */
    str model, key_file;
    str key; /* from its file or the environment */
    int64_t dimensions;
    str query_prefix, document_prefix;
    str file; /* of the built-in model; empty: where it is installed */
};

enum { SETTINGS_DIMENSIONS_MAX = 4096 };

#define SETTINGS_EMBEDDINGS_ROW(settings, member, kind, ...)                             \
    OPTION(settings, embeddings.member, kind, __VA_ARGS__)

/* The option rows for a struct with a member embeddings of this type. */
#define SETTINGS_EMBEDDINGS(s)                                                           \
    SETTINGS_EMBEDDINGS_ROW(                                                             \
        s, where, OPTION_STR, "embeddings", "EMBEDDINGS", "auto", "WHERE",               \
        "Embedding provider for search by meaning; auto: the built-in model, if its "    \
        "file is installed; a URL such as http://127.0.0.1:11434/v1: the "               \
        "OpenAI-compatible server there, to which the texts of notes are sent; off: no " \
        "embeddings",                                                                    \
        .heading = "Search by meaning"),                                                 \
        SETTINGS_EMBEDDINGS_ROW(s, file, OPTION_PATH, "embeddings-file",                 \
                                "EMBEDDINGS_FILE", NULL, "FILE",                         \
                                "The built-in model's file (default: where it is "       \
                                "installed)"),                                           \
        SETTINGS_EMBEDDINGS_ROW(s, model, OPTION_STR, "embeddings-model",                \
                                "EMBEDDINGS_MODEL", NULL, "NAME",                        \
                                "The model to request from that server"),                \
        SETTINGS_EMBEDDINGS_ROW(s, key_file, OPTION_PATH, "embeddings-key-file",         \
                                "EMBEDDINGS_KEY_FILE", NULL, "FILE",                     \
                                "A file with the key for that server; EMBEDDINGS_KEY "   \
                                "gives the key itself"),                                 \
        SETTINGS_EMBEDDINGS_ROW(s, dimensions, OPTION_INT, "embeddings-dimensions",      \
                                "EMBEDDINGS_DIMENSIONS", "0", "COUNT",                   \
                                "Dimensions of the embeddings, for models that support " \
                                "fewer; 0: the model's default",                         \
                                .min = 0, .max = SETTINGS_DIMENSIONS_MAX),               \
        SETTINGS_EMBEDDINGS_ROW(                                                         \
            s, query_prefix, OPTION_STR, "embeddings-query-prefix",                      \
            "EMBEDDINGS_QUERY_PREFIX", NULL, "TEXT",                                     \
            "Prefix that the model expects before a question, such as \"query: \""),     \
        SETTINGS_EMBEDDINGS_ROW(                                                         \
            s, document_prefix, OPTION_STR, "embeddings-document-prefix",                \
            "EMBEDDINGS_DOCUMENT_PREFIX", NULL, "TEXT",                                  \
            "Prefix that it expects before a text, such as \"passage: \"")
