"""Which identifiers name a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`; not `max_tokens` or `cacheKey`."""

from __future__ import annotations

from functools import lru_cache

from tui_memory.light import late
from tui_memory.redact.spans import wordset

WORD = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

PASSWORD = wordset(
    "password passwords passwd passphrase passcode pwd pass pw psw pswd passw passwort kennwort "
    "motdepasse pincode "
    "haslo parola lozinka passkey dbpass userpass rootpass "
    "adminpass mypass smtppass "
    "ftppass mailpass sqlpass storepass keypass bindpass authpass httppass sudopass sshpass wifipass psk "
    "presharedkey requirepass masterauth bindpw rootpw dbpw userpw adminpw sapassword"
)
FOREIGN = (
    "contraseña", "contrasena", "mot de passe", "mots de passe", "palavra-passe", "palavra passe", "clave secreta",
    "hasło", "şifre", "lösenord", "adgangskode", "adgangsord", "passord", "salasana",
    "kennwort", "wachtwoord", "jelszó",
    "heslo", "senha", "parola d'ordine", "mật khẩu", "kata sandi", "пароль", "пароля", "паролем", "пароли", "κωδικός",
    "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호",
    "كلمة المرور", "كلمة السر", "סיסמה", "סיסמא", "पासवर्ड",
    "รหัสผ่าน", "رمز عبور",
)  # fmt: skip
"""What a password is called elsewhere, where it is not one word of ASCII letters."""
PASSWORD_ENDS = ("password", "passwd", "passphrase", "passcode", "userpwd", "dbpwd", "passwort")
TOKEN = wordset("token jwt bearer authtoken accesstoken apitoken refreshtoken idtoken bottoken")
SECRET = wordset("secret secrets credential credentials creds cred pepper salt clientsecret appsecret hmac")
KEYS = wordset("apikey secretkey accesskey privatekey authkey signingkey encryptionkey masterkey appkey")
RUN_ON = (
    ("apikey", "api-key"),
    ("apikeys", "api-key"),
    ("secretkey", "secret-key"),
    ("accesskey", "api-key"),
    ("privatekey", "private-key"),
    ("masterkey", "secret-key"),
    ("encryptionkey", "secret-key"),
    ("signingkey", "secret-key"),
    ("authkey", "api-key"),
    ("accountkey", "api-key"),
    ("licensekey", "api-key"),
    ("authtoken", "token"),
    ("accesstoken", "token"),
    ("apitoken", "token"),
    ("bottoken", "token"),
    ("refreshtoken", "token"),
    ("sessiontoken", "token"),
    ("clientsecret", "secret"),
    ("appsecret", "secret"),
    ("apisecret", "secret"),
    ("sharedsecret", "secret"),
)
"""Words run together in lower case, by their ends."""

PAT_OF = wordset("github gh gitlab gl azure ado devops docker databricks airtable hubspot my user bot ci")
KEY_BEFORE = wordset(
    "api access secret private signing signature encryption encrypt encrypted decryption decrypt master auth "
    "authentication authorization account shared presharedkey preshared storage service "
    "services app application "
    "admin client server ssh ssl tls jwt hmac session cookie webhook integration "
    "write ingest ingestion "
    "consumer crypt crypto cipher aes rsa des ed25519 ecdsa subscription functions "
    "function host deploy deployment "
    "wallet recovery license licence activation product serial registration bot hub user "
    "developer dev partner "
    "merchant vendor tenant sas wg wireguard peer instrumentation stripe openai "
    "anthropic claude gemini mistral cohere "
    "groq deepseek perplexity replicate huggingface openrouter together fireworks "
    "elevenlabs sendgrid twilio mailgun "
    "mailchimp postmark sparkpost resend brevo datadog dd newrelic algolia google maps "
    "gcp aws azure github gitlab "
    "heroku cloudflare fastly linode digitalocean vultr hetzner grafana sentry rollbar "
    "bugsnag honeycomb pagerduty "
    "opsgenie snyk sonar codecov npm nuget pypi rubygems terraform vault consul supabase "
    "firebase planetscale neon "
    "upstash pinecone weaviate qdrant elastic elasticsearch kibana meilisearch typesense "
    "mapbox segment mixpanel "
    "amplitude posthog intercom zendesk freshdesk hubspot salesforce shopify square "
    "paypal braintree adyen plaid "
    "razorpay coinbase binance kraken alchemy infura etherscan openweather weather "
    "rapidapi tmdb youtube facebook "
    "twitter x linkedin discord slack telegram notion airtable asana jira atlassian "
    "confluence trello linear figma "
    "dropbox box okta auth0 clerk workos launchdarkly optimizely onfleet shippo easypost "
    "lob checkr fcm vapid "
    "restic borg backup kms dek kek data base "
    "pusher ably sso scim saml oidc oauth oauth2 totp otp mfa db database mongo mongodb redis "
    "postgres mysql rails django flask laravel symfony nextauth secure logged nonce"
)
"""What stands before `key` when that key is a secret; `cache`, `partition`, `sort`, `public` and the like do not."""

