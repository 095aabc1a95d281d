/* The state folder: is it private, has it enough space, can this version read it? */
#include <errno.h>

#include "app/answers/term.h"
#include "app/doctor/checkup_parts.h"
#include "app/setup/advice.h"
#include "app/setup/audit.h"
#include "app/setup/reach.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/system_path.h"
#include "state/postgres.h"
#include "state/store.h"

static const int64_t ROOM_LEAST = 10LL << 20, ROOM_GOOD = 200LL << 20; /* bytes */

static void check_room(struct checkup *c, const char *folder)
{
    int64_t left;
    if (!machine_disk_free(folder, &left))
        return;
    str fix = STR("Free some space there, or give another --state-dir: changes are "
                  "journaled before they are made");
    if (left < ROOM_LEAST)
        FOUND_BAD(c, fix, STR_FMT " are left in %s", STR_ARG(term_size(c->arena, left)),
                  folder);
    else if (left < ROOM_GOOD)
        FOUND_WARN(c, fix, STR_FMT " are left in %s", STR_ARG(term_size(c->arena, left)),
                   folder);
    else
        FOUND_GOOD(c, "%s, " STR_FMT " left", folder, STR_ARG(term_size(c->arena, left)));
}

/* Whether the nearest existing folder above is writable: serve creates the rest. */
static bool can_be_made(struct checkup *c)
{
    str path = str_c(c->state_dir);
    do
        path = arena_str(c->arena, system_path_folder(path));
    while (!file_exists(path.p) && !system_path_is_root(path) && !str_eq(path, STR(".")));
    return file_allows(FILE_CWD, path.p, FILE_MAY_WRITE | FILE_MAY_RUN);
}

void checkup_state(struct checkup *c)
{
    struct file_stat st;
    const char *folder = c->state_dir;
    bool exists = file_stat_at(FILE_CWD, folder, FILE_FOLLOW, &st);
    if (!exists && errno == ENOENT && can_be_made(c)) {
        FOUND_GOOD(c, "%s does not exist yet and will be created", folder);
        return;
    }
    if (!exists || st.type != FILE_FOLDER ||
        !file_allows(FILE_CWD, folder, FILE_MAY_READ | FILE_MAY_WRITE | FILE_MAY_RUN)) {
        FOUND_BAD(c,
                  STR("Run vaultd as its owner, or give another --state-dir: without it "
                      "nothing can be changed, and sign-ins are lost"),
                  "%s cannot be used", folder);
        return;
    }
    if ((st.mode & 077) != 0)
        FOUND_WARN(c, advice(c->arena, ADVICE_PRIVATE_FOLDER, str_c(folder)),
                   "other users can read %s, which contains old versions of notes",
                   folder);
    check_room(c, folder);
}

/* The nearest existing folder above a path. */
static str checkup_folder_above(struct arena *a, str path)
{
    do
        path = arena_str(a, system_path_folder(path));
    while (!file_exists(path.p) && !system_path_is_root(path) && !str_eq(path, STR(".")));
    return path;
}

void checkup_audit(struct checkup *c)
{
    const struct settings_audit *s = &c->settings->audit;
    const char *file = audit_file(c->arena, s->to);
    const char *how =
        s->fail == AUDIT_REFUSE ? "calls would be refused" : "lines would be lost";
    int64_t left = ROOM_GOOD;
    if (file == NULL)
        return;
    str folder = checkup_folder_above(c->arena, str_c(file));
    bool ok = file_exists(file)
                  ? file_allows(FILE_CWD, file, FILE_MAY_WRITE)
                  : file_allows(FILE_CWD, folder.p, FILE_MAY_WRITE | FILE_MAY_RUN);
    (void)!machine_disk_free(folder.p, &left);
    if (!ok)
        FOUND_BAD(c, STR("Let the user of vaultd write it, or give another --audit FILE"),
                  "%s cannot be written: %s", file, how);
    else if (left < ROOM_LEAST)
        FOUND_BAD(c, STR("Free some space there, or give another --audit FILE"),
                  STR_FMT " are left in " STR_FMT ": %s",
                  STR_ARG(term_size(c->arena, left)), STR_ARG(folder), how);
    else
        FOUND_GOOD(c, "%s", file);
}

static void judge_version(struct checkup *c, str where, int64_t version)
{
    if (version > store_version())
        FOUND_BAD(c,
                  STR("Use that vaultd, or restore the backup from before the upgrade "
                      "(docs/operate.md)"),
                  STR_FMT
                  "it was made by a newer vaultd (version %lld; this one supports %lld)",
                  STR_ARG(where), (long long)version, (long long)store_version());
    else
        FOUND_GOOD(c, STR_FMT "version %lld%s", STR_ARG(where), (long long)version,
                   version < store_version() ? ", which the next start will upgrade"
                                             : "");
}

static void checkup_postgres(struct checkup *c)
{
    const char *url = c->settings->state_db.p;
    struct err err = {0};
    int64_t version;
    str where;
    if (!pg_describe(c->arena, url, &where, &err) || !store_look(url, &version, &err)) {
        FOUND_BAD(c, STR("See docs/operate.md, \"State in PostgreSQL\""), "%s%s%s%s",
                  err.msg, err.detail[0] != '\0' ? " (" : "", err.detail,
                  err.detail[0] != '\0' ? ")" : "");
        return;
    }
    if (version == 0)
        FOUND_GOOD(c, STR_FMT " has no tables yet; the next start creates them",
                   STR_ARG(where));
    else
        judge_version(c, arena_printf(c->arena, STR_FMT ", ", STR_ARG(where)), version);
}

/* Reading the first page is enough, and changes nothing: SQLite stores our version number
 * at a fixed offset. */
void checkup_database(struct checkup *c)
{
    enum { MAGIC = 16, VERSION_AT = 60, HEAD = 64 };
    unsigned char head[HEAD];
    if (c->settings->state_db.n > 0) {
        checkup_postgres(c);
        return;
    }
    const char *path = arena_printf(c->arena, "%s/oauth.db", c->state_dir).p;
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return;
    size_t n = 0;
    bool ok = fd >= 0 && file_read(fd, head, sizeof(head), &n);
    if (ok && n == 0)
        return;
    if (n != HEAD || memcmp(head, "SQLite format 3", MAGIC) != 0) {
        FOUND_BAD(c,
                  STR("Restore it from a backup (docs/operate.md), or move it away: then "
                      "all users must sign in again"),
                  "%s is damaged or is not a vaultd database", path);
        return;
    }
    const unsigned char *v = head + VERSION_AT;
    long long version = v[0] << 24 | v[1] << 16 | v[2] << 8 | v[3];
    judge_version(c, STR(""), version);
}

void checkup_sign_in(struct checkup *c)
{
    const struct settings *s = c->settings;
    struct reach_content content;
    if (c->problem != NULL || s->stdio)
        return;
    reach_look(s, &content);
    if (s->signs_in && !reach_has_people(s, &content))
        FOUND_WARN(c,
                   STR("Add a key with vaultd key add NAME, or give --auth-users-file; "
                       "if only local programs use the server, --auth none"),
                   "clients must sign in, but there is no user or key");
    else if (s->signs_in)
        FOUND_GOOD(c, "clients must sign in");
    else if (s->auth == AUTH_NONE)
        FOUND_WARN(c,
                   STR("Give --auth-users-file, unless a firewall or VPN decides who "
                       "can reach the server"),
                   "everyone who can reach the server has access (--auth none)");
    else
        FOUND_GOOD(c, "only local programs have access, without sign-in");
}
