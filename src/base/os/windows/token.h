/*
 * token - the user of this process. Private to base/os/windows.
 */
#pragma once

#include "base/os/windows/base.h"
#include "base/str.h"

enum { TOKEN_SID_MAX = 192 }; /* units of a SID as text */

/* The SID of the user as text, "S-1-5-21-...". */
MUST_CHECK bool token_user_text(wchar_t out[TOKEN_SID_MAX]);

/* Whether the process has the rights of an administrator. */
bool token_is_elevated(void);
