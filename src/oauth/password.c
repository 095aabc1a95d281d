/*
 * A user changes the password on /account. The old one is asked for again, and counts as at a
 * sign-in (lockout.h), so that a sign-in that was left open is not enough. What was made with
 * the old one ends with its stamp (users.h); the browser that changed it stays signed in.
 *
 * Only in a users file, and only by a server that has it alone: several ones with a database
 * may each have a file of their own.
 */
#include "base/hash.h"
#include "base/log.h"
#include "http/form.h"
#include "oauth/browser_request.h"
#include "oauth/grants.h"
#include "oauth/parts.h"
#include "oauth/users.h"
#include "state/store.h"

enum page_password browser_request_place(struct browser_request *v, str user)
{
    enum users_place place = users_place_of(v->users, user);
    return place == USERS_NOWHERE ? PAGE_PASSWORD_ELSEWHERE
           : place == USERS_IN_FILE && !store_is_shared(v->oauth->store)
               ? PAGE_PASSWORD_HERE
               : PAGE_PASSWORD_OPERATOR;
}

/* What is wrong with the new password; empty: nothing that can be seen without the old one. */
static str judge_password(struct browser_request *v, str password)
{
    struct err err;
    str again = form_get(&v->form, STR("again"));
    if (password.n > USERS_PASSWORD_MAX)
        return arena_printf(v->arena, "A password has at most %d bytes.",
                            USERS_PASSWORD_MAX);
    if (!hash_equal(password, again))
        return STR("The two new passwords differ.");
    if (hash_equal(password, form_get(&v->form, STR("old"))))
        return STR("The new password is the old one.");
    if (!users_check_strength(password, &err))
        return arena_printf(v->arena,
                            "The new password is too weak: it needs %d characters, %d of "
                            "them different.",
                            USERS_PASSWORD_STRONG, USERS_PASSWORD_DIFFERENT);
    return STR("");
}

static bool store_password(struct browser_request *v, str user, str password, str *cookie)
{
    struct err err = {0};
    str hash;
    bool written = users_hash(v->arena, password, &hash, &err) &&
                   users_change(v->users, user, hash, &err);
    if (written && sign_in_create(v->oauth, v->arena, user, cookie, &err))
        return true;
    log_event(LOG_WARN, "oauth.password", LOG_STR("user", user),
              LOG_STR("error", str_c(err.msg)), LOG_STR("detail", str_c(err.detail)));
    if (written)
        browser_request_go(v, "/account"); /* where the new one is asked for */
    else
        account_refuse(v, 503, user,
                       STR("Your password was not changed: the server cannot write its "
                           "users file. Its operator can give you a new one with vaultd "
                           "user add, or keep the file in the state folder."));
    return false;
}

static void change_password(struct browser_request *v, str user)
{
    str cookie, before = browser_request_cookie(v, COOKIE_SIGN_IN);
    if (!store_password(v, user, form_get(&v->form, STR("new")), &cookie))
        return;
    sign_in_end(v->oauth, before);
    browser_request_set_cookie(v, COOKIE_SIGN_IN, cookie);
    browser_request_remember_device(v, user);
    log_event(LOG_INFO, "oauth.password", LOG_STR("user", user),
              LOG_STR("peer", v->request->peer));
    browser_request_go(v, "/account?done=password");
}

void account_password(struct browser_request *v)
{
    int status = 400;
    str user = account_actor(v);
    if (user.n == 0)
        return;
    str error = STR("The current password is wrong.");
    if (browser_request_place(v, user) != PAGE_PASSWORD_HERE)
        error = STR("Your password cannot be changed here.");
    else if (judge_password(v, form_get(&v->form, STR("new"))).n > 0)
        error = judge_password(v, form_get(&v->form, STR("new")));
    else if (browser_request_password(v, user, form_get(&v->form, STR("old")), &status,
                                      &error)) {
        change_password(v, user);
        return;
    }
    account_refuse(v, status, user, error);
}
