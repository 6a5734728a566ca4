/* secret_names.c -- the names of files that hold secrets, with the reasons: see secret_names.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "secret_names.h"

#include <string.h>

const struct secret_group secret_groups[SECRET_GROUP_COUNT] = {
    [OF_ENV_FILES] = {"Environments",
                      "A program is started with the passwords and tokens in them."},
    [OF_KEYS] = {"Private keys", "They prove who somebody is, and decrypt what was sent to them."},
    [OF_LOGINS] = {"Logins", "A program logs in with the names and passwords in them."},
    [OF_REGISTRIES] = {"Package registries", "The tokens in them publish packages."},
    [OF_CLOUDS] = {"Clouds and clusters", "The tokens in them command machines, and spend money."},
    [OF_PASSWORD_STORES] = {"Stores of passwords", "Many secrets are kept in one place."},
    [OF_PROJECTS] = {"Secrets of a project", "Programs of the project read their secrets there."},
    [OF_HISTORIES] = {"Histories", "Typed lines stand there, and passwords are typed, too."},
    [OF_CRASHES] = {"What a crash has left", "A change was interrupted, perhaps that of a secret."},
};

const struct secret_name secret_names[] = {
    {".env*", NULL, SECRET_FILE, OF_ENV_FILES},
    {".dev.vars*", NULL, SECRET_FILE, OF_ENV_FILES},
    {".renviron", NULL, SECRET_FILE, OF_ENV_FILES},
    {"environ", NULL, SECRET_FILE, OF_ENV_FILES}, /* /proc/1/environ */
    {".secrets", NULL, SECRET_TREE, OF_ENV_FILES},
    {".ssh", NULL, SECRET_TREE, OF_KEYS},
    {".gnupg", NULL, SECRET_TREE, OF_KEYS},
    {".putty", NULL, SECRET_TREE, OF_KEYS},
    {".slime-secret", NULL, SECRET_FILE, OF_KEYS},
    {".sly-secret", NULL, SECRET_FILE, OF_KEYS},
    {".authinfo*", NULL, SECRET_FILE, OF_LOGINS},
    {".netrc*", NULL, SECRET_FILE, OF_LOGINS},
    {".git-credentials", NULL, SECRET_FILE, OF_LOGINS},
    {".pgpass", NULL, SECRET_FILE, OF_LOGINS},
    {".my.cnf", NULL, SECRET_FILE, OF_LOGINS},
    {".mylogin.cnf", NULL, SECRET_FILE, OF_LOGINS},
    {".htpasswd", NULL, SECRET_FILE, OF_LOGINS},
    {".smbcredentials", NULL, SECRET_FILE, OF_LOGINS},
    {".msmtprc", NULL, SECRET_FILE, OF_LOGINS},
    {".mbsyncrc", NULL, SECRET_FILE, OF_LOGINS},
    {".fetchmailrc", NULL, SECRET_FILE, OF_LOGINS},
    {".offlineimaprc", NULL, SECRET_FILE, OF_LOGINS},
    {".credentials.json", NULL, SECRET_FILE, OF_LOGINS},
    {".npmrc", NULL, SECRET_FILE, OF_REGISTRIES},
    {".pypirc", NULL, SECRET_FILE, OF_REGISTRIES},
    {".dockercfg", NULL, SECRET_FILE, OF_REGISTRIES},
    {".dockerconfigjson", NULL, SECRET_FILE, OF_REGISTRIES},
    {".aws", NULL, SECRET_TREE, OF_CLOUDS},
    {".azure", NULL, SECRET_TREE, OF_CLOUDS},
    {".kube", NULL, SECRET_TREE, OF_CLOUDS},
    {".oci", NULL, SECRET_TREE, OF_CLOUDS},
    {".s3cfg", NULL, SECRET_FILE, OF_CLOUDS},
    {".boto", NULL, SECRET_FILE, OF_CLOUDS},
    {".vault-token", NULL, SECRET_FILE, OF_CLOUDS},
    {".terraformrc", NULL, SECRET_FILE, OF_CLOUDS},
    {".password-store", NULL, SECRET_TREE, OF_PASSWORD_STORES},
    {".bash_history", NULL, SECRET_FILE, OF_HISTORIES},
    {".zsh_history", NULL, SECRET_FILE, OF_HISTORIES},
    {".psql_history", NULL, SECRET_FILE, OF_HISTORIES},
    {".mysql_history", NULL, SECRET_FILE, OF_HISTORIES},
    {".python_history", NULL, SECRET_FILE, OF_HISTORIES},
    {".aqfs-*", NULL, SECRET_TREE, OF_CRASHES},
    {"id_rsa*", NULL, SECRET_FILE, OF_KEYS},
    {"id_dsa*", NULL, SECRET_FILE, OF_KEYS},
    {"id_ecdsa*", NULL, SECRET_FILE, OF_KEYS},
    {"id_ed25519*", NULL, SECRET_FILE, OF_KEYS},
    {"id_*", NULL, SECRET_BARE, OF_KEYS},
    {"*.pem", NULL, SECRET_FILE, OF_KEYS},
    {"*.key", NULL, SECRET_FILE, OF_KEYS},
    {"*.ppk", NULL, SECRET_FILE, OF_KEYS},
    {"*.p12", NULL, SECRET_FILE, OF_KEYS},
    {"*.pfx", NULL, SECRET_FILE, OF_KEYS},
    {"*.jks", NULL, SECRET_FILE, OF_KEYS},
    {"*.keystore", NULL, SECRET_FILE, OF_KEYS},
    {"*.agekey", NULL, SECRET_FILE, OF_KEYS},
    {"keys.txt", "age", SECRET_FILE, OF_KEYS},
    {"secring.gpg", NULL, SECRET_FILE, OF_KEYS},
    {"_netrc", NULL, SECRET_FILE, OF_LOGINS},
    {"hosts.yml", "gh", SECRET_FILE, OF_LOGINS},
    {"auth.json", ".codex", SECRET_FILE, OF_LOGINS},
    {"rclone.conf", NULL, SECRET_FILE, OF_LOGINS},
    {"credentials*", ".cargo", SECRET_FILE, OF_REGISTRIES},
    {"credentials", ".gem", SECRET_FILE, OF_REGISTRIES},
    {"config.json", ".docker", SECRET_FILE, OF_REGISTRIES},
    {"auth.json", "containers", SECRET_FILE, OF_REGISTRIES},
    {"settings.xml", ".m2", SECRET_FILE, OF_REGISTRIES},
    {"settings-security.xml", ".m2", SECRET_FILE, OF_REGISTRIES},
    {"gradle.properties", ".gradle", SECRET_FILE, OF_REGISTRIES},
    {"gcloud", ".config", SECRET_TREE, OF_CLOUDS},
    {"application_default_credentials.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"*service-account*.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"*service_account*.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"*serviceaccount*.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"client_secret*.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"gha-creds-*.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"kubeconfig", NULL, SECRET_FILE, OF_CLOUDS},
    {"*.kubeconfig", NULL, SECRET_FILE, OF_CLOUDS},
    {"terraform.rc", NULL, SECRET_FILE, OF_CLOUDS},
    {"credentials.tfrc.json", NULL, SECRET_FILE, OF_CLOUDS},
    {"*.tfstate", NULL, SECRET_FILE, OF_CLOUDS},
    {"*.tfstate.backup", NULL, SECRET_FILE, OF_CLOUDS},
    {"*.kdbx", NULL, SECRET_FILE, OF_PASSWORD_STORES},
    {"*.kdb", NULL, SECRET_FILE, OF_PASSWORD_STORES},
    {"keyrings", "share", SECRET_TREE, OF_PASSWORD_STORES},
    {"credentials.json", NULL, SECRET_FILE, OF_PROJECTS},
    {"secrets.json", NULL, SECRET_FILE, OF_PROJECTS},
    {"secrets.toml", NULL, SECRET_FILE, OF_PROJECTS},
    {"secrets.yaml", NULL, SECRET_FILE, OF_PROJECTS},
    {"secrets.yml", NULL, SECRET_FILE, OF_PROJECTS},
};
const size_t secret_name_count = sizeof secret_names / sizeof *secret_names;