NOT_KEYS = wordset(
    "gpg pgp cache partition sort primary foreign public idempotency row hash range object index "
    "config registry hot map shard routing group "
    "lock redis s3 bucket file host dedup deduplication lookup translation message i18n "
    "label hit restore sequence order unique "
    "natural surrogate composite candidate parent child event item entry field column "
    "attribute property dict any press enter esc "
    "function shift arrow meta alt ctrl control home delete insert page"
)
"""What stands before `KEY` in an environment's name without making it a secret."""

NOT_TOKENS = wordset(
    "page next continuation eos bos pad unk sep cls mask stop special start end cancel "
    "cancellation sync resume idempotency "
    "expected unexpected current last prev previous first open close string number "
    "comment lexer parser peek image "
    "audio text keyword operator punctuation symbol delimiter newline indent dedent eof "
    "design theme word sub "
    "subword max min total input output prompt completion cached reasoning per new-line css lookahead"
)
TAILS = wordset(
    "old new prod production staging stage stg dev development test testing qa uat live "
    "ro rw readonly value val b64 "
    "base64 raw plain text plaintext cleartext str string enc main primary secondary "
    "backup default current previous "
    "prev v1 v2 v3 eu us asia global local ci base again confirm confirmation repeat verify env"
)
"""Words that may follow the secret word: `API_KEY_PROD`, `secretString`, `SECRET_KEY_BASE`."""


def words(name: str) -> list[str]:
    """The words of an identifier in lower case, whatever joins them (snake, kebab, camel, dots)."""
    return [w.lower() for w in WORD.findall(name)]


def _trimmed(parts: list[str]) -> list[str]:
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in TAILS):
        parts = parts[:-1]
    return parts


def _run_on(last: str) -> str | None:
    if last in PASSWORD or last.endswith(PASSWORD_ENDS):
        return "password"
    return next((kind for end, kind in RUN_ON if last.endswith(end)), None)


def _key_kind(before: str) -> str | None:
    if before in ("private", "privatekey"):
        return "private-key"
    if before in (
        "secret",
        "signing",
        "encryption",
        "encrypt",
        "master",
        "session",
        "cookie",
        "shared",
        "preshared",
    ):
        return "secret-key"
    return "api-key" if before in KEY_BEFORE else None


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str | None:
    """The kind of secret this identifier names, or None. It must *end* in a secret word."""
    if name.lower().endswith(FOREIGN):
        return "password"
    if name.endswith(("-key-data", "KeyData", "_key_data")):
        return "private-key"
    parts = _trimmed(words(name))
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last == "code" and before == "pin":
        return "password"
    found = _run_on(last)
    if found:
        return found
    if last in TOKEN:
        return None if before in NOT_TOKENS else "token"
    if last in SECRET:
        if before in ("existing", "pull", "image"):
            return None
        return "secret" if last not in ("salt", "hmac", "cred") or before else None
    if last == "pat" and (before in PAT_OF or not before):
        return "token"
    if last == "key":
        return _key_kind(before) or ("opaque-key" if name.isupper() and before and before not in NOT_KEYS else None)
    if last == "keys" and before in ("api", "secret", "access"):
        return "api-key"
    return "auth" if last == "auth" and name.lower().lstrip("_.") in ("auth", "basicauth", "basic_auth") else None


def secret_name(name: str) -> bool:
    """Whether an identifier (a variable's name, a key) names a secret: it ends in a secret word.

    A shell's PWD is a directory; in a connection string the same name is a password, which `kind_of` knows.
    """
    return name != "PWD" and kind_of(name) is not None
