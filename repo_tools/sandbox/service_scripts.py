"""How servers of Debian's packages are started: shell scripts that take the variables of the registry's images.

They run as the box's user, with `DATA` (an empty folder on a size-capped volume), `PORT`, `PATH` and, between spaces,
`DATABASES`, `EXTENSIONS` and `USERS` (``name:password``) set, and end as the server itself. What the official images do
with the variables: https://hub.docker.com/_/postgres, /_/mariadb,
/_/redis, /_/rabbitmq. Data is thrown away, so nothing waits for a disk.
"""

from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.sandbox.service import Service, port_of

POSTGRESQL = r"""
set -f
user=${POSTGRES_USER:-postgres}
method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
password=$DATA/password
printf '%s\n' "${POSTGRES_PASSWORD:-unused}" > "$password"
initdb -D "$DATA/cluster" -U "$user" -A "$method" --pwfile="$password" -E UTF8 --locale=C.UTF-8 --no-sync \
    ${POSTGRES_INITDB_ARGS:-}
database=$(printf %s "${POSTGRES_DB:-$user}" | sed 's/"/""/g')
if [ "$database" != postgres ]; then
    printf 'create database "%s"\n' "$database" | postgres --single -j -F -D "$DATA/cluster" template1
fi
for database in ${DATABASES:-}; do
    printf 'create database "%s"\n' "$database" | postgres --single -j -F -D "$DATA/cluster" template1
done
for account in ${USERS:-}; do
    printf "create role \"%s\" superuser login password '%s'\n" "${account%%:*}" "${account#*:}"
done | postgres --single -F -D "$DATA/cluster" template1
for database in "${POSTGRES_DB:-$user}" ${DATABASES:-}; do
    for extension in ${EXTENSIONS:-}; do printf 'create extension if not exists "%s"\n' "$extension"; done |
        postgres --single -F -D "$DATA/cluster" "$database"
done
exec postgres -D "$DATA/cluster" -F -p "$PORT" -c listen_addresses='*' -c unix_socket_directories="$DATA"
"""
MARIADB = r"""
set -f
quoted() { printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }
say() { printf '%s\n' "$1"; }
named() { printf %s "$1" | sed 's/`/``/g'; }
root=$(quoted "${MARIADB_ROOT_PASSWORD:-${MYSQL_ROOT_PASSWORD:-}}")
database=$(named "${MARIADB_DATABASE:-${MYSQL_DATABASE:-}}")
user=$(quoted "${MARIADB_USER:-${MYSQL_USER:-}}")
password=$(quoted "${MARIADB_PASSWORD:-${MYSQL_PASSWORD:-}}")
mariadb-install-db --no-defaults --datadir="$DATA/data" --auth-root-authentication-method=normal --skip-test-db \
    --skip-name-resolve --innodb-log-file-size=8M
{
    say "drop user if exists root@'127.0.0.1', root@'::1';"
    say "alter user root@localhost identified by '$root';"
    say "create user root@'%' identified by '$root';"
    say "grant all on *.* to root@'%' with grant option;"
    [ -z "$database" ] || say "create database \`$database\`;"
    [ -z "$user" ] || say "create user '$user'@'%' identified by '$password';"
    [ -z "$user" ] || [ -z "$database" ] || say "grant all on \`$database\`.* to '$user'@'%';"
    for database in ${DATABASES:-}; do
        say "create database if not exists \`$database\`;"
        [ -z "$user" ] || say "grant all on \`$database\`.* to '$user'@'%';"
    done
    for account in ${USERS:-}; do
        say "create user if not exists '${account%%:*}'@'%' identified by '${account#*:}';"
        say "grant all on *.* to '${account%%:*}'@'%' with grant option;"
    done
} > "$DATA/first.sql"
exec "$(command -v mariadbd || command -v mysqld)" --no-defaults --datadir="$DATA/data" --port="$PORT" \
    --socket="$DATA/socket" --tmpdir="$DATA" --bind-address='*' --skip-name-resolve --skip-log-bin \
    --character-set-server=utf8mb4 --innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 \
    --innodb-use-native-aio=0 --init-file="$DATA/first.sql"
"""
REDIS = r"""
exec "$(command -v redis-server || command -v valkey-server)" --port "$PORT" --bind '*' '-::*' --protected-mode no \
    --save '' --appendonly no --dir "$DATA" --daemonize no ${REDIS_PASSWORD:+--requirepass "$REDIS_PASSWORD"}
"""
RABBITMQ = r"""
export HOME="$DATA" RABBITMQ_NODENAME=rabbit@localhost RABBITMQ_NODE_PORT="$PORT" \
    RABBITMQ_DIST_PORT="$((PORT < 45535 ? PORT + 20000 : PORT - 20000))" RABBITMQ_LOGS=- \
    RABBITMQ_MNESIA_BASE="$DATA/mnesia" RABBITMQ_PID_FILE="$DATA/pid" RABBITMQ_ENABLED_PLUGINS_FILE="$DATA/plugins" \
    RABBITMQ_CONFIG_FILE="$DATA/none" RABBITMQ_GENERATED_CONFIG_DIR="$DATA" RABBITMQ_LOG_BASE="$DATA" \
    RABBITMQ_FEATURE_FLAGS_FILE="$DATA/flags" RABBITMQ_CONF_ENV_FILE="$DATA/none" ERL_EPMD_ADDRESS=127.0.0.1
exec rabbitmq-server
"""
SCRIPTS = {
    "postgresql": POSTGRESQL, "mysql": MARIADB, "mariadb": MARIADB, "redis": REDIS, "rabbitmq": RABBITMQ,
}  # fmt: skip
PATHS = """
PATH=/usr/lib/rabbitmq/bin:$PATH
releases=
for folder in /usr/lib/postgresql/*/bin; do releases=$folder:$releases; done
PATH=/usr/lib/postgresql/${VERSION%%[!0-9]*}/bin:$PATH:$releases
export PATH
"""
"""Debian keeps every release of PostgreSQL beside the others: the one asked for, else the newest."""


def told(service: Service) -> dict[str, str]:
    """What they find set besides the variables of the registry's images."""
    return {
        "DATA": f"{WORKSPACE}/data",
        "PORT": str(port_of(service)),
        "VERSION": service.version,
        "DATABASES": " ".join(service.databases),
        "EXTENSIONS": " ".join(service.extensions),
        "USERS": " ".join(service.users),
    }


def script_of(kind: str) -> str:
    """For ``sh -c``."""
    return f'set -eu\nmkdir -p "$DATA"\n{PATHS}{SCRIPTS[kind]}'
