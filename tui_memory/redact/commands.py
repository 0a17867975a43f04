"""Passwords on command lines: flags whose meaning depends on the program that stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tui_memory.redact import values
from tui_memory.redact.spans import Span, View

LINE = 400
BETWEEN = r"[^\n|;&\0]{0,300}?"
ARGUMENT = r"(?P<q>\\*[\"']?)(?P<v>[^\s\"'\\\0<>|]{3,200})"
PAIR = r"\\*[\"']?(?P<u>[^\s:\"'\\\0/]{1,80}):(?P<v>[^\s\"'\\\0]{3,200})"


class Command(NamedTuple):
    """A program (literal to look for) and what on its line is a password (group v)."""

    literal: str
    pattern: str


COMMANDS: tuple[Command, ...] = (
    Command("curl", rf"curl\b{BETWEEN}\s(?:-u|--user|-U|--proxy-user)[ =]?{PAIR}"),
    Command("curl", rf"curl\b{BETWEEN}\s(?:--pass|--key-pass|--oauth2-bearer)[ =]{ARGUMENT}"),
    Command("http", rf"https?\b{BETWEEN}\s(?:-a|--auth)[ =]?{PAIR}"),
    Command("mysql", rf"mysql\w*\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("mariadb", rf"mariadb[\w-]*\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("mysqladmin", rf"mysqladmin\b{BETWEEN}\spassword\s{ARGUMENT}"),
    Command("mycli", rf"mycli\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("redis-cli", rf"redis-cli\b{BETWEEN}\s-a ?{ARGUMENT}"),
    Command("valkey-cli", rf"valkey-cli\b{BETWEEN}\s-a ?{ARGUMENT}"),
    Command("sshpass", rf"sshpass\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("mongo", rf"mongo\w*\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command(" login", rf"(?:docker|podman|helm registry|nerdctl|buildah|skopeo|oras|crane|az|oc|cf|argocd|vault|heroku)\s(?:auth\s)?login\b{BETWEEN}\s-p[ =]?{ARGUMENT}"),
    Command("vault login", rf"vault login (?:-\S+ ){{0,4}}{ARGUMENT}"),
    Command("ldap", rf"ldap\w+\b{BETWEEN}\s-w ?{ARGUMENT}"),
    Command("smb", rf"(?:smbclient|smbmap|smbget|rpcclient|mount\.cifs)\b{BETWEEN}\s-U[ =]?\\*[\"']?[^\s%\"']{{1,60}}%(?P<v>[^\s\"'\\\0]{{3,100}})"),
    Command("pass:", r"-(?:passin|passout|pass|password)[ =]\\*[\"']?pass:(?P<v>[^\s\"'\\\0]{3,200})"),
    Command("-passwd", rf"\s-passwd[ =]{ARGUMENT}"),
    Command("openssl", rf"openssl\b{BETWEEN}\s-k ?{ARGUMENT}"),
    Command("zip", rf"\b(?:zip|unzip|gunzip)\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("7z", rf"\b7za?\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("rar", rf"\b(?:un)?rar\b{BETWEEN}\s-(?:hp|p){ARGUMENT}"),
    Command("keytool", rf"keytool\b{BETWEEN}\s-(?:storepass|keypass|srcstorepass|deststorepass|new) {ARGUMENT}"),
    Command("storepass", rf"-(?:storepass|keypass|srcstorepass|deststorepass) {ARGUMENT}"),
    Command("sqlcmd", rf"sqlcmd\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("bcp ", rf"bcp\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("isql", rf"isql\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("mosquitto_", rf"mosquitto_(?:pub|sub|rr)\b{BETWEEN}\s-P {ARGUMENT}"),
    Command("mosquitto_passwd", rf"mosquitto_passwd\b{BETWEEN}\s-b \S+ \S+ {ARGUMENT}"),
    Command("htpasswd", rf"htpasswd\b[^\n|;&\0]{{0,60}}?\s-\w*b\w* (?:\S+ )?\S+ {ARGUMENT}"),
    Command("htpasswd", rf"htpasswd\s-\w*n\w*b\w* \S+ {ARGUMENT}"),
    Command("rabbitmqctl", rf"rabbitmqctl\b{BETWEEN}\s(?:add_user|change_password|authenticate_user) \S+ {ARGUMENT}"),
    Command("chpasswd", r"\\*[\"'](?P<u>[\w.-]{1,40}):(?P<v>[^\s\"'\\\0]{3,100})\\*[\"'] ?\| ?(?:sudo )?chpasswd"),
    Command("sudo -S", rf"(?:echo|printf)\s(?:-\w+ )?{ARGUMENT}\\*[\"']?\s{{0,3}}\|\s{{0,3}}sudo -S"),
    Command("passwd --stdin", rf"(?:echo|printf)\s(?:-\w+ )?{ARGUMENT}\\*[\"']?\s{{0,3}}\|\s{{0,3}}(?:sudo )?passwd --stdin"),
    Command("--password-stdin", rf"(?:echo|printf)\s(?:-\w+ )?{ARGUMENT}\\*[\"']?\s{{0,3}}\|\s{{0,3}}(?:sudo )?[\w.-]+ [^\n|]{{0,200}}--password-stdin"),
    Command("wpa_passphrase", rf"wpa_passphrase \S+ {ARGUMENT}"),
    Command("nmcli", rf"nmcli\b{BETWEEN}\s(?:password|wifi-sec\.psk|802-11-wireless-security\.psk) {ARGUMENT}"),
    Command("ipmitool", rf"ipmitool\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("snmp", rf"snmp\w+\b{BETWEEN}\s-[AXc] ?{ARGUMENT}"),
    Command("freerdp", rf"\w?freerdp3?\b{BETWEEN}\s/p:{ARGUMENT}"),
    Command("rdesktop", rf"rdesktop\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("cmdkey", rf"cmdkey\b{BETWEEN}/pass:{ARGUMENT}"),
    Command("net use", rf"net use \S+ \S+ /user:\S+ {ARGUMENT}"),
    Command("net user", rf"net user \S+ (?!/){ARGUMENT}"),
    Command("pscp", rf"pscp\b{BETWEEN}\s-pw {ARGUMENT}"),
    Command("plink", rf"plink\b{BETWEEN}\s-pw {ARGUMENT}"),
    Command("lftp", rf"lftp\b{BETWEEN}\s-u ?\\*[\"']?[^\s,\"']{{1,60}},(?P<v>[^\s\"'\\\0]{{3,100}})"),
    Command("sqlplus", r"(?:sqlplus|impdp|expdp|sqlldr|rman target|exp|imp)\s(?:-\w+ )?\\*[\"']?(?P<u>[\w$]{1,40})/(?P<v>[^\s@\"'\\\0/]{3,100})@"),
    Command("cqlsh", rf"cqlsh\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("mc alias", rf"mc alias set \S+ \S+ \S+ {ARGUMENT}"),
    Command("couchbase", rf"(?:couchbase-cli|cbq|cbbackupmgr|cbexport|cbimport)\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("evil-winrm", rf"evil-winrm\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("psexec", rf"psexec\w*\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("nxc ", rf"(?:nxc|crackmapexec|netexec)\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("aws configure set", rf"aws configure set (?:aws_secret_access_key|aws_session_token) {ARGUMENT}"),
    Command("npm config set", rf"npm config set \S+:_(?:authToken|password|auth)[ =]{ARGUMENT}"),
    Command("identified by", rf"identified (?:with \S+ )?by (?:password )?{ARGUMENT}"),
    Command("requirepass", rf"requirepass\s{{1,4}}{ARGUMENT}"),
    Command("masterauth", rf"masterauth\s{{1,4}}{ARGUMENT}"),
    Command("auth ", rf"(?:^|\n|\\n|> |[\"'])auth (?:default )?(?P<q>)(?P<v>(?=[^\s]*\d)[^\s\"'\\\0]{{8,100}})(?=$|\n|\\n|[\"'])"),
    Command("-w ", rf"(?:ipa|kinit|iscsiadm|iwconfig)\b{BETWEEN}\s-w ?{ARGUMENT}"),
)
"""Programs with their own password flags; `--password`, `--token` and the like are found by their names."""


def scan(view: View) -> Iterator[Span]:
    """Every password that a program takes as an argument."""
    text, low = view.text, view.lower
    for literal, pattern in COMMANDS:
        if literal.lower() in low:
            for found in _compiled(pattern).finditer(text):
                value = found["v"].rstrip(",;")
                if value[:1] not in "$-<{%(" and not values.placeholder(value):
                    yield Span(found.start("v"), found.start("v") + len(value), "password")


_CACHE: dict[str, re.Pattern[str]] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    found = _CACHE.get(pattern)
    if found is None:
        found = _CACHE[pattern] = re.compile(pattern, re.IGNORECASE)
    return found
