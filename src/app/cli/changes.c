#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "base/clock.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    int64_t limit;
    bool verify;
};

static const struct option table[] = {
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "20", "COUNT",
           "How many, the latest first", .min = 1, .max = 100000, .letter = 'n'),
    OPTION(struct options, verify, OPTION_SWITCH, "verify", NULL, NULL, NULL,
           "Check that nothing in the journal was altered or lost"),
    CLI_COMMON,
};

static void cli_changes_put_json(struct jsonw *w, const struct journal_entry *e,
                                 const struct journal_change *change)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_object(w);
    jsonw_put_int(w, STR("change"), (int64_t)e->number);
    jsonw_put_str(w, STR("time"), clock_iso(e->time, when));
    jsonw_put_str(w, STR("tool"), change->tool);
    if (change->who.n > 0)
        jsonw_put_str(w, STR("who"), change->who);
    if (e->undoes > 0)
        jsonw_put_int(w, STR("undoes"), (int64_t)e->undoes);
    if (e->undone_by > 0)
        jsonw_put_int(w, STR("undone_by"), (int64_t)e->undone_by);
    if (e->state == JOURNAL_ABORTED)
        jsonw_put_bool(w, STR("failed"), true);
    jsonw_put_array(w, STR("files"));
    for (size_t i = 0; i < change->n; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("operation"), journal_kind_name(change->ops[i].kind));
        jsonw_put_str(w, STR("path"), change->ops[i].path);
        if (change->ops[i].to.n > 0)
            jsonw_put_str(w, STR("to"), change->ops[i].to);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_end(w);
}

static void cli_changes_put_line(struct cli *c, const struct journal_entry *e,
                                 const struct journal_change *change)
{
    struct term *t = &c->out;
    term_right(t, TERM_STRONG,
               arena_printf(c->arena, "%llu", (unsigned long long)e->number), 6);
    term_printf(t, TERM_FAINT, "  " STR_FMT "  ", STR_ARG(term_time(c->arena, e->time)));
    term_left(t, TERM_PLAIN, change->tool, 12);
    if (change->n > 0)
        term_printf(t, TERM_PATH, STR_FMT, STR_ARG(change->ops[0].path));
    if (change->n > 1)
        term_printf(t, TERM_FAINT, " and %zu more", change->n - 1);
    if (e->undone_by > 0)
        term_printf(t, TERM_WARN, "  undone by %llu", (unsigned long long)e->undone_by);
    if (e->state == JOURNAL_ABORTED)
        term_put(t, TERM_BAD, STR("  failed, nothing changed"));
    term_put(t, TERM_PLAIN, STR("\n"));
}

static bool cli_changes_list(struct cli *c, const struct options *o, struct journal *j,
                             struct err *err)
{
    const struct journal_entry *entries;
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    size_t n = journal_entries(j, &entries), shown = 0;
    bool ok = true;
    jsonw_array(w);
    for (size_t i = n; ok && i-- > 0 && shown < (size_t)o->limit;) {
        struct journal_change change;
        ok = journal_read(j, c->arena, entries[i].number, false, &change, err);
        if (ok && !vault_sees_change(c->vault, &change))
            continue;
        shown++;
        if (ok && c->json)
            cli_changes_put_json(w, &entries[i], &change);
        else if (ok)
            cli_changes_put_line(c, &entries[i], &change);
    }
    if (!ok)
        return false;
    jsonw_end(w);
    if (c->json)
        cli_json_print(c, &json);
    return true;
}

static bool verify(struct cli *c, struct journal *j, struct err *err)
{
    size_t n;
    if (!journal_verify(j, &n, err))
        return false;
    term_printf(&c->out, TERM_GOOD, "The journal is whole: " STR_FMT ".\n",
                STR_ARG(term_count(&c->out, n, "change", "changes")));
    return true;
}

static bool cli_changes_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct changes *changes = vault_changes(c->vault, err);
    struct journal *j;
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    bool ok = o->verify ? verify(c, j, err) : cli_changes_list(c, o, j, err);
    changes_let_go(changes);
    return ok;
}

const struct cli_verb cli_changes = {
    .name = "changes",
    .arguments = "",
    .about = "What was changed through vaultd, the latest first",
    .help = "  vaultd changes\n"
            "  vaultd changes --verify\n",
    .options = table,
    .options_size = sizeof(struct options),
    .changes = true,
    .run = cli_changes_run,
};

/* --- undo --- */

struct undoing {
    struct cli_common common;
};

static const struct option undo_table[] = {CLI_COMMON};

static bool number_of(struct cli *c, uint64_t *out, struct err *err)
{
    int64_t number;
    if (c->words.n > 0) {
        if (!str_to_int(c->words.items[0], &number) || number < 1)
            return err_set(err, ERR_INVALID, "'" STR_FMT "' is no number of a change",
                           STR_ARG(c->words.items[0]));
        *out = (uint64_t)number;
        return true;
    }
    return vault_undoable(c->vault, out, err);
}

static bool undo(struct cli *c, const void *options, struct err *err)
{
    uint64_t number;
    struct change_result r;
    struct change as = {.tool = STR("undo"), .client = STR("vaultd")};
    struct cli_json json;
    if (!number_of(c, &number, err) ||
        !vault_undo(c->vault, c->arena, number, &as, &r, err))
        return false;
    if (c->json) {
        struct jsonw *w = cli_json_begin(c, &json);
        jsonw_object(w);
        jsonw_put_int(w, STR("change"), (int64_t)r.number);
        jsonw_put_int(w, STR("undoes"), (int64_t)number);
        jsonw_end(w);
        cli_json_print(c, &json);
    } else {
        term_printf(&c->out, TERM_PLAIN, "change %llu is undone (by change %llu)\n",
                    (unsigned long long)number, (unsigned long long)r.number);
    }
    return true;
}

const struct cli_verb cli_undo = {
    .name = "undo",
    .arguments = "[CHANGE]",
    .about = "Take a change back: the latest, or that of the number",
    .help = "Undoing the undo makes the change again.\n\n"
            "  vaultd undo\n"
            "  vaultd undo 12\n",
    .options = undo_table,
    .options_size = sizeof(struct undoing),
    .words_max = 1,
    .changes = true,
    .run = undo,
};
