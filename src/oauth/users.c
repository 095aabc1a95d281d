#include "oauth/users.h"

#include <errno.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/bytes.h"
#include "base/os/thread.h"
#include "base/periodic.h"
#include "base/text.h"
#include "base/utf8.h"
#include "oauth/lockout.h"
#include "oauth/proof/bcrypt.h"
#include "oauth/users_file.h"

_Static_assert((int)USERS_PASSWORD_MAX == (int)BCRYPT_PASSWORD_MAX, "one limit");

enum { USERS_MAX = 10000 };

struct user {
    str name, hash, stamp;
};

/* A list of users who may sign in; the arena holds its text. */
struct users_list {
    struct arena arena;
    struct user *users;
    size_t n;
};

struct users {
    struct lock
        reading; /* held while the file is looked at; protects what is known of it */
    char *file;  /* or NULL */
    bool file_seen;
    struct fs_info file_info;

    struct lock lock; /* protects everything below; never held for long */
    struct users_list given, from_file;
    uint64_t loaded; /* how often */
    struct cond freed;
    unsigned running, waiting;
    struct lockout *lockout;

    struct periodic watch; /* users_watch() */
};

/* --- reading pairs --- */

static bool is_user_name(str s)
{
    return s.n > 0 && s.n <= USERS_NAME_SIZE && utf8_valid(s) && text_is_printable(s);
}

static const struct user *users_find(const struct users_list *l, str name)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->users[i].name, name))
            return &l->users[i];
    return NULL;
}

static str stamp_of(struct users_list *l, str hash)
{
    uint8_t bytes[HASH_SIZE];
    hash_sha256(hash, bytes);
    return encode_hex(&l->arena, (str){(const char *)bytes, sizeof(bytes)});
}

/* The message gives the number of the entry: the text of a broken one may be a secret. */
static bool add_pair(struct users_list *l, str pair, size_t number, struct err *err)
{
    size_t colon = str_find_char(pair, ':');
    str name = str_slice(pair, 0, colon == STR_NONE ? 0 : colon);
    str hash = str_skip(pair, colon == STR_NONE ? pair.n : colon + 1);
    if (!is_user_name(name))
        return err_set(err, ERR_INVALID,
                       "user %zu: expected name:hash with a name of 1 to "
                       "%d bytes",
                       number, USERS_NAME_SIZE);
    if (!bcrypt_is_hash(hash))
        return err_set(
            err, ERR_INVALID,
            "user %zu: expected a bcrypt hash ($2a$, $2b$ or $2y$) of cost %d to "
            "%d; vaultd hash-password creates one",
            number, BCRYPT_COST_MIN, BCRYPT_COST_MAX);
    if (users_find(l, name) != NULL)
        return err_set(err, ERR_INVALID, "user %zu: duplicate name", number);
    if (l->n == USERS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d users", USERS_MAX);
    *ARRAY_ADD(&l->arena, l->users, l->n) = (struct user){
        arena_str(&l->arena, name), arena_str(&l->arena, hash), stamp_of(l, hash)};
    return true;
}

/* lines: one pair per line, with empty lines and # comments; else commas between. *out is
 * replaced if all are right. */
static bool read_pairs(struct users *u, struct users_list *out, str text, bool lines,
                       struct err *err)
{
    struct users_list l = {0}, before;
    str pair;
    size_t number = 0;
    while (text.n > 0 && str_next(&text, lines ? '\n' : ',', &pair)) {
        pair = str_trim_line(pair);
        number++;
        if (lines && (pair.n == 0 || pair.p[0] == '#'))
            continue;
        if (!add_pair(&l, pair, number, err)) {
            arena_release(&l.arena);
            return false;
        }
    }
    lock_take(&u->lock);
    before = *out;
    *out = l;
    u->loaded++;
    lock_drop(&u->lock);
    arena_release(&before.arena);
    return true;
}

/* --- the file --- */

static bool users_read_file(int fd, struct arena *a, const struct file_stat *st, str *out,
                            struct err *err)
{
    if (fs_read_open(fd, a, st->size, USERS_FILE_MAX, out))
        return true;
    return errno == EFBIG ? err_set(err, ERR_LIMIT, "the users file is larger than 1 MiB")
                          : err_sys(err, "the users file cannot be read");
}

static bool load_changed(struct users *u, struct err *err)
{
    AUTO_CLOSE int fd = file_open(FILE_CWD, u->file, FILE_FOLLOW);
    struct file_stat st;
    struct fs_info info;
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "auth-users-file: the users file cannot be opened");
    if (!fs_info_of(&st, &info) || info.type != FS_FILE)
        return err_set(err, ERR_INVALID, "the users file is not a file");
    if (u->file_seen && fs_same(&info, &u->file_info))
        return true;
    u->file_info = info; /* so a broken file is not read again and again */
    u->file_seen = true;
    struct arena a = {0};
    str text;
    bool ok = users_read_file(fd, &a, &st, &text, err) &&
              read_pairs(u, &u->from_file, text, true, err);
    arena_release(&a);
    return ok;
}

