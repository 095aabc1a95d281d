/*
 * proposal_view - the form with which a person decides about one proposal. Private to the
 * page (proposals_page.h).
 *
 * The form has a checkbox for each file ("f2") and, where a file has several, for each hunk
 * ("h2.3"), all of them checked; a hunk is accepted if it and its file are. Files that cannot
 * be shown as a whole are disabled. With more than PROPOSALS_PAGE_PARTS hunks there are only
 * files, and with more files nothing to choose.
 */
#pragma once

#include "app/setup/proposed.h"
#include "http/form.h"
#include "oauth/html.h"

enum {
    PROPOSALS_PAGE_PARTS = 60,        /* that can be chosen one by one: files and hunks */
    PROPOSALS_PAGE_BYTES = 256 << 10, /* of texts; files after that are not shown */
    PROPOSALS_PAGE_FILES = 200,       /* that are shown */
};

struct proposal_view {
    struct arena *a;
    struct html *h;
    const struct proposed *shown;
    bool fixed; /* the choice is made: it is shown again, to be confirmed */
};

/* What can be chosen on the page, and what is shown of it. */
struct proposal_parts {
    bool by_hunk, by_file;
    const bool *files; /* of each: it is shown as a whole */
    bool all;          /* they all are */
};
void proposal_parts(struct arena *a, const struct proposed *p,
                    struct proposal_parts *out);

/* The files with their checkboxes; the caller has opened the form. */
void proposal_view_put(const struct proposal_view *v);

/* The choice of a form, for hunks_choose(); never more than the page shows. */
str proposal_view_choice(struct arena *a, const struct proposed *p,
                         const struct form *form);
