/*
 * rights - what a caller may do: scopes, a level for each place, and tools.
 *
 * On the wire scopes are "vault:read", "vault:propose" and "vault:write"; each includes those
 * before it. They are the most that is allowed anywhere.
 *
 * A place is a literal folder of the vault, never a glob, without control characters; or
 * "NAME:FOLDER" if there are several vaults (app.h), and "NAME:" is all of one. The innermost
 * place that a file is in decides what may be done there, and `elsewhere` where there is none.
 * Of two levels for the same place, the lower one counts.
 *
 * Nothing is allowed by rights that are all zeros: rights_all() is the way to ask for
 * everything.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum oauth_scope { OAUTH_READ = 1, OAUTH_WRITE = 2, OAUTH_PROPOSE = 4 };

/* The scopes of each level. */
enum {
    OAUTH_MAY_READ = OAUTH_READ,
    OAUTH_MAY_PROPOSE = OAUTH_READ | OAUTH_PROPOSE,
    OAUTH_MAY_WRITE = OAUTH_READ | OAUTH_PROPOSE | OAUTH_WRITE,
};

enum {
    RIGHTS_PLACES_MAX = 256,
    RIGHTS_PLACE_BYTES_MAX = 1024,
    RIGHTS_TOOLS_MAX = 256,
    RIGHTS_TEXT_MAX = 32 << 10, /* of all of it, as it is stored */
};

enum rights_level { RIGHTS_NONE, RIGHTS_READ, RIGHTS_PROPOSE, RIGHTS_WRITE };

struct rights_place {
    str folder; /* "" and "/" are the whole vault */
    enum rights_level level;
};

struct oauth_rights {
    unsigned scopes; /* bits of enum oauth_scope */
    enum rights_level elsewhere;
    const struct rights_place *places;
    size_t n_places;
    bool only_tools; /* only the tools below; else all that the server offers */
    const str *tools;
    size_t n_tools;
};

/* Everything that these scopes allow. */
struct oauth_rights rights_all(unsigned scopes);

/* Unknown scopes are ignored (SEC-05). False if the text violates RFC 6749 §3.3. *out is 0
 * if it names no known scope. */
bool rights_read_scopes(str text, unsigned *out);

/* "vault:read", and the highest one that includes it: "vault:read vault:write". */
str rights_print_scopes(struct arena *a, unsigned scopes);

/* As they were stored: earlier versions did not know that writing includes proposing. 0 if
 * there are unknown ones. */
unsigned rights_stored_scopes(int64_t stored);

/* The scopes with which a level is possible, and the highest level that scopes allow. */
unsigned rights_scopes_for(enum rights_level level);
str rights_scope_name(enum rights_level level); /* from RIGHTS_READ on */
enum rights_level rights_level_of(unsigned scopes);

/* "none", "read", "propose", "write"; and back: false if it is no level. */
str rights_level_name(enum rights_level level);
bool rights_find_level(str name, enum rights_level *out);

/*
 * Places and tools as text, and back with the scopes: for the store. Rights of earlier
 * versions, a list of folders, mean what they meant: all that the scopes allow, but only
 * there; without any, everywhere. What is not understood, damaged or cut off allows nothing.
 */
str rights_print(struct arena *a, const struct oauth_rights *r);
struct oauth_rights rights_read(struct arena *a, int64_t scopes, str text);

/* Whether they can be stored: no more than RIGHTS_PLACES_MAX, each a valid place. */
bool rights_valid(const struct oauth_rights *r);

/* The level of a place, limited by the scopes. several: places have names of vaults. */
enum rights_level rights_at(const struct oauth_rights *r, str folder, bool several);

/* The folder that a place is in, without the name of a vault alone; empty: it is at the top. */
str rights_place_above(str place);

/* Whether something is allowed anywhere, and whether the same is allowed everywhere. */
enum rights_level rights_highest(const struct oauth_rights *r);
bool rights_same_everywhere(const struct oauth_rights *r);

/* What both allow, never more than either. In the arena, with texts of both. */
struct oauth_rights rights_both(struct arena *a, const struct oauth_rights *x,
                                const struct oauth_rights *y, bool several);

/* A copy with all its texts. */
struct oauth_rights rights_copy(struct arena *a, const struct oauth_rights *r);
