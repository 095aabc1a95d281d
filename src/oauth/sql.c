#include "oauth/sql.h"

OAUTH_STATEMENTS(STORE_DEFINE)
