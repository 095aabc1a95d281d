/*
 * form - the arguments of a tool or prompt: its own fields, followed by the common ones
 * (mcp_config.common). Private to src/mcp.
 *
 * One table and one block of memory hold both: the tool's struct first, then the common
 * one.
 */
#pragma once

#include "mcp/schema.h"

struct mcp_form {
    const struct mcp_field *fields; /* NULL: none */
    size_t size;                    /* of both structs */
    size_t common_at;               /* 0: no common struct */
};

/* own and common may be NULL; all tables must outlive the form, which is in the arena. */
struct mcp_form mcp_form_make(struct arena *a, const struct mcp_field *own,
                              size_t own_size, const struct mcp_field *common,
                              size_t common_size);

/* What arguments were read into. */
struct mcp_form_values {
    const void *own, *common; /* NULL: there is no such struct */
    str why;                  /* of a failure, if it is too long for err */
};

/* Fails like mcp_schema_read(). strict: also if there are arguments that are no fields. */
MUST_CHECK bool mcp_form_read(const struct mcp_form *f, struct arena *a,
                              const struct json *arguments, bool strict,
                              struct mcp_form_values *out, struct err *err);