const struct open_name open_names[] = {
    {".env*.example", OF_ENV_FILES},
    {".env*.sample", OF_ENV_FILES},
    {".env*.template", OF_ENV_FILES},
    {".env*.tmpl", OF_ENV_FILES},
    {".env*.tpl", OF_ENV_FILES},
    {".env*.dist", OF_ENV_FILES},
    {".env*.schema", OF_ENV_FILES},
    {".env.defaults", OF_ENV_FILES},
    {"*.pub", OF_KEYS},
};
const size_t open_name_count = sizeof open_names / sizeof *open_names;

bool secret_pattern_matches(const char *pattern, const char *name) {
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Most patterns are refused here, by their first or their last character. */
static bool may_match(const char *pattern, char first, char last) {
    if (*pattern != '*')
        return *pattern == first;
    return pattern[strlen(pattern) - 1] == last;
}

static bool is_open_name(const char *name) {
    for (size_t i = 0; i < open_name_count; i++)
        if (secret_pattern_matches(open_names[i].pattern, name))
            return true;
    return false;
}

static bool counts_here(const struct secret_name *row, const char *name, const char *above,
                        bool is_file) {
    return (is_file || row->kind == SECRET_TREE) &&
           (row->kind != SECRET_BARE || !strchr(name, '.')) &&
           (!row->above || strcmp(row->above, above) == 0);
}

/* -- copies ------------------------------------------------------------------------------------ */

static bool has_ending(const char *name, size_t n, const char *end) {
    size_t end_n = strlen(end);
    return n > end_n && memcmp(name + n - end_n, end, end_n) == 0;
}

/* The length of NAME without `~`, or `.~12~`. */
static size_t without_backup(const char *name, size_t n) {
    size_t at = n - 1;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    bool numbered = at > 2 && at < n - 1 && name[at - 1] == '~' && name[at - 2] == '.';
    return numbered ? at - 2 : n - 1;
}

/* That of the vim editor, .NAME.swp, for which others are tried. */
static bool is_swap(const char *name, size_t n) {
    return name[0] == '.' && n > 5 && memcmp(name + n - 4, ".sw", 3) == 0 && name[n - 1] >= 'a' &&
           name[n - 1] <= 'z';
}

bool secret_name_copied(const char *name, size_t n, size_t *at, size_t *len) {
    static const char *const ends[] = {".bak", ".orig", ".old"};
    bool is_saved = n > 2 && name[0] == '#' && name[n - 1] == '#';
    *at = is_saved || is_swap(name, n) ? 1 : 0;
    *len = *at == 0 ? 0 : n - (is_saved ? 2 : 5);
    if (n > 1 && name[n - 1] == '~')
        *len = without_backup(name, n);
    for (size_t i = 0; *len == 0 && i < sizeof ends / sizeof *ends; i++)
        *len = has_ending(name, n, ends[i]) ? n - strlen(ends[i]) : 0;
    return *len > 0;
}

/* -- asking ------------------------------------------------------------------------------------ */

const struct secret_group *secret_of_name(const char *name, const char *above, bool is_file) {
    size_t n = strlen(name);
    if (n == 0)
        return NULL;
    for (size_t i = 0; i < secret_name_count; i++) {
        const struct secret_name *row = &secret_names[i];
        if (may_match(row->pattern, name[0], name[n - 1]) &&
            counts_here(row, name, above, is_file) && secret_pattern_matches(row->pattern, name))
            return is_file && row->kind != SECRET_TREE && is_open_name(name)
                       ? NULL
                       : &secret_groups[row->group];
    }
    return NULL;
}