/* again: even if it looks the same. */
static bool load_file(struct users *u, bool again, struct err *err)
{
    lock_take(&u->reading);
    u->file_seen = u->file_seen && !again;
    bool ok = u->file == NULL || load_changed(u, err);
    lock_drop(&u->reading);
    return ok;
}

bool users_reload(struct users *u, struct err *err)
{
    return load_file(u, true, err);
}

static bool users_write(struct users *u, str name, str hash, struct err *err)
{
    struct arena a = {0};
    lock_take(&u->reading);
    bool ok = users_file_change(&a, str_c(u->file), name, hash, err);
    lock_drop(&u->reading);
    arena_release(&a);
    return ok;
}

bool users_change(struct users *u, str name, str hash, struct err *err)
{
    return users_place_of(u, name) == USERS_IN_FILE
               ? users_write(u, name, hash, err) && users_reload(u, err)
               : err_set(err, ERR_DENIED, "the user is not in the users file");
}

/* Reload the file if it changed. If it is broken, the previous users stay. */
static void users_refresh(void *arg)
{
    struct err err = {0};
    if (!load_file(arg, false, &err))
        log_event(LOG_WARN, "users file", LOG_STR("error", str_c(err.msg)));
}

bool users_watch(struct users *u, struct err *err)
{
    return u->file == NULL ||
           periodic_start(&u->watch, "users", USERS_LOOK_MS, users_refresh, u, err);
}

/* --- life --- */

bool users_create(str pairs, str file, struct users **out, struct err *err)
{
    struct users *u = mem_zero(sizeof(*u));
    lock_init(&u->reading, LOCK_USERS);
    lock_init(&u->lock, LOCK_LEAF);
    cond_init(&u->freed);
    periodic_init(&u->watch);
    u->lockout = lockout_create();
    u->file = file.n > 0 ? mem_str(file) : NULL;
    if (!read_pairs(u, &u->given, pairs, false, err) || !load_file(u, false, err)) {
        users_free(u);
        return false;
    }
    *out = u;
    return true;
}

void users_free(struct users *u)
{
    if (u == NULL)
        return;
    periodic_release(&u->watch);
    lock_release(&u->reading);
    lock_release(&u->lock);
    cond_destroy(&u->freed);
    lockout_free(u->lockout);
    arena_release(&u->given.arena);
    arena_release(&u->from_file.arena);
    free(u->file);
    free(u);
}

void users_share(struct users *u, struct store *s)
{
    lockout_share(u->lockout, s);
}

bool users_any(const struct users *u)
{
    return u->given.n > 0 || u->file != NULL;
}

/* --- checking --- */

/* Wait for a free slot to check a password; false if too many are waiting already. */
static bool users_enter(struct users *u)
{
    lock_take(&u->lock);
    bool ok = u->waiting < USERS_QUEUE || u->running < USERS_CHECKS;
    if (ok) {
        u->waiting++;
        while (u->running == USERS_CHECKS)
            lock_wait(&u->lock, &u->freed);
        u->waiting--;
        u->running++;
    }
    lock_drop(&u->lock);
    return ok;
}

static void leave(struct users *u)
{
    lock_take(&u->lock);
    u->running--;
    cond_wake(&u->freed);
    lock_drop(&u->lock);
}

static const struct user *find_in_all(const struct users *u, str name)
{
    const struct user *found = users_find(&u->given, name);
    return found != NULL ? found : users_find(&u->from_file, name);
}

bool users_known(struct users *u, str name)
{
    lock_take(&u->lock);
    bool known = find_in_all(u, name) != NULL;
    lock_drop(&u->lock);
    return known;
}

enum users_place users_place_of(struct users *u, str name)
{
    lock_take(&u->lock);
    enum users_place place = users_find(&u->given, name) != NULL       ? USERS_IN_SETTINGS
                             : users_find(&u->from_file, name) != NULL ? USERS_IN_FILE
                                                                       : USERS_NOWHERE;
    lock_drop(&u->lock);
    return place;
}

bool users_stamp(struct users *u, struct arena *a, str name, str *out)
{
    lock_take(&u->lock);
    const struct user *found = find_in_all(u, name);
    if (found != NULL)
        *out = arena_str(a, found->stamp);
    lock_drop(&u->lock);
    return found != NULL;
}

size_t users_list(struct users *u, struct arena *a, struct users_entry **out)
{
    const struct users_list *lists[] = {&u->given, &u->from_file};
    size_t n = 0;
    *out = NULL;
    lock_take(&u->lock);
    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (size_t i = 0; i < lists[l]->n; i++)
            *ARRAY_ADD(a, *out, n) =
                (struct users_entry){arena_str(a, lists[l]->users[i].name),
                                     arena_str(a, lists[l]->users[i].stamp)};
    lock_drop(&u->lock);
    return n;
}

uint64_t users_generation(struct users *u)
{
    lock_take(&u->lock);
    uint64_t loaded = u->loaded;
    lock_drop(&u->lock);
    return loaded;
}

