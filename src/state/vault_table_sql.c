#include "state/vault_table_sql.h"

VAULT_TABLE_STATEMENTS(STORE_DEFINE)
