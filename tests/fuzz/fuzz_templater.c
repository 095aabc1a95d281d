/* A template without commands stays as it is; a second pass changes nothing more. */
#include "vault/forms/templater.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct template_values values = {.title = STR("T"),
                                                  .folder = STR("F"),
                                                  .now = {2024, 2, 29, 13, 5, 9, 0, 0},
                                                  .date_format = STR("YYYY"),
                                                  .time_format = STR("HH")};
    struct arena a = {0};
    struct templater_left left = {.n = 0};
    str text = {(const char *)data, size};
    str filled = templater_expand(&a, text, &values, &left);
    if (str_find(text, STR("<%")) == STR_NONE && str_find(text, STR("{{")) == STR_NONE &&
        !str_eq(filled, text))
        BUG("a text without commands was changed");
    if (left.n > TEMPLATER_LEFT_MAX)
        BUG("%zu commands are left", left.n);
    (void)templater_warning(&a, &left);
    arena_release(&a);
    return 0;
}
