#include "vault/forms/task_settings.h"

const char *const task_types[] = {"TODO",      "IN_PROGRESS", "ON_HOLD", "DONE",
                                  "CANCELLED", "NON_TASK",    NULL};

static const struct task_status core[] = {
    {STR(" "), STR("Todo"), STR("x"), TASK_TODO},
    {STR("x"), STR("Done"), STR(" "), TASK_DONE},
    {STR("/"), STR("In Progress"), STR("x"), TASK_IN_PROGRESS},
    {STR("-"), STR("Cancelled"), STR(" "), TASK_CANCELLED},
};

static bool flag_of(const struct json *data, str key, bool otherwise)
{
    (void)json_bool(json_get(data, key), &otherwise);
    return otherwise;
}

static enum task_type task_settings_type_of(str name)
{
    for (int i = 0; task_types[i] != NULL; i++)
        if (str_eq(name, str_c(task_types[i])))
            return (enum task_type)i;
    return TASK_TODO;
}

static const struct task_status *find_status(const struct task_settings *s, str symbol)
{
    for (size_t i = 0; i < s->n_statuses; i++)
        if (str_eq(s->statuses[i].symbol, symbol))
            return &s->statuses[i];
    return NULL;
}

/* Of several statuses with one symbol, the first counts. */
static void add_statuses(const struct json *list, struct task_settings *out,
                         struct task_status *into)
{
    for (const struct json *j = json_is(list, JSON_ARRAY) ? list->child : NULL;
         j != NULL && out->n_statuses < TASK_STATUSES_MAX; j = j->next) {
        struct task_status status = {
            .symbol = json_get_str(j, STR("symbol")),
            .name = json_get_str(j, STR("name")),
            .next = json_get_str(j, STR("nextStatusSymbol")),
            .type = task_settings_type_of(json_get_str(j, STR("type")))};
        if (status.symbol.n > 0 && find_status(out, status.symbol) == NULL)
            into[out->n_statuses++] = status;
    }
}

static size_t count_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->n : 0;
}

static void read_statuses(struct arena *a, const struct json *settings,
                          struct task_settings *out)
{
    const struct json *given = json_get(settings, STR("coreStatuses")),
                      *own = json_get(settings, STR("customStatuses"));
    size_t n = count_of(given) + count_of(own);
    struct task_status *all =
        ARENA_ARRAY(a, struct task_status, n < TASK_STATUSES_MAX ? n : TASK_STATUSES_MAX);
    out->statuses = all;
    add_statuses(given, out, all);
    add_statuses(own, out, all);
    if (out->n_statuses > 0)
        return;
    out->statuses = core;
    out->n_statuses = COUNT_OF(core);
}

void task_settings_read(struct arena *a, const struct json *data,
                        struct task_settings *out)
{
    bool dataview = str_eq(json_get_str(data, STR("taskFormat")), STR("dataview"));
    enum task_format format = dataview ? TASK_DATAVIEW : TASK_EMOJI;
    *out = (struct task_settings){
        .format = format,
        .read = format,
        .filter = json_get_str(data, STR("globalFilter")),
        .set_created = flag_of(data, STR("setCreatedDate"), false),
        .set_done = flag_of(data, STR("setDoneDate"), true),
        .set_cancelled = flag_of(data, STR("setCancelledDate"), true),
        .next_below = flag_of(data, STR("recurrenceOnNextLine"), false),
        .drop_scheduled = flag_of(data, STR("removeScheduledDateOnRecurrence"), false),
        .file_date = flag_of(data, STR("useFilenameAsScheduledDate"), false),
    };
    read_statuses(a, json_get(data, STR("statusSettings")), out);
}

struct task_settings task_settings_both(const struct task_settings *s)
{
    struct task_settings both = *s;
    both.read = TASK_EMOJI | TASK_DATAVIEW;
    return both;
}

struct task_status task_status_of(const struct task_settings *s, str symbol)
{
    const struct task_status *known = find_status(s, symbol);
    return known != NULL
               ? *known
               : (struct task_status){symbol, STR("Unknown"), STR("x"), TASK_TODO};
}
