/* Any JSON as arguments of a tool is either read or refused with a reason. */
#include <stdlib.h>

#include "mcp/schema.h"

struct args {
    str text;
    int64_t number;
    double real;
    bool flag;
    int choice;
    struct mcp_strs list;
    const struct json *object;
};

static const char *const choices[] = {"one", "two", NULL};
static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, text, MCP_STR, 0, "t"),
    MCP_FIELD(struct args, number, MCP_INT, 0, "n", .min = -5, .max = 5),
    MCP_FIELD(struct args, real, MCP_NUM, 0, "r"),
    MCP_FIELD(struct args, flag, MCP_BOOL, 0, "f", .dflt = "true"),
    MCP_FIELD(struct args, choice, MCP_ENUM, 0, "c", .choices = choices),
    MCP_FIELD(struct args, list, MCP_STRS, 0, "l"),
    MCP_FIELD(struct args, object, MCP_OBJECT, 0, "o"),
    {0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    struct args out = {0};
    const struct json *j;
    if (json_parse(&a, (str){(const char *)data, size}, &j, &err)) {
        bool ok = mcp_schema_read(&a, fields, j, size % 2 == 0, &out, &err);
        if (!ok && err.msg[0] == '\0')
            abort();
    }
    arena_release(&a);
    return 0;
}
