#include "app/web/review_link.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed.h"
#include "app/setup/vaults.h"

static size_t count_waiting(struct app *app, struct arena *a, str user)
{
    struct mcp_caller caller = app_caller(app, a, user);
    struct app_vault **vaults;
    size_t n = vaults_seen(app, a, &caller, &vaults), sum = 0, rows_n;
    struct proposal_row *rows;
    struct err ignored;
    for (size_t i = 0; i < n && i < VAULTS_SHOWN_MAX; i++) {
        struct proposed_place place;
        proposals_place(vaults[i], a, &user, &place);
        if (proposed_list(&place, a, &rows, &rows_n, &ignored))
            for (size_t k = 0; k < rows_n; k++)
                sum += proposed_waits(&rows[k]);
    }
    return sum;
}

size_t review_count(struct app *app, struct arena *a, str user)
{
    return user.n > 0 ? count_waiting(app, a, user) : proposals_waiting(app);
}

str review_link(struct app *app, struct arena *a, const struct oauth_asked *asked)
{
    if (app->proposals == NULL)
        return STR("");
    size_t n = review_count(app, a, asked->user);
    return n == 0   ? STR("Proposed changes")
           : n == 1 ? STR("Review 1 proposed change")
                    : arena_printf(a, "Review %zu proposed changes", n);
}
