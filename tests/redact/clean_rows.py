"""Texts that only look as if they held a secret: none of them may be changed, in any context."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.redact.secret_rows import CONTEXTS, Row, filled

LINES = r"""
# placeholders and look-ups
DB_PASSWORD=
DB_PASSWORD=changeme
DB_PASSWORD=${DB_PASSWORD}
DB_PASSWORD=${DB_PASSWORD:-}
DB_PASSWORD=$DB_PASSWORD
DB_PASSWORD="$(cat /run/secrets/db_password)"
DB_PASSWORD_FILE=/run/secrets/db_password
API_KEY=<your-api-key>
API_KEY=your_api_key_here
API_TOKEN=xxxxxxxxxxxxxxxx
API_KEY=REPLACE_ME
SECRET_KEY=********
export GITHUB_TOKEN=$(gh auth token)
export API_KEY=`pass show api/key`
set DB_PASSWORD=%DB_PASSWORD%
$env:DB_PASSWORD = $secret
$password = Read-Host -AsSecureString
password: {{ vault_db_password }}
password: !vault |
password: ${{ secrets.DB_PASSWORD }}
password: "{{ lookup('env', 'DB_PASSWORD') }}"
password = var.db_password
password = data.aws_secretsmanager_secret_version.db.secret_string
password: op://vault/db/password
password: "@Microsoft.KeyVault(SecretUri=https://kv.vault.azure.net/secrets/db)"
secretKeyRef: {name: db-credentials, key: password}
secretName: tls-cert-2024
existingSecret: pg-auth-v2
imagePullSecrets: [regcred2]
token: ""
token: null
"password": "<REDACTED>"
"password": "string"
"password": "",
"apiKey": "YOUR_API_KEY",
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD", "")
token = os.environ.get("GITHUB_TOKEN")
const apiKey = process.env.API_KEY;
const token = localStorage.getItem('token2');
const password = req.body.password;
let secret = config.get::<String>("secret")?;
api_key = settings.openai_api_key
password = getpass.getpass("Password: ")
password := os.Getenv("DB_PASSWORD")
String password = System.getenv("DB_PASSWORD");
$password = $_POST['password'];
password = ENV.fetch("DB_PASSWORD")
password = ENV['DB_PASSWORD']
var password = Environment.GetEnvironmentVariable("DB_PASSWORD");
password = keyring.get_password("system", "robin")
password = click.prompt("Password", hide_input=True)
self.password = hash_password(password, rounds=12)
user.password = make_password(raw)
password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt(12))
token = secrets.token_urlsafe(32)
token = uuid.uuid4().hex
token = jwt.encode(payload, key, algorithm="HS256")
const token = crypto.randomBytes(32).toString('hex');
const hashed = await bcrypt.hash(password, 10);
expect(password).toBe(undefined)
password: process.env['DB_PASS2'],
# types and schemas
password: str
password: str | None = None
password: Optional[str] = Field(None, min_length=8)
password: string;
password?: string;
token: int = 0x1F
tokens: list[Token] = []
password: SecretStr = Field(..., min_length=12)
def login(user: str, password: str) -> Token2:
func Login(user, password string) (*Token, error) {
fn login(user: &str, password: &str) -> Result<Token, Error>
public void setPassword(String password) { this.password = password; }
private String password;
private final PasswordEncoder passwordEncoder;
password VARCHAR(255) NOT NULL,
password_digest character varying(128),
t.string :password_digest, null: false
password: { type: String, required: true, minlength: 8 },
password: z.string().min(12).max(64),
password: yup.string().min(8).required(),
password = models.CharField(max_length=128)
password = forms.CharField(widget=forms.PasswordInput)
password: Mapped[str] = mapped_column(String(60))
"password": {"type": "string", "minLength": 8}
@IsString() @MinLength(8) password: string;
type Credentials = { token: string; secret: string };
interface Auth { accessToken: string; refreshToken?: string }
const { password, token } = props;
password=password, token=token
login(user, password)
login(username="robin", password=password)
auth=(user, password)
auth=("user", "password")
requests.get(url, auth=(USER, PASSWORD2))
getConnection(url, user, password)
DriverManager.getConnection(url, "sa", "");
key = lambda item: item.id2
sort(key=str.lower)
cache_key = f"user:{user_id}:v2"
cacheKey: 'user-list-v2-page3'
partition_key = "customer#1a2b3c"
primary_key = "order_id2"
foreign_key: users.id1
public_key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"
key: linux-node-20-«~hex40»
KEY_PREFIX = "cache:v2:"
react key={`row-${index}-2`}
<li key="item-42">
onKeyDown={(e) => e.key === 'Enter2' && save()}
keyboard_layout = "qwertz2"
token == TokenType.IDENTIFIER2
token_count = 15321
max_tokens: 4096
prompt_tokens=1234 completion_tokens=567
next_page_token: "CAUQAA2b3c4d5"
pageToken=abc123def4567890
tokenizer = "cl100k_base"
tokenizer_path: models/bge-small-v1.5
eos_token = "<|endoftext|>"
pad_token_id: 50256
bearer_token_url: https://auth.globex.io/oauth2/token
token_endpoint=https://auth.globex.io/v2/token
authorization_code = request.args["code"]
AUTH_TYPE=oauth2
AUTH_URL=https://auth.globex.io/v2
auth: 'required2'
author: robin42
Author: Robin Teal 2024
passed: 142 failed: 0
142 passed, 3 skipped in 12.41s
bypass = feature_x2
passthrough: v2
compass: north2
pass  # noqa: S105
pass rate 98.2
pass 2: optimise
first pass: 1204ms
passes=3
pwd: /home/robin/src/shop2
PWD=/srv/app2
cd $PWD && ls
secretary: robin2
secret santa 2024
# documentation
The password must be at least 12 characters and hold 1 digit.
Enter your password (8-64 characters):
Password must contain 1 number
Your password expires in 14 days
Invalid password for user robin42
Forgot your password? Reset it within 24h
password is required
the password is wrong
the password is stored in 1Password
the token is valid for 3600s
the token is missing
the secret is called db-credentials-v2
the api key is read from config.toml
Password is hashed with SHA256 before it is stored
Passwords are hashed with argon2id, 64 MB
password reset for user 4242
the password field was renamed to pass_2 in v3
password: required, at least 8 characters
token: the JWT that was returned by step 1
secret: see docs/secrets.md#rotate2
Use --password-stdin instead of --password
--password PASSWORD  the password for basic auth (default: $PGPASSWORD)
--token TEXT         GitHub token [env var: GITHUB_TOKEN]
-p, --password <password>
curl -u user:password https://api.example.com
curl -u "$USER:$TOKEN" https://api.globex.io
curl -u robin https://api.globex.io
curl -H "Authorization: Bearer $TOKEN" https://api.globex.io
curl -H "Authorization: Bearer <token>" https://api.globex.io
curl -H 'Authorization: Bearer YOUR_TOKEN_HERE' https://api.globex.io
Authorization: Bearer {access_token}
Authorization: Basic realm="globex"
WWW-Authenticate: Bearer error="invalid_token"
"Authorization": f"Bearer {self.token}",
headers={"X-Api-Key": settings.api_key2}
mysql -u root -p shop2
mysql -u root -p"$MYSQL_PASSWORD" shop
docker run -p 8080:80 -e MODE=prod2 app
docker run -e DB_PASSWORD app
mkdir -p src/app2
ssh -p 2222 deploy@host2
sudo -u postgres psql -p 5433
redis-cli -p 6380 ping
cp -a src2 dst2
git log -p abc1234
ps -aux2
psql -U app -W shop2
postgres://user:password@localhost:5432/shop
postgres://user:pass@example.com/db
postgres://$USER:$PASSWORD@host/db
postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/shop
postgresql://app@db1.globex.io/shop2
redis://localhost:6379/0
https://github.com/globex/shop/pull/1234
https://globex.io/reset-password?step=2
https://globex.io/docs/token-auth2#v3
http://localhost:8080/login?next=/home2
git@github.com:globex/shop.git
ssh://git@github.com/globex/shop.git
//registry.npmjs.org/:_authToken=${NPM_TOKEN}
//cdn.globex.io/npm/vue@3.4.21/dist/vue.js
import x from 'https://esm.sh/react@18.2.0'
Server=localhost;Database=shop;Trusted_Connection=True;
jdbc:postgresql://localhost:5432/shop
# other languages
"Password": "Passwort",
"password": "mot de passe",
"password": "contraseña",
"password": "пароль",
"password": "密码"
"Password": "パスワード",
"token": "Token ungültig",
password = Passwort
Passwort vergessen?
Das Passwort muss mindestens 8 Zeichen lang sein
das Passwort ist falsch
das Passwort ist zu kurz (mindestens 12)
le mot de passe est obligatoire
mot de passe : 8 caractères minimum
la contraseña es obligatoria
contraseña: mínimo 8 caracteres
a senha é muito curta
пароль: не менее 8 символов
пароль обязателен
密码：至少8个字符
密码长度不能少于6位
密码: 必填
パスワードは8文字以上です
パスワード：必須
비밀번호: 8자 이상
"passwordPlaceholder": "Enter 8+ characters"
"login.password.label": "Password *",
<label for="password">Password2</label>
<input type="password" name="password" id="password1">
<input type="password" placeholder="Password (8+ characters)">
<input type="hidden" name="step" value="step2of3">
<Password value={password} onChange={setPassword} />
<key>CFBundleVersion</key><string>42.1.3</string>
placeholder="Your API key (starts with 3 letters)"
aria-label="Show password" id="pw-toggle-2"
# digests and ids
commit «~hex40»
git checkout «~hex40»
sha256:«~hex64»
"integrity": "sha512-«~b64»"
"resolved": "https://registry.npmjs.org/a/-/a-1.2.3.tgz#«~hex40»"
golang.org/x/net v0.17.0 h1:«~b32»
Digest: sha256:«~hex64»
etag: W/"«~hex32»"
md5sum «~hex32»  a.tgz
checksum = "«~hex64»"
request_id=«~uuid»
"id": "«~uuid»",
trace_id=«~hex32» span_id=«~hex16»
key=«~uuid»
object key: «~uuid»/a.png
session «~uuid» started
"tool_use_id": "toolu_01«~a22»"
"signature": {"alg": "RS256"}
build-«~hex8» passed
docker.io/library/postgres@sha256:«~hex64»
cache key: v1-deps-«~hex64»
index «~hex7»..«~hex7» 100644
Merge «~hex7» into «~hex7»
SHA256:«~a43» robin@box (ED25519)
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI«~a43» robin@box
data:image/png;base64,iVBORw0KGgo«~b60»
//# sourceMappingURL=data:application/json;base64,«~b60»
<script src="/app.js" integrity="sha384-«~b48»"></script>
arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbC123
projects/globex/secrets/db-password/versions/3
vault read secret/data/db2
aws secretsmanager get-secret-value --secret-id prod/db2
gcloud secrets versions access 3 --secret=db-password
kubectl get secret db-credentials -o jsonpath='{.data.password}'
kubectl create secret generic db --from-file=password=./pw.txt
gh secret list
npm token list
gh auth login --with-token < token.txt
pass show work/db2
ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519
openssl rand -base64 32
openssl enc -d -aes-256-cbc -in a -out b
age1«~a30» is a recipient
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE REQUEST-----
# code that only speaks of it
if password == confirm_password:
if (token !== expectedToken2) throw new Error("bad token");
assert response.json()["detail"] == "Invalid password"
assert user.check_password("wrong")
if len(password) < 8:
password.length >= 12 && /\d/.test(password)
logger.info("password changed for %s", user.id)
raise ValueError("password too short")
errors.add(:password, "is too short (minimum is 8 characters)")
PASSWORD_MIN_LENGTH = 12
TOKEN_TTL = timedelta(minutes=15)
TOKEN_EXPIRY="15m"
SESSION_COOKIE_NAME = "sid2"
CSRF_HEADER = "X-CSRF-Token"
PASSWORD_RESET_URL = "/accounts/reset2/"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
password_validators: django.contrib.auth.password_validation
.password-input2 { color: #a1b2c3; }
#password { margin: 0 4px 12px; }
.token.keyword{color:#07a}.token.string{color:#690}
e.token="string2"===t?n:r,a.key=o[2],s.secret=c
function(e,t){return e.password=t.password,e.token2}
var t=n.token,r=t.key,o=t.secret||null;
case Token.RBRACE2: return parser.next();
{ key: "ArrowDown", keyCode: 40 }
{"key": "theme", "value": "solarized-dark2"}
{"name": "PORT", "value": "8080"}
{"name": "LOG_LEVEL", "value": "debug2"}
name: password, in: formData, type: string
SELECT id, password FROM users WHERE email = $1
INSERT INTO users (name, password) VALUES (?, ?)
INSERT INTO users (name, password) VALUES ($1, crypt($2, gen_salt('bf')))
ALTER ROLE app PASSWORD NULL;
CREATE USER app WITH PASSWORD :'pw';
UPDATE users SET password = $1 WHERE id = $2
GRANT SELECT ON users TO app2;
id,name,email,role
name,password_set,last_login
User(name='robin', password=None)
<User robin password=[FILTERED]>
password: [PROTECTED]
password=********&user=robin
Parameters: {"password"=>"[FILTERED]", "id"=>"42"}
robin / administrator2
login: robin42
Login: 2026-11-29 10:00
user: robin, role: admin2
credentials: include
credentials: 'same-origin'
credentials: see 1Password
credentials are stored in ~/.aws/credentials
as the password: see RFC 2617
v2 is the password hashing scheme
bcrypt is the password hash that v3 uses
argon2id is the default
PASS tests/test_auth2.py
PASS src/login.test.tsx (5.123 s)
AUTH LOGIN
334 ok
test_password_reset_v2 PASSED
✓ rejects a wrong password (12ms)
FAILED tests/test_auth.py::test_token_v2 - assert 401 == 200
WIFI: connected to Globex-5G
tcp(127.0.0.1:3306) refused 3 times
«~hex7» fix: password reset v2 (#123)
feat(auth): token refresh, see #4521
- password policy v2: https://globex.io/policy
"""

BLOCKS = {
    "csv": "id,name,token_count\n1,robin,1532\n2,sam,88\n",
    "csv of hashes": "file,sha256\na.txt,«~hex64»\n",
    "table": "| field | type |\n|---|---|\n| password | varchar2 |\n| token | text |\n",
    "table of settings": "| Setting | Default |\n|---|---|\n| password | none |\n| min_password_length | 12 |\n",
    "config map": "kind: ConfigMap\ndata:\n  mode: production2\n  level: «~a20»\n",
    "lock": "[[package]]\nname = 'a'\nchecksum = \"«~hex64»\"\n",
    "public key": "-----BEGIN PUBLIC KEY-----\n«~b48»\n«~b48»\n-----END PUBLIC KEY-----\n",
    "certificate": "-----BEGIN CERTIFICATE-----\n«~b48»\n«~b48»\n-----END CERTIFICATE-----\n",
    "prompt": "Password:\nLogin incorrect\n",
    "prompt with time": "Enter your password:\n2026-11-29 10:00:01 connected\n",
    "heading": "Password:\n\n- at least 12 characters\n- 1 digit\n",
    "heading, code": "Token\n-----\n\nSee `auth2.py`.\n",
    "next line": "the password is\nstored in the vault2\n",
    "schema": "password:\n  type: string\n  minLength: 12\n",
    "openapi": "token:\n  description: JWT2\n  example: string\n",
    "terraform": 'variable "db_password" {\n  type      = string\n  sensitive = true\n}',
    "terraform default": 'variable "region" {\n  default = "eu-central-1"\n}',
    "html form": '<label>Password</label>\n<input type="password" id="pw2" autocomplete="current-password">\n',
    "workflow": "env:\n  TOKEN: ${{ secrets.TOKEN2 }}\nsteps:\n  - uses: actions/checkout@v4\n",
    "docstring": '"""Log in.\n\n:param password: the password, 8 to 64 characters\n:returns: token2\n"""',
    "go struct": 'type User struct {\n\tPassword string `json:"password,omitempty"`\n\tToken2 string `json:"-"`\n}',
    "java": '@Column(name = "password_v2")\nprivate String password;\n',
    "jsx": "<TextField2\n  label='Password'\n  value={password}\n/>",
    "psql": " id | name  | has_password \n----+-------+--------------\n  1 | robin | t2\n(1 row)\n",
    "chat": "sam: what's the password policy?\nrobin: see docs/policy2.md\n",
    "traceback": 'File "/app/auth2.py", line 42, in check_password\n    raise InvalidToken("x")\n',
    "gitignore": ".env\n*.pem\nsecrets2.yaml\n",
    "json schema": '{\n  "password": {\n    "type": "string",\n    "description": "8-64 characters"\n  }\n}',
}


def rows(seeds: range) -> Iterator[Row]:
    """Each text once with every seed, in a context that the seed chooses."""
    lines = [(line[:60], line) for line in LINES.strip().split("\n") if not line.startswith("# ")]
    for place, (name, form) in enumerate([*lines, *BLOCKS.items()]):
        for seed in seeds:
            context = random.Random(seed * 17 + place).choice(list(CONTEXTS))
            yield Row(name, context, CONTEXTS[context](filled(form, seed * 997 + place)[0]), ())
