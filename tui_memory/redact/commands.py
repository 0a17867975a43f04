"""Passwords on command lines: flags whose meaning depends on the program that stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tui_memory.light import NamedTuple, late
from tui_memory.redact import values
from tui_memory.redact.spans import Span, View, gate

BETWEEN = r"[^\n|;&\0]{0,300}?"
ARGUMENT = r"(?P<q>\\*[\"']?)(?P<v>[^\s\"'\\\0<>|]{3,200})"
ARGUMENT2 = r"\\*[\"']?(?P<w>[^\s\"'\\\0<>|]{3,200})"
BARE = r"(?P<v>[^\s\"'\\\0<>|]{3,200})"
PERCENT = r"\\*[\"']?[^\s%\"']{1,60}%(?P<v>[^\s\"'\\\0]{3,100})"
ORACLE = r"\s(?:-\w+ )?\\*[\"']?(?P<u>[\w$]{1,40})/(?P<v>[^\s@\"'\\\0/]{3,100})@"
TUPLE = (
    r"\\*[\"'][^\"'\\\n]{1,60}\\*[\"']\s?,\s?\\*[\"'](?P<v>"
    r"(?=[^\"']*[\d!@#$%^&*])[^\s\"'\\\0]{5,100})\\*[\"']"
)
LITERAL = r"[bru]?\\*[\"'`](?P<v>(?=[^\"'`]{0,60}\d)[^\s\"'`\\\0]{5,100})\\*[\"'`]"
LONG_LITERAL = (
    r"(?:buffer\.from\(|\[\]byte\()?[bru]?\\*[\"'`]"
    r"(?P<v>(?=[^\"'`]{0,100}\d)[A-Za-z0-9+/=_.!#$%^&*@~-]{12,200})\\*[\"'`]"
)
STRINGS = r"(?:\s?\\*[\"'][^\"'\\\n]{0,80}\\*[\"']\s?,\s?){1,2}"
PAIR_AT = r"(?P<u>[\w.\\-]{1,40}):(?P<v>[^\s\"'\0@]{3,100})@(?=[\w.-])"
PAIR = r"\\*[\"']?(?P<u>[^\s:\"'\\\0/]{1,80}):(?P<v>[^\s\"'\\\0]{3,200})"


class Command(NamedTuple):
    """A program (literal to look for) and what on its line is a password (group v)."""

    literal: str
    pattern: str


COMMANDS: tuple[Command, ...] = (
    Command(
        "curl",
        rf"curl\b{BETWEEN}\s(?:(?:-[a-zA-Z]{{0,8}}u|--user|-U|--proxy-user)[ =]?{PAIR}|"
        rf"(?:--pass|--key-pass)[ =]{ARGUMENT2})",
    ),
    Command("http", rf"https?\b{BETWEEN}\s(?:-a|--auth)[ =]?{PAIR}"),
    Command("mysqladmin", rf"mysqladmin\b{BETWEEN}\spassword\s{ARGUMENT}"),
    Command("mysql", rf"mysql\w*\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("mariadb", rf"mariadb[\w-]*\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("mycli", rf"mycli\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("-cli ", rf"-cli\b{BETWEEN}\s-a ?{ARGUMENT}"),
    Command("sshpass", rf"sshpass\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("mongo", rf"mongo\w*\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("vault login", rf"vault login (?:-\S+ ){{0,4}}{ARGUMENT}"),
    Command("vault unseal", rf"vault unseal (?:-\S+ ){{0,4}}{ARGUMENT}"),
    Command(" login ", rf" login\b{BETWEEN}\s-p[ =]?{ARGUMENT}"),
    Command("ldap", rf"ldap(?:search|modify|add|delete|passwd|whoami|compare)\b{BETWEEN}\s-w ?{ARGUMENT}"),
    Command("smb", rf"smb(?:client|map|get|cquota)\b{BETWEEN}\s-U[ =]?{PERCENT}"),
    Command("rpcclient", rf"rpcclient\b{BETWEEN}\s-U[ =]?{PERCENT}"),
    Command(" -pass", r" -(?:passin|passout|pass|password)[ =]\\*[\"']?pass:(?P<v>[^\s\"'\\\0]{3,200})"),
    Command(" -passwd", rf" -passwd[ =]{ARGUMENT}"),
    Command("openssl", rf"openssl\b{BETWEEN}\s-k {ARGUMENT}"),
    Command("zip ", rf"zip {BETWEEN}\s?-P ?{ARGUMENT}"),
    Command("7z", rf"7za?\b{BETWEEN}\s-p{ARGUMENT}"),
    Command("rar ", rf"rar {BETWEEN}\s?-(?:hp|p){ARGUMENT}"),
    Command("storepass", rf"storepass {ARGUMENT}"),
    Command(" -keypass", rf" -keypass {ARGUMENT}"),
    Command("sqlcmd", rf"sqlcmd\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("bcp ", rf"bcp\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("isql", rf"isql\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("mosquitto_", rf"mosquitto_(?:(?:pub|sub|rr)\b{BETWEEN}\s-P|passwd\b{BETWEEN}\s-b \S+ \S+) {ARGUMENT}"),
    Command(
        "htpasswd",
        rf"htpasswd\s(?:-\w+ ){{0,4}}-\w*b\w* (?:-\w+ ){{0,3}}(?:[^\s|;]+ ){{1,2}}{ARGUMENT}"
        r"(?=[\s\"'\\;|&]|$)(?!\s+[\w$./])",
    ),
    Command(
        "rabbitmqctl",
        rf"rabbitmqctl\b{BETWEEN}\s(?:add_user|change_password|authenticate_user) \S+ " rf"{ARGUMENT}",
    ),
    Command(
        "echo ",
        rf"echo\s(?:-\w+ )?\\*[\"']?(?:[\w.-]{{1,40}}:)?{BARE}\\*[\"']?\s{{0,3}}\|\s{{0,3}}"
        r"(?:sudo )?(?:chpasswd|passwd --stdin|sudo -S|[\w.-]+ [^\n"
        rf"|]{{0,200}}--(?:password-stdin|with-token|token-stdin))",
    ),
    Command(
        "printf ",
        rf"printf\s\\*[\"']?(?:[\w.-]{{1,40}}:)?{BARE}\\*[\"']?\s{{0,3}}\|\s{{0,3}}(?:sudo )?"
        rf"(?:chpasswd|passwd --stdin|[\w.-]+ [^\n|]{{0,200}}--(?:password-stdin|with-token))",
    ),
    Command("wpa_passphrase", rf"wpa_passphrase \S+ {ARGUMENT}"),
    Command(
        "nmcli",
        rf"nmcli\b{BETWEEN}\s(?:password|wifi-sec\.psk|802-11-wireless-security\.psk) " rf"{ARGUMENT}",
    ),
    Command("ipmitool", rf"ipmitool\b{BETWEEN}\s-P ?{ARGUMENT}"),
    Command("snmp", rf"snmp(?:walk|get|bulkwalk|set|trap)\b{BETWEEN}\s-[AXc] ?{ARGUMENT}"),
    Command("freerdp", rf"freerdp3?\b{BETWEEN}\s/p:{ARGUMENT}"),
    Command("rdesktop", rf"rdesktop\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("cmdkey", rf"cmdkey\b{BETWEEN}/pass:{ARGUMENT}"),
    Command("net use", rf"net use (?:\S+ \S+ /user:\S+|[^\s/]\S* \S+(?= \S+ /user)) {ARGUMENT}"),
    Command("net user", rf"net user \S+ (?!/){ARGUMENT}"),
    Command(" -pw ", rf" -pw {ARGUMENT}"),
    Command("lftp", rf"lftp\b{BETWEEN}\s-u ?\\*[\"']?[^\s,\"']{{1,60}},(?P<v>[^\s\"'\\\0]{{3,100}})"),
    Command("sqlplus", rf"sqlplus{ORACLE}"),
    Command("impdp", rf"impdp{ORACLE}"),
    Command("expdp", rf"expdp{ORACLE}"),
    Command("sqlldr", rf"sqlldr{ORACLE}"),
    Command("rman target", rf"rman target{ORACLE}"),
    Command("cqlsh", rf"cqlsh\b{BETWEEN}\s-p ?{ARGUMENT}"),
    Command("mc alias", rf"mc alias set \S+ \S+ \S+ {ARGUMENT}"),
    Command("couchbase", rf"couchbase-cli\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("winrm", rf"winrm\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("psexec", rf"psexec\w*\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("crackmapexec", rf"crackmapexec\b{BETWEEN}\s-p {ARGUMENT}"),
    Command("aws configure set", rf"aws configure set (?:aws_secret_access_key|aws_session_token) {ARGUMENT}"),
    Command("npm config set", rf"npm config set \S+:_(?:authToken|password|auth)[ =]{ARGUMENT}"),
    Command("identified ", rf"identified (?:with \S+ )?by (?:password )?\\*[\"']{BARE}"),
    Command("requirepass", rf"requirepass\s{{1,4}}{ARGUMENT}"),
    Command("masterauth", rf"masterauth\s{{1,4}}{ARGUMENT}"),
    Command("rootpw", rf"rootpw\s(?:--plaintext\s)?(?!--){ARGUMENT}"),
    Command("auth", rf"auth(?:entication)?\s?[=:(]\s?[(\[]?\s?{TUPLE}"),
    Command("cred", rf"cred(?:ential)?s?\s?[=:(]\s?[(\[]?\s?{TUPLE}"),
    Command("login(", rf"login\(\s?{TUPLE}"),
    Command("gh secret set", rf"gh secret set {BETWEEN}\s?(?:--body|-b)[ =]{ARGUMENT}"),
    Command("twine ", rf"twine\b{BETWEEN}\s-p[ =]?{ARGUMENT}"),
    Command("cargo login", rf"cargo login (?:--\S+ ){{0,3}}{ARGUMENT}"),
    Command("authtoken ", rf"authtoken {ARGUMENT}"),
    Command("snyk auth", rf"snyk auth {ARGUMENT}"),
    Command("sentry-cli", rf"sentry-cli\b{BETWEEN}\s--auth-token[ =]{ARGUMENT}"),
    Command("private-key <(", rf"private-key <\((?:echo|printf) {ARGUMENT}"),
    Command("password-command", rf"password-command[ =]\\*[\"']?(?:echo|printf) {ARGUMENT}"),
    Command("wg pubkey", rf"wg pubkey <<< ?{ARGUMENT}"),
    Command("<<<", rf"<<<[ \t]?{ARGUMENT}(?=[^\n]{{0,200}}--(?:password|token)-stdin)"),
    Command("openssl passwd", rf"openssl passwd (?:-\w+ ){{0,3}}(?!-){ARGUMENT}"),
    Command("mkpasswd", rf"mkpasswd (?:-\S+ (?:sha-\d+ )?){{0,3}}(?!-){ARGUMENT}"),
    Command("slappasswd", rf"slappasswd\b{BETWEEN}\s-s {ARGUMENT}"),
    Command("encrypt_string", rf"encrypt_string (?:--\S+ ){{0,3}}(?!-){ARGUMENT}"),
    Command("hash-password", rf"hash-password\b{BETWEEN}\s(?:-p|--plaintext)[ =]{ARGUMENT}"),
    Command("rclone obscure", rf"rclone obscure {ARGUMENT}"),
    Command("security ", rf"security add-\w+-password\b{BETWEEN}\s-w {ARGUMENT}"),
    Command("ssh-keygen", rf"ssh-keygen\b{BETWEEN}\s-[NP] {ARGUMENT}"),
    Command("qpdf ", rf"qpdf\b{BETWEEN}--encrypt {ARGUMENT} {ARGUMENT2}"),
    Command("dscl ", rf"dscl\b{BETWEEN}-passwd \S+ {ARGUMENT}"),
    Command("nuget ", rf"nuget\b{BETWEEN}\s-p[ =]{ARGUMENT}"),
    Command("snmp-server community", rf"snmp-server community {ARGUMENT}"),
    Command("password 7 ", rf"password 7 {ARGUMENT}"),
    Command("enable ", rf"enable (?:secret|password) (?:\d )?{ARGUMENT}"),
    Command("encrypt-password", rf"encrypt-(?:master-)?password {ARGUMENT}"),
    Command("getconnection(", rf"getconnection\([^,\n]{{1,200}},\s?{TUPLE}"),
    Command("connect(", rf"connect\([^,()\n]{{1,80}},\s?{TUPLE}"),
    Command("bcrypt", rf"bcrypt(?:[.:]\w{{1,24}}|::\w{{1,24}}){{0,3}}\(\s?(?:\[\]byte\()?{LITERAL}"),
    Command("hashpw", rf"hashpw\(\s?{LITERAL}"),
    Command("argon2", rf"argon2[\w.:]{{0,30}}\(\s?(?:\w{{1,20}}, ?)?{LITERAL}"),
    Command("password_hash(", rf"password_hash\(\s?{LITERAL}"),
    Command("crypt(", rf"crypt\(\s?{LITERAL}"),
    Command("checkpw(", rf"checkpw\(\s?{LITERAL}"),
    Command("send_keys(", rf"(?<=password\)\.)send_keys\(\s?{LITERAL}"),
    Command("secret set", rf"secret set\b{BETWEEN}\s--value[ =]{ARGUMENT}"),
    Command("put-parameter", rf"put-parameter\b{BETWEEN}\s--value[ =]{ARGUMENT}"),
    Command("-secret", rf"-secret(?:-value)?\b{BETWEEN}\s--secret-string[ =](?!file:){ARGUMENT}"),
    Command("doctl auth", rf"doctl auth init\b{BETWEEN}\s-t[ =]?{ARGUMENT}"),
    Command("auth token ", rf"auth token (?!-){ARGUMENT}"),
    Command("stdin <<<", rf"stdin <<<[ \t]?{ARGUMENT}"),
    Command("with-token <<<", rf"with-token <<<[ \t]?{ARGUMENT}"),
    Command("secret create", rf"secret create\b{BETWEEN}<<<[ \t]?{ARGUMENT}"),
    Command("<(", rf"(?<=[=\s])<\((?:echo|printf)(?: -n)? {ARGUMENT}(?=\\*[\"']?\))"),
    *(
        Command(name, rf"{name}(?:\.py)?\s(?:[\w.-]{{1,40}}/)?{PAIR_AT}")
        for name in ("-psexec", "psexec.py", "wmiexec", "smbexec", "atexec", "secretsdump")
    ),
    Command("setuser ", r"setuser \S{1,60}[^\n>]{0,60} >(?P<v>[^\s\"'\\\0<>|]{3,200})"),
    Command("_superuser(", rf"_superuser\({STRINGS}{LITERAL}"),
    Command("create_user(", rf"create_user\({STRINGS}{LITERAL}"),
    Command("sp_addlogin", rf"sp_addlogin N?{STRINGS}N?{LITERAL}"),
    Command("sequelize(", rf"sequelize\({STRINGS}{LITERAL}"),
    Command(".auth(", rf"\.auth\(\s?{LITERAL}\s?\)"),
    Command("jwt.", rf"jwt\.(?:sign|encode|decode|verify)\([^,\n\"']{{1,80}},\s?{LONG_LITERAL}"),
    Command("hmac", rf"hmac(?:\.new)?\(\s?(?:\\*[\"']\w{{2,12}}\\*[\"'],\s?)?{LONG_LITERAL}"),
    Command("fernet(", rf"fernet\(\s?{LONG_LITERAL}"),
    Command("aes.new(", rf"aes\.new\(\s?{LONG_LITERAL}"),
    Command("aesgcm(", rf"aesgcm\(\s?{LONG_LITERAL}"),
    Command("cipheriv(", rf"cipheriv\(\s?\\*[\"'][\w-]{{3,20}}\\*[\"'],\s?{LONG_LITERAL}"),
    Command("secretkeyspec(", rf"secretkeyspec\(\s?{LONG_LITERAL}"),
    Command("kinit", rf"kinit\b{BETWEEN}\s-w ?{ARGUMENT}"),
)
"""Programs with their own password flags; `--password`, `--token` and the like are found by their names."""

GATED: dict[str, list[Command]] = {}
for _command in COMMANDS:
    GATED.setdefault(gate(_command.literal), []).append(_command)
FLAGS = tuple(BETWEEN + flag for flag in (r"\s-", r"\s(?:-", r"\s(?:(?:-", r"\s?(?:-", r"\s?-", "-"))
FLAGGED = frozenset(c.literal for c in COMMANDS if any(flag in c.pattern for flag in FLAGS))
"""Programs that take the password behind a flag: looked for where a line has one."""
STOP = late(r"[\n|;&]")


def scan(view: View) -> Iterator[Span]:
    """Every password that a program takes as an argument."""
    text, low = view.text, view.plain_lower
    named = [word for word in GATED if word in view.words]
    flagged = "\n".join([line for line in low.split("\n") if " -" in line or "\t-" in line]) if named else ""
    for literal, pattern in [command for word in named for command in GATED[word]]:
        if literal in FLAGGED and literal not in flagged:
            continue
        at = low.find(literal)
        while at >= 0:
            found = _compiled(pattern).match(text, at)
            end = at + len(literal)
            if found:
                group = "v" if found["v"] else "w"
                value = found[group].rstrip(",;")
                if value[:1] not in "$-<{%(" and not values.placeholder(value):
                    yield Span(found.start(group), found.start(group) + len(value), "password")
                end = found.end()
            elif BETWEEN in pattern:
                # The try above has looked at the rest of this command: the next one begins behind it.
                stop = STOP.search(text, end, end + 250)
                end = stop.start() if stop else min(end + 250, len(text))
            at = low.find(literal, end)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern if "(?P<w>" in pattern else f"{pattern}(?P<w>)", re.IGNORECASE)
