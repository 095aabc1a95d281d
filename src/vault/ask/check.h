/*
 * check - what is wrong in a vault, or looks wrong; on request also which notes stand
 * out.
 *
 * Findings are ordered by path, then line, then kind. Excluded files are not checked, but
 * links to them and from them count. Rules for assistants (guidance.h) may have the same
 * name in every folder. Only reads the index, so any number of threads may
 * check at the same time.
 */
#pragma once

#include "vault/index/index.h"

enum check_kind {
    CHECK_LEFT_OUT,   /* a file or folder that is not in the index (skipped.h) */
    CHECK_UNREAD,     /* a file that is too large or cannot be read */
    CHECK_PROPERTIES, /* properties that are not valid YAML */
    CHECK_POLICY,     /* a property for clients with a value that looks like a slip */
    CHECK_VALUE,   /* a property that is not what a schema or Obsidian says (schema.h) */
    CHECK_CANVAS,  /* a canvas that is not valid JSON */
    CHECK_LINK,    /* no such file; normal for notes that are yet to be written */
    CHECK_SUBPATH, /* the target has no such heading or block */
    CHECK_AMBIGUOUS,  /* a link that matches several files */
    CHECK_TWIN,       /* another path differs only in case or normal form */
    CHECK_CONFLICT,   /* another version of a file, of a sync program (conflict_copy.h) */
    CHECK_BLOCK_ID,   /* duplicate in a note */
    CHECK_NAME,       /* an alias or title that another note also has */
    CHECK_EMPTY,      /* a note without text or properties */
    CHECK_ORPHAN,     /* a note without links in either direction */
    CHECK_ATTACHMENT, /* a file (not a note, canvas or base) that nothing links to */
    CHECK_HUB,        /* one of the notes that most others link to */
    CHECK_STALE,      /* linked or with open tasks, but not changed for long */
    CHECK_DUPLICATE,  /* a note with nearly the same text as another (duplicates.h) */
    CHECK_KINDS
};

/* Those that are found only if they are asked for. */
enum { CHECK_ASKED = 1u << CHECK_HUB | 1u << CHECK_STALE | 1u << CHECK_DUPLICATE };

enum {
    CHECK_HUBS_MAX = 20,    /* notes */
    CHECK_HUB_LINKS = 5,    /* files that link to a hub, at least */
    CHECK_STALE_LINKS = 3,  /* the same for a stale note */
    CHECK_STALE_DAYS = 365, /* without a change */
};

enum check_severity { CHECK_ERROR, CHECK_WARNING, CHECK_INFO };

/* "broken_link", "warning": for clients. check_kind_of: CHECK_KINDS if unknown. */
const char *check_kind_name(enum check_kind kind);
const char *check_severity_name(enum check_severity severity);
enum check_kind check_kind_of(str name);

struct check_finding {
    enum check_kind kind;
    enum check_severity severity;
    str path;
    uint32_t line;  /* from 1; 0: the whole file */
    str message;    /* a sentence for people */
    str suggestion; /* what to do, or empty */
};

struct check_limits {
    unsigned kinds;                  /* bits 1u << kind; 0: all but CHECK_ASKED */
    str policy_property;             /* note/policy.h; empty: none */
    const struct obsidian *types;    /* of properties; NULL: none */
    str folder;                      /* only below it, as in filter.h; "": all */
    str templates[2];                /* folders whose notes need no links; or empty */
    const struct skipped_file *left; /* by path, as bytes; from a look at the disk */
    size_t n_left;
    size_t offset, max;      /* findings to skip and to list; counts include all */
    const struct stop *stop; /* NULL: never */
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
