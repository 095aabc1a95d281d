/*
 * page - the frame of every page, and parts that several pages share: for page_*.c, and
 * for the pages that the app adds.
 */
#pragma once

#include "oauth/html.h"
#include "oauth/pages.h"

enum page_width {
    PAGE_NARROW, /* for a form */
    PAGE_WIDE,   /* for lists */
    PAGE_FULL,   /* for something beside a text */
};

enum page_glyph {
    GLYPH_HOME,
    GLYPH_CHANGES,
    GLYPH_PROPOSALS,
    GLYPH_MAP,
    GLYPH_SEARCH,
    GLYPH_ACCOUNT,
    GLYPH_CREATED,
    GLYPH_CHANGED,
    GLYPH_MOVED,
    GLYPH_DELETED,
    GLYPH_UNDO,
    GLYPH_NOTE,
};

/* A picture in the size and colour of the text; what it means is said by that. */
void page_glyph(struct html *h, enum page_glyph g);

/* Everything up to the start of <main>'s content, with the header of all pages. */
struct html page_begin(struct arena *a, const struct page_site *site, str title,
                       enum page_width width);
str page_end(struct html *h);

/* The header alone, with its style, for a page with a frame of its own; page_map_style has its
 * style, and that of a note. */
void page_bar(struct html *h, const struct page_site *site);

/* A text to copy, such as a command; with scripts, it has a button for that. */
void page_copyable(struct html *h, str text);

/* A form that posts to base and path, with its ticket; the caller closes it. */
void page_form(struct html *h, const struct page_site *site, const char *path,
               str ticket);

/* A message that screen readers announce immediately; nothing if it is empty. */
void page_alert(struct html *h, str text);

/* A submit button that sends name=value. css, its class, may be NULL. */
void page_button(struct html *h, const char *css, str name, str value, str label);

/* The name of a client, in bold. */
void page_client_name(struct html *h, struct arena *a, str name);

/* "2026-11-15 09:30 UTC", and machine-readable as ISO 8601; local time with scripts. */
void page_time(struct html *h, int64_t seconds);

/* "09:30 UTC", under the heading of a day. */
void page_clock(struct html *h, int64_t seconds);

/* A link to base and path, which looks like a button if css says so; css may be NULL. */
void page_link(struct html *h, const struct page_site *site, const char *css, str path,
               str text);

/* What was just done; nothing if it is empty. */
void page_notice(struct html *h, str text);

/* A hidden field of a form. */
void page_hidden(struct html *h, str name, str value);

/* A row of a list in which a level is chosen for a place, up to most; the field folder then
 * is "LEVEL PLACE", or for everything else, the field rest is "LEVEL". */
struct page_level_choice {
    str place, label; /* place.p NULL: everything else */
    enum rights_level most, chosen;
    bool no_proposals;
    bool nested, inherits; /* in another one that is listed: may be as that, and is */
};
void page_choose_level(struct html *h, const struct page_level_choice *c);

/* The section of /account about the password. */
void page_password(struct html *h, const struct page_site *site,
                   const struct page_account *p);

/* A list in which the tools of an app are ticked, each a field "tool.NAME", and a field that
 * says that there is one: consent_read_tools() reads it. */
struct page_tools {
    const struct oauth_tool *tools;
    size_t n;
    const struct oauth_rights *within; /* NULL: all are offered */
    const struct oauth_rights *ticked; /* NULL: all that are offered */
    bool no_changes;                   /* without those that change something */
};
void page_choose_tools(struct html *h, const struct page_tools *t);

/* What rights allow, in words; vaults: of several ones. */
void page_rights(struct html *h, const struct oauth_rights *r, bool vaults);

/* "Read and write", "Propose changes", "Read only", "No access". */
str page_level(enum rights_level level);

extern const str page_style, page_map_style;
