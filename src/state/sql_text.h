/*
 * sql_text - statements, which SQLite understands, for PostgreSQL.
 *
 * The statements use what both have in common. The rest is translated word by word:
 * parameters (? and ?N become $N), types in capitals, and names that are reserved words.
 * Text sorts by its bytes and lower() knows ASCII alone, as in SQLite.
 */
#pragma once

#include "base/arena.h"

/* In the arena, and ended with a NUL. */
str sql_text_postgres(struct arena *a, str text);
