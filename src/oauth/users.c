#include "oauth/users.h"

struct users {
    bool any;
};

bool users_create(str pairs, str file, struct users **out, struct err *err)
{
    *out = mem_zero(sizeof(**out));
    (*out)->any = pairs.n > 0 || file.n > 0;
    return true;
}

void users_free(struct users *u)
{
    free(u);
}

bool users_any(const struct users *u)
{
    return u->any;
}
