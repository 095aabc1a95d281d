#include "base/os/windows/token.h"

#include <sddl.h>

bool token_user_text(wchar_t out[TOKEN_SID_MAX])
{
    char bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    TOKEN_USER *user = (TOKEN_USER *)(void *)bytes;
    wchar_t *text = NULL;
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    bool known = GetTokenInformation(token, TokenUser, user, sizeof(bytes), &size) &&
                 ConvertSidToStringSidW(user->User.Sid, &text);
    CloseHandle(token);
    bool ok = known && wcslen(text) < TOKEN_SID_MAX;
    if (ok)
        wmemcpy(out, text, wcslen(text) + 1);
    LocalFree(text);
    return ok;
}

bool token_is_elevated(void)
{
    TOKEN_ELEVATION elevation = {0};
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    bool known =
        GetTokenInformation(token, TokenElevation, &elevation, sizeof(elevation), &size);
    CloseHandle(token);
    return known && elevation.TokenIsElevated != 0;
}