/* The largest cost of any user's hash. */
static unsigned largest_cost(const struct users *u)
{
    unsigned cost = 0;
    const struct users_list *lists[] = {&u->given, &u->from_file};
    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (size_t i = 0; i < lists[l]->n; i++)
            if (bcrypt_cost(lists[l]->users[i].hash) > cost)
                cost = bcrypt_cost(lists[l]->users[i].hash);
    return cost > 0 ? cost : BCRYPT_COST;
}

/* A hash to check against when the name is unknown. */
static void make_dummy(unsigned cost, char out[BCRYPT_SIZE])
{
    memcpy(out, "$2b$00$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
           BCRYPT_SIZE);
    out[4] = (char)('0' + cost / 10);
    out[5] = (char)('0' + cost % 10);
}

/* The hash of name, or a dummy; true if the user exists. *cost: the cost that every check
 * must take, whichever user it is. */
static bool hash_of(struct users *u, str name, char out[BCRYPT_SIZE], unsigned *cost)
{
    users_refresh(u);
    lock_take(&u->lock);
    const struct user *found = find_in_all(u, name);
    *cost = largest_cost(u);
    if (found != NULL)
        memcpy(out, found->hash.p, BCRYPT_SIZE);
    else
        make_dummy(*cost, out);
    lock_drop(&u->lock);
    return found != NULL;
}

/* Each cost step doubles the time, so a cheap hash plus one dummy of each cost from its
 * own up to the largest takes as long as a hash of the largest cost. */
static void spend(unsigned from, unsigned to)
{
    char dummy[BCRYPT_SIZE];
    for (unsigned cost = from; cost < to; cost++) {
        make_dummy(cost, dummy);
        (void)bcrypt_check(STR("x"), (str){dummy, sizeof(dummy)});
    }
}

/* Takes the same time for every name and password (SEC-51). */
static bool users_is_right(struct users *u, str name, str password)
{
    char bytes[BCRYPT_SIZE];
    str hash = {bytes, sizeof(bytes)};
    unsigned cost;
    bool known = hash_of(u, name, bytes, &cost);
    bool usable = name.n <= USERS_NAME_SIZE && password.n > 0 &&
                  password.n <= USERS_PASSWORD_MAX &&
                  memchr(password.p, '\0', password.n) == NULL;
    bool same = bcrypt_check(usable ? password : STR("x"), hash);
    spend(bcrypt_cost(hash), cost);
    bytes_wipe(bytes, sizeof(bytes));
    return known && usable && same;
}

bool users_check(struct users *u, str name, str password, str peer, str device,
                 unsigned *retry_after, struct err *err)
{
    struct lockout_try attempt = {.user = name, .peer = peer, .device = device};
    if (!lockout_begin(u->lockout, &attempt, clock_ms(), retry_after))
        return *retry_after > 0
                   ? err_set(err, ERR_LIMIT, "too many failed sign-ins; wait a while")
                   : err_set(err, ERR_BUSY, "the sign-in database does not answer");
    if (!users_enter(u)) {
        lockout_end(u->lockout, &attempt, clock_ms(), LOCKOUT_NOT_TRIED);
        return err_set(err, ERR_BUSY, "too many sign-ins at the same time; try again");
    }
    bool right = users_is_right(u, name, password);
    leave(u);
    lockout_end(u->lockout, &attempt, clock_ms(),
                right ? LOCKOUT_SIGNED_IN : LOCKOUT_FAILED);
    return right || err_set(err, ERR_DENIED, "wrong name or password");
}

bool users_hash(struct arena *a, str password, str *out, struct err *err)
{
    if (password.n == 0 || memchr(password.p, '\0', password.n) != NULL)
        return err_set(err, ERR_INVALID,
                       "a password must have at least one byte and no NUL");
    if (password.n > USERS_PASSWORD_MAX)
        return err_set(err, ERR_LIMIT, "a password must have at most %d bytes",
                       USERS_PASSWORD_MAX);
    return bcrypt_make(a, password, BCRYPT_COST, out) ||
           err_set(err, ERR_INTERNAL, "libxcrypt cannot make bcrypt hashes here");
}

bool users_check_strength(str password, struct err *err)
{
    uint32_t seen[USERS_PASSWORD_DIFFERENT];
    size_t n = 0, different = 0, size;
    for (size_t i = 0; i < password.n; i += size, n++) {
        uint32_t c = utf8_decode(str_skip(password, i), &size);
        size_t k = 0;
        while (k < different && seen[k] != c)
            k++;
        if (k == different && different < USERS_PASSWORD_DIFFERENT)
            seen[different++] = c;
    }
    bytes_wipe(seen, sizeof(seen));
    return (n >= USERS_PASSWORD_STRONG && different == USERS_PASSWORD_DIFFERENT) ||
           err_set(err, ERR_INVALID,
                   "the password is too weak for a server that others can reach: give at "
                   "least %d characters, %d of them different",
                   USERS_PASSWORD_STRONG, USERS_PASSWORD_DIFFERENT);
}
