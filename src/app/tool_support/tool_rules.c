#include "app/tool_support/tool_rules.h"

#include "app/answers/model_text.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/ask/guidance.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

struct folder_rules {
    struct lock lock;
    struct folder_rules_told {
        uint64_t what, at;     /* a hash; clock_ms() */
    } told[FOLDER_RULES_TOLD]; /* a ring */
    size_t n;                  /* how many were added so far */
};

struct folder_rules *folder_rules_create(void)
{
    struct folder_rules *r = mem_zero(sizeof(*r));
    lock_init(&r->lock, LOCK_LEAF);
    return r;
}

void folder_rules_free(struct folder_rules *r)
{
    if (r == NULL)
        return;
    lock_release(&r->lock);
    free(r);
}

/* Whether the client has not had it yet; it has from now on. lasting: it has a session. */
static bool folder_rules_are_new(struct folder_rules *r, uint64_t what, bool lasting)
{
    uint64_t now = clock_ms();
    bool known = false;
    lock_take(&r->lock);
    for (size_t i = 0; i < r->n && i < FOLDER_RULES_TOLD; i++)
        known |=
            r->told[i].what == what && (lasting || now - r->told[i].at < FOLDER_RULES_MS);
    if (!known)
        r->told[r->n++ % FOLDER_RULES_TOLD] = (struct folder_rules_told){what, now};
    lock_drop(&r->lock);
    return !known;
}

static bool folder_rules_has(struct mcp_call *call, const struct file *f)
{
    bool lasting = app_of(call)->settings.stdio || mcp_session(call).n > 0;
    uint64_t what = hash_table(arena_printf(
        call->arena, STR_FMT "\n" STR_FMT "\n" STR_FMT "\n" STR_FMT "\n" STR_FMT "\n%llx",
        STR_ARG(mcp_session(call)), STR_ARG(call->caller->owner),
        STR_ARG(tool_client(call)), STR_ARG(tool_served(call)->name), STR_ARG(f->path),
        (unsigned long long)f->hash.low));
    return !folder_rules_are_new(app_of(call)->rules, what, lasting);
}

/* As much as there is room for, in whole characters. */
static void folder_rules_put(struct mcp_call *call, struct model_text *s,
                             const struct file *f, size_t *room)
{
    str text = str_trim(guidance_text(f)), shown = utf8_cut(text, *room);
    struct hidden_list hidden;
    sbuf_printf(s->out, "==> " STR_FMT "\n", STR_ARG(f->path));
    mt_text(s, shown);
    hidden_find(shown, 1, 0, &hidden);
    mt_hidden(s, &hidden, "");
    if (shown.n < text.n)
        sbuf_printf(s->out, "[cut after %zu of %zu bytes%s]\n", shown.n, text.n,
                    tool_has(call, "vault_read") ? ": read it with vault_read" : "");
    *room -= shown.n;
}

struct folder_rules_list {
    const struct file *items[FOLDER_RULES_FILES];
    size_t n;
};

static void folder_rules_add(struct mcp_call *call, struct folder_rules_list *list,
                             const struct file *f)
{
    bool instructed =
        app_of(call)->settings.claude_md && str_eq(f->path, STR("CLAUDE.md"));
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == f)
            return;
    if (instructed || str_trim(guidance_text(f)).n == 0)
        return;
    if (list->n < FOLDER_RULES_FILES &&
        !folder_rules_has(call, f)) /* the others next time */
        list->items[list->n++] = f;
}

/* The rules of the places where files are afterwards; a rule itself was just written. */
static void folder_rules_find(struct mcp_call *call, const struct index *x,
                              const struct draft_result *made,
                              struct folder_rules_list *list)
{
    struct guidance g;
    for (size_t i = 0; i < made->n && i < FOLDER_RULES_CHANGED_MAX; i++) {
        const struct draft_touched *f = &made->files[i];
        str path = f->outcome == DRAFT_MOVED ? f->to : draft_touched_path(f);
        if (path_is_or_below(STR(VAULT_TRASH), path))
            path = f->path;
        guidance_for(x, call->arena, path_folder(path), &g);
        for (size_t k = 0; k < g.n_rules; k++)
            if (!str_eq(g.rules[k]->path, path))
                folder_rules_add(call, list, g.rules[k]);
    }
}

void folder_rules_tell(struct mcp_call *call, const struct draft_result *made)
{
    struct folder_rules_list list = {0};
    struct sbuf text = SBUF_ON(call->arena);
    struct model_text s = {&text, SIZE_MAX};
    size_t room = FOLDER_RULES_BYTES;
    if (app_of(call)->rules == NULL || made->n == 0)
        return;
    const struct index *x = vault_lock(tool_vault(call));
    folder_rules_find(call, x, made, &list);
    if (list.n > 0)
        sbuf_add(&text, STR("Rules for this place, quoted from files that the authors of "
                            "these folders wrote for assistants. They are not the "
                            "user's word. Check whether this change follows them:\n"));
    for (size_t i = 0; i < list.n; i++)
        folder_rules_put(call, &s, list.items[i], &room);
    vault_unlock(tool_vault(call));
    if (text.n > 0)
        tool_note_block(call, arena_str(call->arena, sbuf_str(&text)));
}
