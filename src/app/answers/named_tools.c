#include "app/answers/named_tools.h"

#include <string.h>

/* Commands have no '_', and are no secret. */
str answer_tool_name(const struct answer_tools *t, str name)
{
    char text[64];
    if (t == NULL || str_find_char(name, '_') == STR_NONE || name.n >= sizeof(text))
        return name;
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    return answer_has(t, text) ? name : STR("other");
}
