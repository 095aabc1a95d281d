/*
 * check - what is wrong in a vault, or looks so.
 *
 * Findings come by path, then by line, then by kind, always in the same order. Excluded
 * files are not checked, but links may lead to them and come from them. Reads the index,
 * so any number of threads may ask.
 */
#pragma once

#include "vault/index/index.h"

enum check_kind {
    CHECK_UNREAD,     /* a file that is too large or cannot be read */
    CHECK_PROPERTIES, /* properties that are no YAML */
    CHECK_CANVAS,     /* a canvas that is no JSON */
    CHECK_LINK,       /* leads nowhere; normal for notes that are yet to be written */
    CHECK_SUBPATH,    /* leads to a note that has no such heading or block */
    CHECK_AMBIGUOUS,  /* fits several files */
    CHECK_TWIN,       /* another path differs by case or normal form only */
    CHECK_BLOCK_ID,   /* stands twice in a note */
    CHECK_NAME,       /* an alias or title that another note has, too */
    CHECK_EMPTY,      /* a note without text and properties */
    CHECK_ORPHAN,     /* a note that nothing links to and that links to nothing */
    CHECK_ATTACHMENT, /* a file, neither note, canvas nor base, that nothing links to */
    CHECK_KINDS
};

enum check_severity { CHECK_ERROR, CHECK_WARNING, CHECK_INFO };

/* "broken_link", "warning": for clients. check_kind_of: CHECK_KINDS when there is none.
 */
const char *check_kind_name(enum check_kind kind);
const char *check_severity_name(enum check_severity severity);
enum check_kind check_kind_of(str name);

struct check_finding {
    enum check_kind kind;
    enum check_severity severity;
    file_id file;
    uint32_t line;  /* from 1; 0: the whole file */
    str message;    /* a sentence for people */
    str suggestion; /* what to do, or empty */
};

struct check_limits {
    unsigned kinds;          /* bits 1u << kind; 0: all */
    size_t max;              /* findings that are listed; counts have all */
    uint64_t deadline_ns;    /* of clock_ns(); 0: none */
    bool (*stop)(void *arg); /* asked once per file, true to end; NULL: never */
    void *arg;
};

struct check_result {
    struct check_finding *findings;
    size_t n;
    size_t total;
    size_t problems; /* of total: errors and warnings */
    size_t counts[CHECK_KINDS];
    bool partial; /* ended early: there may be more */
};

void check_vault(const struct index *x, struct arena *a,
                 const struct check_limits *limits, struct check_result *out);
