/* The part of /account in which a user changes the password. */
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/users.h"

static void put_secret_field(struct html *h, const char *id, str label,
                             const char *autocomplete, bool is_new)
{
    html_open(h, "label", {"for", str_c(id)});
    html_text(h, label);
    html_end(h);
    html_void(h, "input", {"id", str_c(id)}, {"name", str_c(id)},
              {"type", STR("password")}, {"autocomplete", str_c(autocomplete)},
              {"required"}, {is_new ? "aria-describedby" : NULL, STR("password-rule")});
}

static void put_password_form(struct html *h, const struct page_site *site,
                              const struct page_account *p)
{
    html_open(h, "details", {p->asks_password ? "open" : NULL});
    html_line(h, "summary", NULL, STR("Change the password"));
    page_form(h, site, "/account/password", p->ticket);
    /* for password managers, which would not know whose password it is */
    html_void(h, "input", {"type", STR("text")}, {"name", STR("username")},
              {"value", p->user}, {"autocomplete", STR("username")}, {"hidden"});
    put_secret_field(h, "old", STR("Current password"), "current-password", false);
    put_secret_field(h, "new", STR("New password"), "new-password", true);
    put_secret_field(h, "again", STR("Confirm the new password"), "new-password", false);
    html_open(h, "p", {"class", STR("soft small")}, {"id", STR("password-rule")});
    html_text(h, arena_printf(h->out.arena,
                              "At least %d characters, %d of them different. Your other "
                              "sign-ins end, and apps have to be connected again.",
                              USERS_PASSWORD_STRONG, USERS_PASSWORD_DIFFERENT));
    html_end(h);
    page_button(h, "main", STR(""), STR(""), STR("Change the password"));
    html_end(h);
    html_end(h);
}

void page_password(struct html *h, const struct page_site *site,
                   const struct page_account *p)
{
    static const str elsewhere[] = {
        [PAGE_PASSWORD_ELSEWHERE] =
            STR("You sign in with another service, which has your password."),
        [PAGE_PASSWORD_OPERATOR] =
            STR("The operator of this server can give you a new one."),
    };
    html_open(h, "section", {"aria-labelledby", STR("password")});
    html_open(h, "h2", {"id", STR("password")});
    html_text(h, STR("Password"));
    html_end(h);
    if (p->password == PAGE_PASSWORD_HERE)
        put_password_form(h, site, p);
    else
        html_line(h, "p", "soft small", elsewhere[p->password]);
    html_end(h);
}
