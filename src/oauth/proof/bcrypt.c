#include "oauth/proof/bcrypt.h"

#include <crypt.h>

#include "base/hash.h"
#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "base/text.h"

enum { HEAD = 7 /* "$2b$12$" */ };

static bool is_hash_char(char c)
{
    return is_alnum(c) || c == '.' || c == '/';
}

unsigned bcrypt_cost(str hash)
{
    return (unsigned)(hash.p[4] - '0') * 10 + (unsigned)(hash.p[5] - '0');
}

bool bcrypt_is_hash(str s)
{
    if (s.n != BCRYPT_SIZE || s.p[0] != '$' || s.p[1] != '2' || s.p[3] != '$' ||
        s.p[6] != '$' || !is_digit(s.p[4]) || !is_digit(s.p[5]))
        return false;
    if (s.p[2] != 'a' && s.p[2] != 'b' && s.p[2] != 'y')
        return false;
    for (size_t i = HEAD; i < s.n; i++)
        if (!is_hash_char(s.p[i]))
            return false;
    return bcrypt_cost(s) >= BCRYPT_COST_MIN && bcrypt_cost(s) <= BCRYPT_COST_MAX;
}

static bool is_password(str s)
{
    return s.n > 0 && s.n <= BCRYPT_PASSWORD_MAX && memchr(s.p, '\0', s.n) == NULL;
}

/* crypt_rn with its large scratch buffer on the heap, wiped afterwards. */
static bool bcrypt_run(str password, const char *setting, char out[CRYPT_OUTPUT_SIZE])
{
    char phrase[BCRYPT_PASSWORD_MAX + 1] = {0};
    memcpy(phrase, password.p, password.n);
    struct crypt_data *data = mem_zero(sizeof(*data));
    const char *made = crypt_rn(phrase, setting, data, (int)sizeof(*data));
    bool ok = made != NULL && strlen(made) == BCRYPT_SIZE;
    if (ok)
        memcpy(out, made, BCRYPT_SIZE + 1);
    bytes_wipe(data, sizeof(*data));
    bytes_wipe(phrase, sizeof(phrase));
    free(data);
    return ok;
}

bool bcrypt_check(str password, str hash)
{
    char setting[BCRYPT_SIZE + 1], made[CRYPT_OUTPUT_SIZE];
    if (!is_password(password) || !bcrypt_is_hash(hash))
        return false;
    memcpy(setting, hash.p, BCRYPT_SIZE);
    setting[BCRYPT_SIZE] = '\0';
    return bcrypt_run(password, setting, made) &&
           hash_equal((str){made, BCRYPT_SIZE}, hash);
}

bool bcrypt_make(struct arena *a, str password, unsigned cost, str *out)
{
    char salt[16], setting[CRYPT_OUTPUT_SIZE], made[CRYPT_OUTPUT_SIZE];
    rand_bytes(salt, sizeof(salt));
    if (!is_password(password) ||
        crypt_gensalt_rn("$2b$", cost, salt, sizeof(salt), setting, sizeof(setting)) ==
            NULL ||
        !bcrypt_run(password, setting, made))
        return false;
    *out = arena_str(a, (str){made, BCRYPT_SIZE});
    return true;
}
